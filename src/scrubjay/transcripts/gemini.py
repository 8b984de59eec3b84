"""Gemini CLI (TR-30): a log of messages where a later one replaces an earlier, or one JSON document."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scrubjay.errors import BadInput
from scrubjay.ids import derived_id
from scrubjay.transcripts import fences, fields, lines, places
from scrubjay.transcripts.calls import blocks_text, call_text, is_recall, result_text
from scrubjay.transcripts.drafts import Draft, Piece, Said
from scrubjay.transcripts.fields import first, identifier, listing, mapping, moment, parse, text
from scrubjay.transcripts.reading import Context
from scrubjay.types import Session

SOURCE = "gemini"
_MESSAGES = frozenset({"user", "gemini", "model", "info", "error", "warning"})


def read(path: Path, context: Context, *, follow: bool = False) -> Iterator[Session]:
    """The session in ``path``, as far as it is new. Raises ``Refused`` or ``Unavailable``."""

    def parsed(given: lines.Lines) -> lines.Parsed:
        log = _Log(context)
        if given.since:
            log.take(given.first(), 0)
        for line in given:
            log.take(line.value, line.start)
        return lines.Parsed([log.draft(path, resumed=given.since is not None)], log.reaches_back)

    yield from lines.sessions(path, context, parsed, follow=follow)


def read_document(path: Path, context: Context, *, follow: bool = False) -> Iterator[Session]:
    """The session in a document with ``messages``. Raises ``Refused`` or ``Unavailable``."""
    data = places.whole(path, follow=follow)
    context.report.files += 1
    try:
        document = mapping(parse(data))
    except BadInput as error:
        context.report.problem(path.name, error.message)
        return
    log = _Log(context)
    log.patch(document)
    if session := log.draft(path).session(context.report):
        yield session


@dataclass(frozen=True, slots=True)
class _Kept:
    """A message as it stands: ``start`` is where it was last written, ``said`` where its words first were, and
    ``first`` where it first stood."""

    record: dict[str, Any]
    start: int
    said: int
    first: int


class _Log:
    """Messages by id in order of their first appearance, as patches and rewinds leave them."""

    def __init__(self, context: Context) -> None:
        self.about: dict[str, Any] = {}
        self.messages: dict[str, _Kept] = {}
        self.gone: list[tuple[str, _Kept]] = []
        self.reaches_back = False
        self._context = context

    def take(self, record: dict[str, Any], start: int) -> None:
        if "$set" in record:
            self.patch(mapping(record["$set"]), start)
        elif "$rewindTo" in record:
            self._rewind(identifier(record["$rewindTo"]))
        elif text(record.get("type")) in _MESSAGES:
            self._put(record, start)
        elif identifier(record.get("sessionId")):
            self.about.update(record)
        else:
            self._context.report.unfamiliar(record.get("type"))

    def patch(self, values: dict[str, Any], start: int = 0) -> None:
        """Metadata that changed; where it holds messages, they take the place of all."""
        self.about.update((key, value) for key, value in values.items() if key != "messages")
        if not isinstance(values.get("messages"), list):
            return
        before, self.messages = self.messages, {}
        for one in values["messages"]:
            record = mapping(one)
            if text(record.get("type")) in _MESSAGES:
                self._put(record, start, before)
            else:
                self._context.report.unfamiliar(record.get("type"))
        self.gone += [(id, kept) for id, kept in before.items() if id not in self.messages]
        self.reaches_back = True

    def _put(self, record: dict[str, Any], start: int, before: Mapping[str, _Kept] | None = None) -> None:
        id = identifier(record.get("id"))
        if not id:
            stamp = text(record.get("timestamp")) or f"@{start}"
            id = derived_id(stamp, _said(record))
        known = (self.messages if before is None else before).get(id)
        same = known is not None and _said(known.record) == _said(record)
        said, begun = (known.said if same else start, known.first) if known else (start, start)
        self.messages[id] = _Kept(record, start, said, begun)

    def _rewind(self, id: str) -> None:
        """Takes back message ``id`` and all that came later."""
        self.reaches_back = True  # a message that is repeated here may have been told before
        if id not in self.messages:
            return
        ids = list(self.messages)
        self.gone += [(later, self.messages.pop(later)) for later in ids[ids.index(id) :]]

    def draft(self, path: Path, *, resumed: bool = False) -> Draft:
        """The session as it stands after all that was taken."""
        kind = "subagent" if self.about.get("kind") == "subagent" else "main"
        draft = Draft(id=identifier(self.about.get("sessionId")) or path.stem, source=SOURCE, meta={"kind": kind})
        draft.started = moment(self.about.get("startTime"), self._context.zone)
        draft.meta["cwd"] = _folder(path, text(self.about.get("projectHash")), self._context)
        for id, kept in self.messages.items():
            draft.said += _messages(id, kept, draft, self._context)
        for id, kept in self.gone:
            was_told = replace(kept, start=kept.first, said=kept.first)
            for said in _messages(id, was_told, draft, self._context):
                said.kept, said.undone = False, True
                draft.said.append(said)
        self._name(draft, resumed=resumed)
        return draft

    def _name(self, draft: Draft, *, resumed: bool) -> None:
        prompt = next((said.pieces[0].text for said in draft.said if said.meta.get("is_human") and said.kept), "")
        if summary := first(self.about, "summary", "title"):
            draft.title, draft.meta["title_source"] = fields.title(summary), "summary"
        elif prompt and not resumed:
            draft.title, draft.meta["title_source"] = fields.title(prompt), "prompt"


def _messages(id: str, kept: _Kept, draft: Draft, context: Context) -> Iterator[Said]:
    """What was said in a record, then its calls and what they gave."""
    record, kind = kept.record, kept.record["type"]
    at = moment(record.get("timestamp"), context.zone)
    stripped = fences.strip_blocks(_said(record))
    context.report.dropped.update(stripped.removed)
    if stripped.text.strip():
        meta: dict[str, Any] = {"unclosed": sorted(set(stripped.unclosed))} if stripped.unclosed else {}
        pieces = [Piece(id, stripped.text, kept.said)]
        if kind == "user":
            yield Said(pieces, "user", at, meta=meta | {"is_human": draft.meta["kind"] == "main"})
        elif kind in ("gemini", "model"):
            model = first(record, "model")
            yield Said(pieces, "assistant", at, meta=meta | ({"model": model} if model else {}))
        else:
            yield Said(pieces, "system", at, meta=meta | {"is_human": False, "visible": False, "reason": kind})
    if thoughts := len(listing(record.get("thoughts"))):
        context.report.dropped["thinking"] += thoughts
    yield from _calls(id, listing(record.get("toolCalls")), kept.start, context)


def _calls(id: str, calls: Iterable[Any], start: int, context: Context) -> Iterator[Said]:
    for number, one in enumerate(calls):
        call = mapping(one)
        name, own = first(call, "name"), identifier(call.get("id")) or f"{id}#{number}"
        at = moment(call.get("timestamp"), context.zone)
        meta: dict[str, Any] = {"tool": fields.title(name)} if name else {}
        if is_recall(name):
            meta |= {"visible": False, "reason": "recall"}
        yield Said([Piece(own, call_text(name, call.get("args")), start)], "tool", at, id, meta=meta | {"part": "call"})
        given = result_text(call.get("result")) or text(call.get("resultDisplay"))
        stripped = fences.strip_blocks(given)
        context.report.dropped.update(stripped.removed)
        if stripped.text.strip():
            if call.get("status") == "error":
                meta = meta | {"is_error": True}
            piece = Piece(f"{own}#result", stripped.text, start)
            yield Said([piece], "tool", at, id, meta=meta | {"part": "result"})


def _said(record: dict[str, Any]) -> str:
    content = record.get("content")
    return blocks_text(content if isinstance(content, str | list) else [content])


def _folder(path: Path, digest: str, context: Context) -> str:
    """The project a transcript belongs to, from ``projects.json``: by the folder's name or by the path's digest."""
    parts = path.absolute().parts
    if "tmp" not in parts:
        return ""
    where = len(parts) - 1 - parts[::-1].index("tmp")
    slug = parts[where + 1] if where + 2 < len(parts) else ""
    file = Path(*parts[:where]) / "projects.json"
    key = f"gemini:{file}"
    if key not in context.notes:
        try:
            kept = mapping(parse(places.small(file)))
        except BadInput:
            kept = {}
        context.notes[key] = {text(folder): text(name) for folder, name in mapping(kept.get("projects", kept)).items()}
    for folder, name in context.notes[key].items():
        if slug and name == slug:
            return str(folder)
        hashed = hashlib.sha256(str(folder).encode("utf-8")).hexdigest()
        if hashed in (slug, digest):
            return str(folder)
    return ""
