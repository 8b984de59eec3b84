"""Changing frontmatter line by line: only the lines of the named keys change (R-COM-4, F30)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from scrubjay.errors import BadInput
from scrubjay.text.frontmatter.block import Frontmatter, Span, locate, parse
from scrubjay.text.frontmatter.entries import Entry, nested_mapping, read_entry, split_entries
from scrubjay.text.frontmatter.style import format_entry
from scrubjay.text.lines import newline_of, split_lines


class _Remove:
    """The type of ``REMOVE``."""

    def __repr__(self) -> str:
        return "REMOVE"


REMOVE: Final = _Remove()
"""As a value in ``set_values``: takes the key away."""


def compose(values: Mapping[str, object], body: str) -> str:
    """A new document of frontmatter ``values`` and ``body``; ``parse`` reads exactly these back.

    A mapping as a value becomes a nested block. Raises ``BadInput`` for a value that frontmatter cannot hold.
    """
    lines = [line for name, value in values.items() for line in format_entry(name, value)]
    return "\n".join(["---", *lines, "---", body])


def set_values(text: str, changes: Mapping[str, object], *, create: bool = False, after: str = "") -> str:
    """``text`` with the keys of ``changes`` set or, where the value is ``REMOVE``, removed.

    ``"metadata.type"`` names a key inside the block ``metadata`` (unless the file has a key of that very name).
    Everything else keeps its bytes: other keys, their order, comments, line endings, body. A key that has the value
    already is left as it is written; new keys go behind the key ``after``, or to the end of the block where it has none
    of that name. A text without frontmatter is returned as it is unless ``create``. Raises ``BadInput``, naming the
    line, when the block cannot be read safely.
    """
    wanted = {name: value for name, value in changes.items() if value is not REMOVE}
    if not changes:
        return text
    front = parse(text)
    if front.problems:
        flaw = front.problems[0]
        raise BadInput(
            f"The frontmatter cannot be changed safely: line {flaw.line} {flaw.message}.",
            hint="Correct that line and try again.",
        )
    span = locate(text)
    if span is None:
        return _created(text, wanted) if create and wanted else text
    return _edited(text, span, front, changes, after)


def _created(text: str, wanted: Mapping[str, object]) -> str:
    newline = newline_of(text)
    lines: list[str] = []
    for name, value in wanted.items():
        lines = _change(lines, name, value, newline)
    return f"---{newline}{''.join(lines)}---{newline}{text}"


def _edited(text: str, span: Span, front: Frontmatter, changes: Mapping[str, object], after: str) -> str:
    inner = text[span.start : span.end]
    if inner.lstrip().startswith("{"):
        raise BadInput("The frontmatter is one mapping in braces (line 2), which is read but never rewritten.")
    lines = split_lines(inner)
    for name, value in changes.items():
        rest: list[str] = []
        if after and name not in front.values:
            place = next((entry.last for entry in split_entries(lines, _ignore) if entry.name == after), len(lines))
            lines, rest, after = lines[:place], lines[place:], name
        lines = [*_change(lines, name, value, newline_of(text)), *rest]
    result = text[: span.start] + "".join(lines) + text[span.end :]
    if result != text:
        _confirm(result, text, front, changes)
    return result


def _confirm(result: str, text: str, before: Frontmatter, changes: Mapping[str, object]) -> None:
    """Reads the edited text again: nothing but the named keys may have another meaning."""
    after = parse(result)
    named = set(changes) | {name.partition(".")[0] for name in changes}
    kept = {name: value for name, value in before.values.items() if name not in named}
    same = all(name in after.values and _same(after.values[name], value) for name, value in kept.items())
    if after.problems or not same or result[after.body_start :] != text[before.body_start :]:
        raise BadInput(f"The frontmatter cannot take {', '.join(sorted(changes))} without changing other lines.")


def _change(lines: list[str], name: str, value: object, newline: str, indent: str = "") -> list[str]:
    entries = split_entries(lines, _ignore)
    entry = next((entry for entry in entries if entry.name == name), None)
    if entry is not None:
        return _replace(lines, entry, value, newline, indent)
    parent, dot, child = name.partition(".")
    if dot and parent and child and not indent:
        return _change_nested(lines, entries, parent, child, value, newline)
    if value is REMOVE:
        return lines
    return [*lines, *_written(name, value, newline, indent=indent)]


def _replace(lines: list[str], entry: Entry, value: object, newline: str, indent: str) -> list[str]:
    if value is REMOVE:
        return lines[: entry.first] + lines[entry.last :]
    if _same(read_entry(lines, entry, _ignore), value):
        return lines
    written = _written(entry.name, value, newline, source=entry.source, indent=indent)
    return lines[: entry.first] + written + lines[entry.last :]


def _change_nested(
    lines: list[str], entries: Sequence[Entry], parent: str, child: str, value: object, newline: str
) -> list[str]:
    entry = next((entry for entry in entries if entry.name == parent), None)
    if entry is None:
        return lines if value is REMOVE else [*lines, *_written(parent, {child: value}, newline)]
    children = list(nested_mapping(lines, entry))
    if children:
        first = next(line for line in children if line.strip() and not line.lstrip().startswith("#"))
        inner = _change(children, child, value, newline, indent=first[: len(first) - len(first.lstrip(" \t"))])
        return lines[: entry.first + 1] + inner + lines[entry.last :]
    current = read_entry(lines, entry, _ignore)
    if current is not None and not isinstance(current, dict):
        raise BadInput(f"The frontmatter field {parent!r} holds a plain value, so {parent}.{child} cannot be set.")
    pairs = {**(current or {}), child: value}
    if value is REMOVE:
        del pairs[child]
        if pairs == (current or {}):
            return lines
    return lines[: entry.first] + _written(parent, pairs, newline, source=entry.source) + lines[entry.last :]


def _written(name: str, value: object, newline: str, *, source: str = "", indent: str = "") -> list[str]:
    return [line + newline for line in format_entry(name, value, source=source, indent=indent)]


def _same(one: object, other: object) -> bool:
    """Equality that tells 1 from true and 1.0, and takes tuples for lists."""
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return list(one) == list(other) and all(_same(one[key], other[key]) for key in one)
    return type(one) is type(other) and one == other


def _ignore(index: int, message: str) -> None:
    """Flaws were looked for before."""
