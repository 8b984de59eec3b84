"""``20-Indices/index.md`` and ``10-Memories/README.md`` as text (SM-32, SM-33). Same entries, same bytes.

Nothing that a memory says can end a line, begin a link or a tag, or hide what follows it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from urllib.parse import quote

from scrubjay.operations.indices.entries import IndexEntry
from scrubjay.operations.indices.owned import NOTHING, Owned
from scrubjay.proposals import CATEGORIES
from scrubjay.vaults.layout import INBOX, INDEX, MEMORIES, README, TEMPLATES

RECENT = 10
UNCATEGORIZED = "uncategorized"
INDEX_TITLE = "Memory Vault Index"
LIST_TITLE = "Memories"
NAVIGATION = "Navigation"
INDEX_SECTIONS = ("Quick Navigation", "Recent Memories", "By Category", "By Topic", "JSON Index", "Statistics")
LIST_SECTIONS = ("Contents", NAVIGATION)

_DEFAULT_NAVIGATION = f"- [Up: the vault](../{README})\n- [Index](../{INDEX})\n"
_NAVIGATE = tuple(
    f"- [{name}](../{folder}/{README})"
    for name, folder in (("Inbox", INBOX), ("Memories", MEMORIES), ("Templates", TEMPLATES))
)
# What Markdown, HTML, Obsidian (comments, tags, mathematics) and bare addresses begin with. Most of it means nothing
# inside a word, where it is left as it is.
_MARKUP = re.compile(
    r"[\\`*\[\]<|$]|%(?=%)|~(?=~)|=(?==)|&(?=#|\w+;)|(?<!\w)[_#]|_(?!\w)|:(?=//)|(?<=www)\.", re.IGNORECASE
)
_UNSAFE_IN_TARGET = re.compile(r"[^\w/.,+@~-]")


def index(entries: Iterable[IndexEntry], own: Owned = NOTHING) -> str:
    """``index.md`` over the active ``entries``. What is somebody's own stays: words below the title, and sections at
    the end."""
    active = sorted((entry for entry in entries if entry.active), key=_newest_first)
    blocks = [
        f"# {INDEX_TITLE}\n",
        *([f"{own.lead}\n"] if own.lead else []),
        "## Quick Navigation\n\n" + _lines(_NAVIGATE),
        _section("Recent Memories", _lines(_recent(entry) for entry in active[:RECENT])),
        _section("By Category", _groups(_by_category(active), _titled)),
        _section("By Topic", _groups(_by_topic(active), _topical)),
        "## JSON Index\n\n- [memory-index.json](../memory-index.json)\n",
        "## Statistics\n\n" + _statistics(active),
        *(f"{section}\n" for section in own.sections),
    ]
    return "\n".join(blocks)


def listing(entries: Iterable[IndexEntry], own: Owned = NOTHING) -> str:
    """``10-Memories/README.md``. What somebody wrote below ``## Navigation``, and sections of their own, stay."""
    active = sorted((entry for entry in entries if entry.active), key=lambda entry: (entry.id, entry.path))
    count = "1 memory" if len(active) == 1 else f"{len(active)} memories"
    navigation = own.bodies.get(NAVIGATION, "")
    blocks = [
        f"# {LIST_TITLE}\n",
        f"This folder holds {count}.\n",
        _section("Contents", "\n".join(map(_listed, active))),
        *(f"{section}\n" for section in own.sections),
        f"## {NAVIGATION}\n\n" + (f"{navigation}\n" if navigation else _DEFAULT_NAVIGATION),
    ]
    return "\n".join(blocks)


def inline(text: str) -> str:
    """``text``, a single line, with nothing in it that Markdown or Obsidian would obey."""
    return _MARKUP.sub(lambda found: "\\" + found.group(), text)


def target(path: str) -> str:
    """``path`` as the target of a link: letters of every script as they are, what could end the link encoded."""
    return _UNSAFE_IN_TARGET.sub(lambda found: quote(found.group(), safe=""), path)


def _newest_first(entry: IndexEntry) -> tuple[int, str, str]:
    return (-int(entry.created.replace("-", "") or 0), entry.id, entry.path)


def _link(entry: IndexEntry) -> str:
    return f"[{inline(entry.id)}](../{target(entry.path)})"


def _titled(entry: IndexEntry) -> str:
    return f"- {_link(entry)} - {inline(entry.title or entry.id)}"


def _recent(entry: IndexEntry) -> str:
    return f"{_titled(entry)} ({entry.created or 'undated'})"


def _topical(entry: IndexEntry) -> str:
    return f"- {_link(entry)} - {inline(entry.topic or entry.title or entry.id)}"


def _by_category(active: Iterable[IndexEntry]) -> dict[str, list[IndexEntry]]:
    """By category, the standard ones always and first."""
    groups: dict[str, list[IndexEntry]] = {name: [] for name in CATEGORIES}
    others: dict[str, list[IndexEntry]] = {}
    for entry in active:
        name = entry.category or UNCATEGORIZED
        (groups if name in groups else others).setdefault(name, []).append(entry)
    return {f"[{inline(name)}]": found for name, found in (groups | _sorted(others)).items()}


def _by_topic(active: Iterable[IndexEntry]) -> dict[str, list[IndexEntry]]:
    groups: dict[str, list[IndexEntry]] = {}
    for entry in active:
        groups.setdefault(entry.topic.strip("/").partition("/")[0] or UNCATEGORIZED, []).append(entry)
    return {f"{inline(name)}/": found for name, found in _sorted(groups).items()}


def _sorted(groups: Mapping[str, list[IndexEntry]]) -> dict[str, list[IndexEntry]]:
    return dict(sorted(groups.items()))


def _groups(groups: Mapping[str, Sequence[IndexEntry]], shown: Callable[[IndexEntry], str]) -> str:
    ordered = {name: sorted(found, key=lambda entry: (entry.id, entry.path)) for name, found in groups.items()}
    return "\n".join(_section(name, _lines(map(shown, found)), level=3) for name, found in ordered.items())


def _section(title: str, body: str, *, level: int = 2) -> str:
    return f"{'#' * level} {title}\n" + (f"\n{body}" if body else "")


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
    fields = {
        "Title": inline(entry.title or entry.id),
        "Topic": inline(entry.topic),
        "Tags": ", ".join(map(inline, entry.tags)),
        "Created": entry.created,
    }
    head = f"### [{inline(entry.id)}]({target(entry.path.removeprefix(f'{MEMORIES}/'))})\n\n"
    return head + "  \n".join(f"**{name}**: {value}".rstrip() for name, value in fields.items()) + "\n"
