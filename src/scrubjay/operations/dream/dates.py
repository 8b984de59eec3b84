"""Days that only the day of writing explains: "yesterday" gets its date beside it (CC-F4, F85)."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, tzinfo

from scrubjay.text.dates import time_expressions
from scrubjay.text.lines import split_lines

_RELATIVE = re.compile(
    r"\b(?:yesterday|tomorrow|(?:last|next)\s+(?:week|month|year|mon|tues|wednes|thurs|fri|satur|sun)\w*"
    r"|\w+\s+(?:days?|weeks?|months?)\s+ago)\b"
    r"|(?:позавчера|вчера|завтра|(?:на\s+)?(?:прошлой|следующей)\s+неделе|\w+\s+(?:дн\w+|недел\w+)\s+назад)"
    r"|昨天|前天|明天|上周|下周|上个月|下个月|[一二三四五六七八九十\d]+天前",
    re.IGNORECASE,
)
_DATED = re.compile(r"\s*[(（]\s*\d{4}-\d\d")
_CODE = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|「[^」\n]*」")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")


def dated(text: str, written: datetime, zone: tzinfo) -> str:
    """``text`` with the date in brackets behind each relative day, counted from ``written``.

    What stands in code or in quotation marks is somebody's words and stays, and so does what is dated already.
    """
    lines = []
    fenced = False
    for line in split_lines(text):
        if _FENCE.match(line):
            fenced = not fenced
        lines.append(line if fenced else _dated(line, written, zone))
    return "".join(lines)


def _dated(line: str, written: datetime, zone: tzinfo) -> str:
    if not _RELATIVE.search(line):
        return line
    quoted = [found.span() for found in _CODE.finditer(line)]
    for found in reversed(list(_RELATIVE.finditer(line))):
        if any(start < found.end() and found.start() < end for start, end in quoted):
            continue
        if _DATED.match(line, found.end()):
            continue
        known = time_expressions(found.group(), written, zone)
        if not known:
            continue
        first = known[0].start.astimezone(zone).date()
        last = (known[0].end.astimezone(zone) - timedelta(seconds=1)).date()
        said = f"{first}" if first == last else f"{first} to {last}"
        line = f"{line[: found.end()]} ({said}){line[found.end() :]}"
    return line
