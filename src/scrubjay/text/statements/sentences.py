"""The sentences that a person wrote in running text: no code, logs, quotations, tables, headings or tags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST = 300
"""Characters of a sentence; what is longer says more than one thing."""

_LONGEST_TEXT = 20_000  # characters of one message that are read: what follows was pasted
_FENCE = re.compile(
    r"^[ \t]{0,3}(?P<mark>`{3,}|~{3,})[^\n]*\n(?s:.*?)(?:^[ \t]{0,3}(?P=mark)[`~]*[ \t]*$|\Z)", re.MULTILINE
)
_TAGGED = re.compile(r"<(?P<tag>[A-Za-z][\w-]{0,40})\b[^<>]{0,400}>(?s:.*?)</(?P=tag)\s*>|<[A-Za-z/!][^<>\n]{0,400}>")
_LINE = re.compile(r"[^\r\n]+")
_PARAGRAPH = re.compile(r"[^\r\n]+(?:\r?\n[ \t]*[^\s][^\r\n]*)*")
_FOREIGN_LINE = re.compile(
    r"\s*(?:>|\||#{1,6}\s|\$\s|\+{3}|-{3}|@@|[{}\[\]();]+\s*$|at\s+\S+\(|File \"|Traceback|\d{4}-\d\d-\d\d[T ]\d\d:\d\d"
    r"|\[\d\d:\d\d|(?:INFO|DEBUG|WARN(?:ING)?|ERROR|FATAL|TRACE)\b|(?:import|from|def|class|const|let|var|return|if|for"
    r"|while|function|public|private|SELECT|INSERT|UPDATE|sudo|npm|pip|git|docker|cd|curl)\s[^.!?]*$)"
)
_LOG_LINE = re.compile(
    r"\s*(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[\d\d:\d\d|(?:INFO|DEBUG|WARN(?:ING)?|ERROR|FATAL|TRACE)\b|npm ERR!|Traceback|File \""
    r"|at\s+\S+\(|(?:error|warning|fatal|hint|note)(?:\[\w+\])?:|\$\s|\w+(?:Error|Exception):)"
)
_CLOSED = re.compile(r"[.!?…。！？:：\"'»”)]\s*$")
_BULLET = re.compile(r"\s*(?:[-*•+]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s+)?")
_END = re.compile(r"(?<=[.!?…])[\"'»”’)]*\s+|(?<=[。！？；])(?![”’」』）])|(?<=[。！？；][”’」』）])|\s+[-–—]{2,3}\s+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|Mr|Mrs|Ms|Dr|St|No|approx|ca|т\.е|т\.д|т\.п|др|г|ул|см|напр)|\b[A-ZА-Я])\.$"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """``source[start:end]``, one sentence."""

    text: str
    start: int
    end: int


def sentences(source: str) -> Iterator[Sentence]:
    """Every sentence of ``source`` that its writer says, in order."""
    text = _blanked(source[:_LONGEST_TEXT])
    logs = list(_logs(text))
    for line in _LINE.finditer(text):
        if _FOREIGN_LINE.match(line.group()) or _LOG_LINE.match(line.group()) or _is_data(line.group()):
            continue
        if not _CLOSED.search(line.group()) and any(start <= line.start() < end for start, end in logs):
            continue
        bullet = _BULLET.match(line.group())
        yield from _within(text, line.start() + (bullet.end() if bullet else 0), line.end())


def _logs(text: str) -> Iterator[tuple[int, int]]:
    """Paragraphs in which a line is of a log: lines without an end of a sentence are of the log too."""
    for paragraph in _PARAGRAPH.finditer(text):
        if any(_LOG_LINE.match(line) for line in paragraph.group().splitlines()):
            yield paragraph.span()


def _blanked(text: str) -> str:
    """``text`` with blocks of code and tagged blocks as blanks, so that offsets stay."""
    for pattern in (_FENCE, _TAGGED):
        text = pattern.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    return text


def _is_data(line: str) -> bool:
    """Whether a line is mostly signs and digits, as code, tables and logs are."""
    solid = [letter for letter in line if not letter.isspace()]
    least = 0.35 if any("\u3400" <= letter <= "\u9fff" for letter in solid) else 0.6
    return bool(solid) and sum(map(str.isalpha, solid)) < least * len(solid)


def _within(text: str, start: int, end: int) -> Iterator[Sentence]:
    first = start
    for match in _END.finditer(text, start, end):
        if _ABBREVIATION.search(text, first, match.start()):
            continue
        yield from _trimmed(text, first, match.start())
        first = match.end()
    yield from _trimmed(text, first, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[Sentence]:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    end -= len(piece) - len(piece.rstrip())
    if 0 < end - start <= LONGEST:
        yield Sentence(text[start:end], start, end)
