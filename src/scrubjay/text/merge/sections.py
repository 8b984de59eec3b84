"""Three versions of a body brought together, section by section.

Going by headings keeps apart what two people wrote into different sections, also where line stands beside line: two
sections that were added at the end of a document are both kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from scrubjay.text import markdown
from scrubjay.text.merge.lines import merged_lines

Key = tuple[tuple[str, ...], int]


def merged_body(base: str, first: str, second: str) -> str | None:
    """The body with what each side changed of ``base``; ``None`` when they contradict each other."""
    if first in (second, base):
        return second
    if second == base:
        return first
    before, one, other = _blocks(base), _blocks(first), _blocks(second)
    if len(other) > len(one):
        one, other, first = other, one, second
    texts: dict[Key, str] = {}
    for key in _order(one, other):
        text = _merged_block(before.get(key), one.get(key), other.get(key))
        if text is None:
            return None
        if text.strip() or not key[0]:
            texts[key] = text
    ending = first[len(first.rstrip("\n")) :]
    return _joined(texts) + (ending if any(texts.values()) else "")


def _blocks(body: str) -> dict[Key, str]:
    """The heading and own text of each section, without the empty lines below it, by its path of headings."""
    found = markdown.sections(body)
    seen: Counter[tuple[str, ...]] = Counter()
    start = next((section.start for section in found if section.level), len(body))
    blocks: dict[Key, str] = {((), 0): body[:start].rstrip("\n")}
    for section in found:
        if section.level:
            blocks[section.path, seen[section.path]] = body[section.start : section.own_end].rstrip("\n")
            seen[section.path] += 1
    return blocks


def _order(one: Mapping[Key, str], other: Mapping[Key, str]) -> list[Key]:
    """The sections of ``one`` in their order, each further one of ``other`` behind the one that it stands behind."""
    order = list(one)
    place = 0
    for key in other:
        if key in one:
            place = order.index(key)
        else:
            place += 1
            order.insert(place, key)
    return order


def _merged_block(before: str | None, one: str | None, other: str | None) -> str | None:
    """The text of one section; empty when it was taken out, ``None`` for a contradiction.

    What one side took out while the other changed it stays.
    """
    if one in (other, before):
        return other or ""
    if other == before:
        return one or ""
    if one is None or other is None:
        return one or other or ""
    if before is None:
        return one if one.startswith(other) else other if other.startswith(one) else None
    lines = merged_lines(before.split("\n"), one.split("\n"), other.split("\n"))
    return None if lines is None else "\n".join(lines)


def _joined(texts: Mapping[Key, str]) -> str:
    """The sections with an empty line between them; what stands before the first heading keeps its empty lines."""
    head, *rest = texts.values() if ((), 0) in texts else ("", *texts.values())
    return "\n\n".join([*([head] if head else []), *rest])
