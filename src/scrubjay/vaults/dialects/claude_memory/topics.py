"""Topic files: one memory a file, with what it is about in its frontmatter (CC-F2, XC-19, R-COM-3, R-COM-4, F30).

Two shapes are met: the type and the dates in a block ``metadata``, as the host writes them now, and flat at the top,
as it did before. Both are read, the first is written, and a file keeps the shape that it has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from scrubjay.errors import BadInput
from scrubjay.text import frontmatter
from scrubjay.text.lines import newline_of
from scrubjay.vaults.dialects.claude_memory import host

if TYPE_CHECKING:
    from scrubjay.types import Document

_METADATA = "metadata"
_ORIGIN = "originSessionId"
_NESTED = frozenset({"type", "modified", "branch", _ORIGIN})
# What a person puts above the frontmatter, such as a banner, keeps the host from reading it, and not us.
_PREFACE = re.compile(r"\ufeff?(?:<!--(?:(?!-->).)*-->[ \t]*(?:\r\n|\r|\n)\s*)+(?=---[ \t]*[\r\n])", re.DOTALL)
_UNSHOWN = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
_LONGEST_LINE = 1_000  # characters of a name or description; more is no line any more


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A memory as its file says it.

    ``description`` and ``type`` are ``None`` where the file does not say, or says no type that the host knows.
    ``branch`` is the only branch of the project on which the memory holds, where it says one (F103).
    ``flat`` tells the older shape of frontmatter, ``problems`` what could not be read, a sentence each with its line.
    """

    name: str
    description: str | None = None
    type: str | None = None
    body: str = ""
    modified: datetime | None = None
    origin_session: str = ""
    branch: str = ""
    flat: bool = False
    problems: tuple[str, ...] = ()


def read(document: Document) -> Topic:
    """The topic in ``document``; never fails. Without a name it is called as its file is."""
    return parsed(document.text, name=PurePosixPath(document.path).stem)


def parsed(text: str, *, name: str = "") -> Topic:
    """The topic in ``text``, called ``name`` where it does not say; never fails."""
    start = _preface(text)
    return _topic(text, start, frontmatter.parse(text[start:]), name)


def head(text: str) -> Topic:
    """The topic of which ``text`` is the beginning: frontmatter that does not end in it says nothing (CC-S1)."""
    start = _preface(text)
    front = frontmatter.parse(text[start:])
    return _topic(text, start, front, "") if front.present else Topic(name="")


def written(topic: Topic, *, flat: bool = False) -> str:
    """A new file for ``topic``, in the nested shape or, if asked for, the flat one."""
    inner: dict[str, object] = {}
    if topic.type is not None:
        inner["type"] = topic.type
    if topic.origin_session:
        inner[_ORIGIN] = one_line(topic.origin_session)
    if topic.branch:
        inner["branch"] = one_line(topic.branch)
    if topic.modified is not None:
        inner["modified"] = stamp(topic.modified)
    values: dict[str, object] = {"name": one_line(topic.name), "description": one_line(topic.description or "")}
    values |= inner if flat else {_METADATA: {"node_type": "memory", **inner}}
    body = topic.body.strip("\r\n")
    return frontmatter.compose(values, f"\n{body}\n" if body else "")


def changed(
    text: str,
    *,
    modified: datetime,
    name: str | None = None,
    description: str | None = None,
    type: str | None = None,
    body: str | None = None,
    branch: str | None = None,
    origin_session: str | None = None,
    path: str = "",
) -> str:
    """``text`` with what is given in place of what stands there, and ``modified`` stamped if it has frontmatter.

    All else keeps its bytes: other fields and their order, comments, line endings. What is the same already changes
    nothing, the date neither. A file without frontmatter gets some only where something for it is given. Raises
    ``BadInput``, naming ``path`` and the line, where the frontmatter cannot be read safely.
    """
    require_type(type)
    start = _preface(text)
    preface, rest = text[:start], text[start:]
    front = frontmatter.parse(rest)
    if front.problems:
        problem = _topic(text, start, front, "").problems[0]
        raise BadInput(f"{path or 'The file'} is left as it is: {problem}.", hint="Correct that line and try again.")
    wanted: dict[str, object] = {"name": name, "description": description, "type": type, "branch": branch}
    wanted[_ORIGIN] = origin_session
    fields = {_place(key, front.values): _line(value) for key, value in wanted.items() if value is not None}
    result = _with_body(rest, front.body_start, body)
    if not front.present:
        if not fields:
            return preface + result
        said = Topic(
            name=name or PurePosixPath(path).stem,
            description=description,
            type=type,
            branch=branch or "",
            origin_session=origin_session or "",
            modified=modified,
        )
        return f"{preface}{written(said)}\n{result.lstrip(chr(0xFEFF))}"
    result = frontmatter.set_values(result, fields)
    if result == rest:
        return text
    return preface + frontmatter.set_values(result, {_place("modified", front.values): stamp(modified)})


def stamp(moment: datetime) -> str:
    """``moment`` as the host writes it: UTC, milliseconds, ``Z`` (R-COM-6)."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def one_line(text: str) -> str:
    """``text`` as a name or description: one line, without what a terminal or a reader could be misled by."""
    line = " ".join(_UNSHOWN.sub("", text).split())
    return line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1].rstrip() + "…"


def _topic(text: str, start: int, front: frontmatter.Frontmatter, name: str) -> Topic:
    nested = _mapping(front.values.get(_METADATA))
    kind = _line(front.values.get("type")) or _line(nested.get("type"))
    above = text.count("\n", 0, start)
    return Topic(
        name=_line(front.values.get("name")) or name,
        description=_line(front.values.get("description")) or None,
        type=kind if kind in host.TYPES else None,
        body=text[start + front.body_start :],
        modified=_moment(nested.get("modified")) or _moment(front.values.get("modified")),
        branch=_line(nested.get("branch")) or _line(front.values.get("branch")),
        origin_session=_line(nested.get(_ORIGIN)) or _line(front.values.get(_ORIGIN)),
        flat=front.present and not isinstance(front.values.get(_METADATA), Mapping),
        problems=tuple(f"line {flaw.line + above} {flaw.message}" for flaw in front.problems),
    )


def require_type(type: str | None) -> None:
    """Raises ``BadInput`` unless ``type`` is one that the host knows, or none."""
    if type is not None and type not in host.TYPES:
        raise BadInput(f"{type!r} is no type of memory.", hint=f"Choose one of: {', '.join(host.TYPES)}.")


def _preface(text: str) -> int:
    match = _PREFACE.match(text[: host.HEAD_BYTES])
    return match.end() if match else 0


def _place(key: str, values: Mapping[str, object]) -> str:
    """Where the field ``key`` stands in a file with these ``values``, or belongs by the file's shape."""
    if key not in _NESTED or key in values or not isinstance(values.get(_METADATA), Mapping):
        return key
    return f"{_METADATA}.{key}"


def _with_body(text: str, start: int, body: str | None) -> str:
    if body is None:
        return text
    old = text[start:]
    if old.strip() == body.strip():
        return text
    newline = newline_of(text)
    gap = old[: len(old) - len(old.lstrip("\r\n"))]
    if start and text[start - 1] not in "\r\n":
        gap = newline  # the block was the last line, and without an end
    lines = body.strip("\r\n").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return text[:start] + gap + newline.join(lines) + newline


def _line(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return one_line(str(value))


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _moment(value: object) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(value))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
