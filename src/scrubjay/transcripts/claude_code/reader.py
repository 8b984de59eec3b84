"""A transcript file of Claude Code: which session its path says it is, and its records as sessions (TR-1)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from pathlib import Path

from scrubjay.errors import BadInput
from scrubjay.transcripts import lines, places
from scrubjay.transcripts.claude_code import records
from scrubjay.transcripts.claude_code.conversation import File, drafts
from scrubjay.transcripts.claude_code.records import LINKED, Record
from scrubjay.transcripts.fields import first, listing, mapping, parse
from scrubjay.transcripts.reading import Context
from scrubjay.types import Session

_AGENT = "agent-"
_COMPACTION = "agent-acompact-"


def read(path: Path, context: Context, *, follow: bool = False) -> Iterator[Session]:
    """The sessions in ``path``, as far as they are new. Raises ``Refused`` or ``Unavailable``."""
    file = _file(path)

    own: set[Hashable] = set()

    def parsed(given: lines.Lines) -> lines.Parsed:
        own.clear()  # read again from its beginning, a file must not take its records for another's
        found = list(records.read(given, context.zone, context.report))
        resumed = given.since is not None
        back = resumed and file.kind == "main" and _reaches_back(found, given.since.mark if given.since else "")
        return lines.Parsed(drafts(found, file, context, own, resumed=resumed), back, _last(found))

    yield from lines.sessions(path, context, parsed, follow=follow)
    context.seen |= own


def read_document(path: Path, context: Context, *, follow: bool = False) -> Iterator[Session]:
    """The session in a JSON document with ``loglines``, as the web client exports it."""
    data = places.whole(path, follow=follow)
    context.report.files += 1
    try:
        document = mapping(parse(data))
    except BadInput as error:
        context.report.problem(path.name, error.message)
        return
    numbered = [lines.Line(index, index, mapping(one)) for index, one in enumerate(listing(document.get("loglines")))]
    found = list(records.read(numbered, context.zone, context.report))
    for draft in drafts(found, _file(path), context, context.seen):
        if session := draft.session(context.report):
            yield session


def _file(path: Path) -> File:
    """What the path says: the session's id, or the agent's and the session it worked for."""
    stem = path.stem
    if not stem.startswith(_AGENT):
        return File(session=stem)
    agent = stem.removeprefix(_AGENT)
    kind = "compaction" if stem.startswith(_COMPACTION) else "subagent"
    parts = path.absolute().parts
    parent = parts[parts.index("subagents") - 1] if "subagents" in parts[1:-1] else ""
    beside = mapping(_beside(path.with_suffix(".meta.json")))
    return File(session=stem, kind=kind, agent=agent, parent=parent, agent_type=first(beside, "agentType"))


def _beside(path: Path) -> object:
    try:
        return parse(places.small(path))
    except BadInput:
        return None


def _last(found: list[Record]) -> str:
    """The uuid of the last record that the conversation may go on from."""
    return next((one.uuid for one in reversed(found) if one.uuid and one.type in LINKED and not one.sidechain), "")


def _reaches_back(found: list[Record], mark: str) -> bool:
    """Whether a record goes on from another place than the last one: then older ones may be abandoned now."""
    here = {record.uuid for record in found}
    return any(
        record.parent and record.parent not in here and record.parent != mark and record.type in LINKED
        for record in found
        if not record.sidechain
    )
