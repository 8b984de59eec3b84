"""What an agent is shown of the memories that were selected: fenced, with age and the standing of claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from scrubjay.errors import ScrubjayError
from scrubjay.operations.notebook import claims, freshness
from scrubjay.operations.notebook.claims import Claim, Standing
from scrubjay.operations.notebook.selecting import Selected
from scrubjay.operations.notebook.tree import Tree
from scrubjay.operations.recall.packing import INTRODUCTION
from scrubjay.operations.store import Store
from scrubjay.text import secrets
from scrubjay.text.fence import CLOSING, OPENING, harmless
from scrubjay.text.tokens import token_count
from scrubjay.types import Note
from scrubjay.vaults.documents import note as notes

NOWHERE = "There is no notebook here."
NOTHING = "Nothing in the notebook bears on the question."
UNSHOWN = "What bears on the question is not to be shown."

_CHARACTERS = 16  # a token is no longer than that on average; a word without end would otherwise count as one
_LEAST = 20  # tokens with which a memory can say anything
_MOST_STALE = 5
"""Things that are gone which are named one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memo:
    """A selected memory: its age in days, what it names with its standing, and its text (without frontmatter)."""

    selected: Selected
    title: str
    days: int
    note: str
    claims: tuple[Claim, ...]
    text: str

    @property
    def standing(self) -> Standing:
        """FRESH, STALE or UNVERIFIABLE (CC-F5)."""
        return claims.standing(self.claims)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The memories, and the block to put before an agent. ``left`` names those that are not shown, and why; ``reason``
    says why there are none (F73)."""

    memories: tuple[Memo, ...] = ()
    text: str = ""
    left: tuple[str, ...] = ()
    reason: str = ""


def show(
    stores: dict[str, Store],
    selected: Sequence[Selected],
    *,
    tree: Tree | None,
    now: datetime,
    zone: tzinfo,
    budget: int,
) -> Selection:
    """Reads what was selected. What is of low trust, or holds a secret, is never put before an agent (SEC-2, SEC-3)."""
    read, left = [], []
    for each in selected:
        folder = next((name for name in stores if name and each.filename.startswith(f"{name}/")), "")
        try:
            document = stores[folder].vault.read(each.filename.removeprefix(f"{folder}/") if folder else each.filename)
        except ScrubjayError as error:
            left.append(f"{each.filename}: {error.message}")
            continue
        note = notes.read(document)
        if note.trust == "low":
            left.append(f"{each.filename}: is of low trust")
        elif secrets.scan(document.text):
            left.append(f"{each.filename}: holds a secret; `scrubjay scan` says where")
        else:
            read.append((each, note))
    found = claims.check([note.body for _, note in read], tree)
    memories = [_memo(each, note, told, now, zone) for (each, note), told in zip(read, found, strict=True)]
    reason = "" if memories else UNSHOWN if left else NOTHING
    return Selection(memories=tuple(memories), text=_block(memories, budget), left=tuple(left), reason=reason)


def _memo(selected: Selected, note: Note, found: tuple[Claim, ...], now: datetime, zone: tzinfo) -> Memo:
    days = freshness.age(selected.written, now, zone)
    return Memo(
        selected=selected,
        title=note.title,
        days=days,
        note=freshness.note(days),
        claims=found,
        text=note.body.strip(),
    )


def _block(memories: Sequence[Memo], budget: int) -> str:
    """All of ``memories``, the longest ones cut so that they fit into ``budget`` tokens together."""
    entries = list(map(_entry, memories))
    left = budget - _size(_fenced([]))
    for count, place in enumerate(sorted(range(len(entries)), key=lambda place: _size(entries[place]))):
        entries[place] = _cut(entries[place], left // (len(entries) - count))
        left -= _size(entries[place])
    shown = [entry for entry in entries if entry]
    return _fenced(shown) if shown else ""


def _size(text: str) -> int:
    return max(token_count(text), len(text) // _CHARACTERS)


def _entry(memo: Memo) -> str:
    name = " ".join(harmless(memo.selected.filename).split())
    title = " ".join(harmless(memo.title).split())
    tag = f" [{_tag(memo)}]" if memo.claims else ""
    note = f"\n({memo.note})" if memo.note else ""
    return f"### {title} ({name}, written {freshness.said(memo.days)}){tag}{note}\n{harmless(memo.text)}\n"


def _tag(memo: Memo) -> str:
    """What became of what a memory names: what is gone by name, of the others how many are there."""
    stale = [f"{one.text} (now {one.now})" if one.now else one.text for one in memo.claims if one.standing == "STALE"]
    if stale:
        more = f" and {len(stale) - _MOST_STALE} more" if len(stale) > _MOST_STALE else ""
        return f"STALE: not there any more: {' '.join(harmless(', '.join(stale[:_MOST_STALE])).split())}{more}"
    fresh = sum(one.standing == "FRESH" for one in memo.claims)
    if fresh in (0, len(memo.claims)):
        return memo.standing
    return f"FRESH: {fresh} of the {len(memo.claims)} things it names were found"


def _fenced(entries: Sequence[str]) -> str:
    return "\n".join([OPENING, INTRODUCTION, *entries, CLOSING])


def _cut(entry: str, room: int) -> str:
    """``entry`` in at most ``room`` tokens, cut behind a word; nothing when there is next to no room."""
    if _size(entry) <= room:
        return entry
    low, high = 0, min(len(entry), max(room, 0) * _CHARACTERS)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _size(entry[:middle] + " …") <= room else (low, middle - 1)
    text = entry[:low]
    end = max(text.rfind(" "), text.rfind("\n"))
    text = text[:end] if end > low // 2 else text
    return f"{text.rstrip()} …\n" if room > _LEAST else ""
