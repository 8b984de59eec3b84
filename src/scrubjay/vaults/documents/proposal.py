"""A proposal as a document in ``00-Inbox``: what would be written, below the facts that somebody needs to decide.

The body is the text itself, verbatim, so that it is edited where it is read. Whoever has the vault can decide, in any
editor or door; a document that was damaged on the way says which line is wrong and leaves the others alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from pathlib import PurePosixPath

from scrubjay.errors import BadInput
from scrubjay.ids import is_id
from scrubjay.proposals import ACTIONS, Action, Proposal, Related, Target
from scrubjay.temporal import format_time, parse_time
from scrubjay.text import frontmatter
from scrubjay.text.frontmatter import REMOVE
from scrubjay.text.lines import split_lines
from scrubjay.text.slug import file_slug
from scrubjay.types import Document
from scrubjay.vaults.documents.fact import strings

FOLDER = "00-Inbox"
KIND = "proposal"
GUIDE = "<!-- Below is what would be written. Edit it here if you like; decide with `scrubjay inbox`. -->"

_TEXTS = ("rule", "title", "topic", "category", "summary", "memory_id", "source", "source_file", "origin")
_HASH = re.compile(r"[0-9a-f]{64}")
_LINES = re.compile(r"(\d{1,9})-(\d{1,9})")
_RELATED = re.compile(r"(\d{1,3}) %(?: \(([^()]*)\))?(?:, recall (\d\.\d+))?(?:: (.*))?", re.DOTALL)


def path_for(proposal: Proposal) -> str:
    """Where ``proposal`` waits: ``00-Inbox/<plan>-<key>.md``."""
    return f"{FOLDER}/{file_slug(proposal.plan or proposal.id, 'plan')}-{file_slug(proposal.key, 'proposal')}.md"


def write(proposal: Proposal) -> str:
    """The document of ``proposal``; ``read`` gives the same one back."""
    values = {name: value for name, value in _fields(proposal).items() if value is not REMOVE}
    return frontmatter.compose(values, f"\n{GUIDE}\n{proposal.body}\n")


def revise(text: str, proposal: Proposal) -> str:
    """``text`` with the fields and the body of ``proposal``; fields that somebody added stay."""
    start = frontmatter.parse(text).body_start
    place = text.find(GUIDE, start)
    between = text[start:place] if place >= 0 else "\n"
    return f"{frontmatter.set_values(text[:start], _fields(proposal))}{between}{GUIDE}\n{proposal.body}\n"


def read(document: Document, *, scope: str = "") -> Proposal:
    """The proposal in ``document``. Raises ``BadInput`` naming file, line and field when it cannot be one."""
    parsed = frontmatter.parse(document.text)
    if parsed.problems:
        flaw = parsed.problems[0]
        raise _damaged(document, flaw.line, flaw.message)
    values = parsed.values
    try:
        return Proposal(
            id=_id(values),
            key=_required(values, "key"),
            action=_action(values.get("action")),
            body=_body(document.text[parsed.body_start :]),
            tags=strings(values.get("tags")),
            key_terms=strings(values.get("key_terms")),
            tokens=_number(values.get("tokens"), "tokens"),
            targets=tuple(_targets(values.get("targets"))),
            related=tuple(_related(values.get("related"))),
            cautions=_list(values.get("cautions"), "cautions"),
            values=_mapping(values.get("values"), "values"),
            source_lines=_span(values.get("source_lines")),
            plan=_text(values, "plan"),
            created=_time(values.get("created")),
            scope=scope,
            path=document.path,
            redacted=(),
            **{name: _text(values, name) for name in _TEXTS},
        )
    except _WrongFieldError as error:
        raise _damaged(document, _line_of(document.text, error.field), f"`{error.field}` {error.message}") from None


def is_proposal(document: Document) -> bool:
    """Whether ``document`` claims to be a proposal, damaged or not."""
    return frontmatter.parse(document.text).string("kind") == KIND


def stem(path: str) -> str:
    """The id of the memory at ``path``: its file name (SM-3)."""
    return PurePosixPath(path).name.removesuffix(".md")


class _WrongFieldError(BadInput):
    """A field that does not hold what it must hold."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def _fields(proposal: Proposal) -> dict[str, object]:
    """The frontmatter in its order; ``REMOVE`` for what says nothing."""
    first, last = proposal.source_lines
    values: dict[str, object] = {
        "kind": KIND,
        "action": proposal.action,
        "rule": proposal.rule,
        "title": proposal.title,
        "topic": proposal.topic,
        "category": proposal.category,
        "tags": list(proposal.tags),
        "cautions": list(proposal.cautions),
        "targets": {target.path: [target.hash, target.title] for target in proposal.targets},
        "related": {related.path: _related_line(related) for related in proposal.related},
        "values": dict(proposal.values),
        "summary": proposal.summary,
        "key_terms": list(proposal.key_terms),
        "tokens": proposal.tokens,
        "memory_id": proposal.memory_id,
        "source": proposal.source,
        "source_file": proposal.source_file,
        "source_lines": f"{first}-{last}",
        "origin": proposal.origin,
        "created": format_time(proposal.created),
        "plan": proposal.plan,
        "key": proposal.key,
        "id": proposal.id,
    }
    return {name: REMOVE if value in ("", [], {}) else value for name, value in values.items()}


def _body(text: str) -> str:
    """The text below the guide; all of it where somebody took the guide out."""
    _, guide, below = text.partition(GUIDE)
    body = re.sub(r"\A[ \t]*\r?\n", "", below) if guide else text.lstrip("\r\n")
    return re.sub(r"\r?\n\Z", "", body)


def _targets(value: object) -> list[Target]:
    targets = []
    for path, item in _mapping(value, "targets").items():
        parts = item if isinstance(item, list) else [item]
        hash, title = (*map(str, parts), "")[:2] if parts else ("", "")
        if not _HASH.fullmatch(hash):
            raise _WrongFieldError("targets", f"gives no SHA-256 for {path}.")
        targets.append(Target(id=stem(path), path=path, hash=hash, title=title))
    return targets


def _related_line(related: Related) -> str:
    shared = f" ({', '.join(related.shared)})" if related.shared else ""
    score = "" if related.score is None else f", recall {related.score:.3f}"
    return f"{related.overlap * 100:.0f} %{shared}{score}: {related.title}"


def _related(value: object) -> list[Related]:
    found = []
    for path, line in _mapping(value, "related").items():
        match = _RELATED.fullmatch(str(line))
        if match is None:
            raise _WrongFieldError("related", f"is not like `80 % (term, term): Title` for {path}.")
        percent, shared, score, title = match.groups()
        found.append(
            Related(
                id=stem(path),
                path=path,
                title=title or "",
                overlap=min(int(percent), 100) / 100,
                score=float(score) if score else None,
                shared=strings(shared),
            )
        )
    return found


def _id(values: Mapping[str, object]) -> str:
    id = _text(values, "id")
    if not is_id(id):
        raise _WrongFieldError("id", "is missing or is no id of 26 letters and digits.")
    return id


def _action(value: object) -> Action:
    word = str(value or "").strip().upper()
    for action in ACTIONS:
        if action == word:
            return action
    raise _WrongFieldError("action", f"must be one of {', '.join(ACTIONS)}, not {str(value)[:40]!r}.")


def _required(values: Mapping[str, object], name: str) -> str:
    text = _text(values, name)
    if not text:
        raise _WrongFieldError(name, "is missing.")
    return text


def _text(values: Mapping[str, object], name: str) -> str:
    value = values.get(name)
    if isinstance(value, list | Mapping):
        raise _WrongFieldError(name, "must be one line of text.")
    if value is None:
        return next((str(field.default) for field in fields(Proposal) if field.name == name and name in _TEXTS), "")
    return str(value)


def _list(value: object, name: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise _WrongFieldError(name, "must be a list.")
    return tuple(str(item) for item in value)


def _mapping(value: object, name: str) -> dict[str, object]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise _WrongFieldError(name, "must be a block of `name: value` lines.")
    return dict(value)


def _number(value: object, name: str) -> int:
    if value is None:
        return 0
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _WrongFieldError(name, "must be a whole number.")
    return value


def _span(value: object) -> tuple[int, int]:
    if value is None:
        return (1, 1)
    match = _LINES.fullmatch(str(value).strip())
    if match is None:
        raise _WrongFieldError("source_lines", "must be like 15-42.")
    return int(match.group(1)), int(match.group(2))


def _time(value: object) -> datetime | None:
    if value in (None, ""):
        return None
    try:
        return parse_time(str(value))
    except BadInput:
        raise _WrongFieldError("created", f"is no time: {str(value)[:40]!r}.") from None


def _line_of(text: str, field: str) -> int:
    for number, line in enumerate(split_lines(text), start=1):
        if line.partition(":")[0].strip().strip("\"'") == field:
            return number
    return 1


def _damaged(document: Document, line: int, message: str) -> BadInput:
    return BadInput(
        f"{document.path}, line {line}: {message.rstrip('.')}.",
        hint="Mend that line in an editor; nothing else waits for it.",
    )
