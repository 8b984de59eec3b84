"""One thing that is known, as a line: what it says, since when, where it stands (HK-8, SEC-3)."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scrubjay.text.fence import harmless
from scrubjay.text.readable import readable

if TYPE_CHECKING:
    from scrubjay.index.sqlite.glance import Glimpse
    from scrubjay.interfaces.hook.places import Store

MOST = 300
"""Characters of a text that are shown."""
_BLANKS = re.compile(r"\s+")


def line(found: Glimpse, store: Store) -> str:
    """``found`` as a line of a list."""
    kind = found.category if found.layer == "facts" else found.title
    until = f" until {_day(found.until)}" if found.until is not None else ""
    dated = f"{_day(found.since)}{until}" if found.since is not None else ""
    source = ", ".join(part for part in (f"{store.scope}: {one_line(found.path, 160)}:{found.line}", dated) if part)
    lead = f"{one_line(kind, 80)}: " if kind else ""
    return f"- {lead}{one_line(said(found.text, found.title), MOST)} [{source}]"


def title(found: Glimpse, store: Store) -> str:
    """Only the name of a note."""
    name = one_line(found.title, 120) or os.path.basename(found.path)
    dated = f", {_day(found.since)}" if found.since is not None else ""
    return f"- {name} [{store.scope}: {one_line(found.path, 160)}{dated}]"


def said(text: str, title: str) -> str:
    """``text`` as a reader sees it, without the heading that only repeats ``title``."""
    shown = readable(text[: 16 * MOST])
    first, _, rest = shown.partition("\n")
    return rest if first.startswith("#") and first.strip("# ").strip() == title.strip() else shown


def holds(found: Glimpse, store: Store) -> bool:
    """Whether the document is still as it was indexed: what was edited or taken away meanwhile is not shown."""
    try:
        status = os.lstat(os.path.join(store.vault, found.path))
    except (OSError, ValueError):
        return False
    return (status.st_size, status.st_mtime_ns) == (found.size, found.mtime_ns)


def one_line(text: str, most: int) -> str:
    """``text`` without line breaks, harmless, cut at a word end."""
    flat = _BLANKS.sub(" ", harmless(text[: 4 * most])).strip()
    if len(flat) <= most:
        return flat
    cut = flat[: most - 2]
    end = cut.rfind(" ")
    return f"{cut[:end] if end > most // 2 else cut} …"


def _day(micros: int | None) -> str:
    if micros is None:
        return ""
    try:
        return datetime.fromtimestamp(micros / 1_000_000, UTC).strftime("%Y-%m-%d")
    except (ValueError, OverflowError, OSError):
        return ""
