"""``20-Indices/index.md`` and ``10-Memories/README.md`` as text (SM-32, SM-33). Same entries, same bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from urllib.parse import quote

from scrubjay.operations.indices.entries import IndexEntry
from scrubjay.proposals import CATEGORIES
from scrubjay.text import markdown
from scrubjay.vaults.layout import INBOX, MEMORIES, README, TEMPLATES

RECENT = 10
UNCATEGORIZED = "uncategorized"
INDEX_TITLE = "Memory Vault Index"
LIST_TITLE = "Memories"

_GENERATED = ("Quick Navigation", "Recent Memories", "By Category", "By Topic", "JSON Index", "Statistics")
_NAVIGATION = "Navigation"
_DEFAULT_NAVIGATION = f"- [Up: the vault](../{README})\n- [Index](../20-Indices/index.md)\n"
_NAVIGATE = tuple(
    f"- [{name}](../{folder}/{README})"
    for name, folder in (("Inbox", INBOX), ("Memories", MEMORIES), ("Templates", TEMPLATES))
)
_MARKUP = re.compile(r"([\\`*_\[\]<>|#])")


def index(entries: Sequence[IndexEntry], before: str = "") -> str:
    """``index.md`` over the active ``entries``; sections of ``before`` that are somebody's own stay, at the end."""
    active = sorted((entry for entry in entries if entry.active), key=_newest_first)
    blocks = [
        f"# {INDEX_TITLE}\n",
        "## Quick Navigation\n\n" + _lines(_NAVIGATE),
        "## Recent Memories\n\n" + _lines(_recent(entry) for entry in active[:RECENT]),
        "## By Category\n\n" + _groups(_by_category(active), _titled),
        "## By Topic\n\n" + _groups(_by_topic(active), _topical),
        "## JSON Index\n\n- [memory-index.json](../memory-index.json)\n",
        "## Statistics\n\n" + _statistics(active),
        *_own_sections(before),
    ]
    return "\n".join(blocks)


def listing(entries: Sequence[IndexEntry], before: str = "") -> str:
    """``10-Memories/README.md``; what somebody wrote below ``## Navigation`` stays."""
    active = sorted((entry for entry in entries if entry.active), key=lambda entry: entry.id)
    count = "1 memory" if len(active) == 1 else f"{len(active)} memories"
    items = "\n".join(_listed(entry) for entry in active)
    contents = f"## Contents\n\n{items}" if items else "## Contents\n"
    return f"# {LIST_TITLE}\n\nThis folder holds {count}.\n\n{contents}\n## {_NAVIGATION}\n\n{_navigation(before)}"


def is_generated(text: str, title: str) -> bool:
    """Whether ``text`` is an overview of ours (or nothing at all), which may be written anew."""
    first = next(iter(markdown.headings(text)), None)
    return not text.strip() or (first is not None and first.level == 1 and first.title == title)


def inline(text: str) -> str:
    """``text`` on one line, with nothing in it that Markdown would obey."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def _newest_first(entry: IndexEntry) -> tuple[str, str]:
    return _descending(entry.created), entry.id


def _descending(text: str) -> str:
    """A key that sorts texts of digits and dashes from last to first, and what is empty last."""
    return "".join(chr(0x10FFFF - ord(letter)) for letter in text) or "\U0010ffff"


def _link(entry: IndexEntry) -> str:
    return f"[{inline(entry.id)}](../{_target(entry.path)})"


def _target(path: str) -> str:
    return quote(path, safe="/")


def _recent(entry: IndexEntry) -> str:
    return f"- {_link(entry)} - {inline(entry.title or entry.id)} ({entry.created or 'undated'})"


def _titled(entry: IndexEntry) -> str:
    return f"- {_link(entry)} - {inline(entry.title or entry.id)}"


def _topical(entry: IndexEntry) -> str:
    return f"- {_link(entry)} - {inline(entry.topic or entry.title or entry.id)}"


def _by_category(active: Iterable[IndexEntry]) -> dict[str, list[IndexEntry]]:
    """By category, the standard ones always and first."""
    groups: dict[str, list[IndexEntry]] = {name: [] for name in CATEGORIES}
    others: dict[str, list[IndexEntry]] = {}
    for entry in active:
        name = entry.category or UNCATEGORIZED
        (groups if name in groups else others).setdefault(name, []).append(entry)
    return {f"[{name}]": found for name, found in [*groups.items(), *sorted(others.items())]}


def _by_topic(active: Iterable[IndexEntry]) -> dict[str, list[IndexEntry]]:
    groups: dict[str, list[IndexEntry]] = {}
    for entry in active:
        groups.setdefault(entry.topic.strip("/").partition("/")[0] or UNCATEGORIZED, []).append(entry)
    return {f"{inline(name)}/": found for name, found in sorted(groups.items())}


def _groups(groups: Mapping[str, Sequence[IndexEntry]], line: Callable[[IndexEntry], str]) -> str:
    parts = []
    for name, found in groups.items():
        ordered = sorted(found, key=lambda entry: entry.id)
        listed = _lines(line(entry) for entry in ordered)
        parts.append(f"### {name}\n" + (f"\n{listed}" if listed else ""))
    return "\n".join(parts)


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _statistics(active: Sequence[IndexEntry]) -> str:
    topics = {entry.topic for entry in active if entry.topic}
    latest = max((entry.modified or entry.created for entry in active), default="")
    return (
        f"- Total memories: {len(active)}\n- Topics: {len(topics)}\n"
        f"- Total tokens: {sum(entry.token_count for entry in active)}\n- Last updated: {latest or 'never'}\n"
    )


def _listed(entry: IndexEntry) -> str:
    tags = ", ".join(map(inline, entry.tags))
    return (
        f"### [{inline(entry.id)}]({_target(entry.path.rpartition('/')[2])})\n\n**Title**: {inline(entry.title)}  \n"
        f"**Topic**: {inline(entry.topic)}  \n**Tags**: {tags}  \n**Created**: {entry.created}\n"
    )


def _own_sections(before: str) -> list[str]:
    """The sections of level 2 that we did not generate, each as it was."""
    return [
        before[section.start : section.end].rstrip() + "\n"
        for section in markdown.sections(before)
        if section.level == 2 and section.title not in _GENERATED
    ]


def _navigation(before: str) -> str:
    for section in markdown.sections(before):
        if section.level == 2 and section.title == _NAVIGATION:
            own = before[section.body : section.end].strip("\r\n")
            return own + "\n" if own.strip() else _DEFAULT_NAVIGATION
    return _DEFAULT_NAVIGATION
