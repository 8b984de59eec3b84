"""From a document to its searchable records: which kind it is, what pieces it has, which words stand for each piece.

The same function serves writes and syncs, so that an index rebuilt from the vault answers as the old one did.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count
from pathlib import PurePosixPath

from scrubjay.errors import BadInput
from scrubjay.ids import derived_id
from scrubjay.ports import CONTEXT_END, Index, IndexedDocument, IndexedRecord
from scrubjay.temporal import FIRST, now, parse_time
from scrubjay.text import analyze, frontmatter
from scrubjay.text.readable import readable
from scrubjay.text.segment import Segment, segment
from scrubjay.types import ALWAYS, Document, Fact, Interval, Note, Problem, Record
from scrubjay.vaults.documents import fact as facts
from scrubjay.vaults.documents import note as notes
from scrubjay.vaults.documents import proposal as proposals
from scrubjay.vaults.documents import revision
from scrubjay.vaults.documents import transcript as transcripts
from scrubjay.vaults.layout import SKELETON

# Raise it whenever the same document would give other records or lexemes: every index is then rebuilt.
VERSION = "6"
EPISODE = "episode"
TOMBSTONED = "tombstoned"  # the status of a memory that was retired and stays on disk (SM-45)
UTF_8 = frozenset({"utf-8", "utf-8-sig", "ascii"})
# What a list of other notes says is found in those notes (CC-F1).
_INDEX_NAME = "MEMORY.md"
_INDEX_LINES = re.compile(r"(?:^[ \t]*[-*+][ \t]+(?:\*\*)?\[[^\]\n]*\]\([^)\n]+\.md\).*\n?)+", re.MULTILINE)
_DESCRIPTION = re.compile(r"^description:[^\n]*", re.MULTILINE)
_MERGE_MARKER = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)
_LONG_MESSAGE = 2_000
CONTEXT_CHARACTERS = 300
TAKEN_BACK = 0.5  # the confidence in what was said on a branch that was abandoned (TR-5)

# Every section of a note carries what the note is called. These bound what a hostile one can multiply (characters).
_LINE = 300
_MOST_TAGS = 50
_MOST_ALIASES = 10


@dataclass(frozen=True, slots=True)
class Interpreted:
    """What a document means: its kind, its own id, its records with their lexemes, and what is wrong with it."""

    kind: str
    id: str
    records: tuple[IndexedRecord, ...]
    problems: tuple[Problem, ...]


def index_document(index: Index, document: Document, *, scope: str) -> Interpreted:
    """Interprets ``document`` and puts the result into ``index``. Only inside ``Index.writing``."""
    meant = interpret(document, scope=scope)
    entry = IndexedDocument(
        path=document.path,
        hash=document.hash,
        size=document.size,
        mtime_ns=document.mtime_ns,
        kind=meant.kind,
        id=meant.id,
    )
    index.put_document(entry, meant.records, meant.problems)
    return meant


def interpret(document: Document, *, scope: str) -> Interpreted:
    """The meaning of ``document``. Never fails: what cannot be read as what it claims to be is read as a note."""
    if SKELETON.get(document.path) == document.text:
        return Interpreted("skeleton", document.path, (), ())
    parsed = frontmatter.parse(document.text)
    problems = [Problem(path=document.path, line=line, message=message) for line, message in parsed.problems]
    problems += _byte_problems(document)
    kind = str(parsed.values.get("kind") or "note")
    if kind == facts.KIND:
        try:
            fact = facts.read(document, scope=scope)
            return Interpreted(kind, fact.id, (_fact_record(document, fact, parsed.body_start),), tuple(problems))
        except BadInput as error:
            reason = error.message.removeprefix(f"{document.path}: ")
            problems.append(Problem(path=document.path, line=1, message=reason))
    elif _should_be_a_fact(document.path):
        reason = f"lies in {facts.FOLDER} but is no fact: its frontmatter does not say `kind: {facts.KIND}`"
        problems.append(Problem(path=document.path, line=1, message=reason))
    if kind == transcripts.KIND:
        transcript = transcripts.read(document)
        records = tuple(_transcript_records(document, transcript, scope))
        return Interpreted(
            kind, transcripts.session_key(transcript.session), records, (*problems, *transcript.problems)
        )
    if kind == proposals.KIND and document.path.startswith(f"{proposals.FOLDER}/"):
        try:
            proposal = proposals.read(document, scope=scope)
            return Interpreted(kind, proposal.id, (), tuple(problems))
        except BadInput as error:
            reason = error.message.removeprefix(f"{document.path}, ")
            return Interpreted(
                kind, document.path, (), (*problems, Problem(path=document.path, line=1, message=reason))
            )
    if parsed.string("status") == TOMBSTONED:
        return Interpreted("tombstone", str(parsed.values.get("id") or document.path), (), tuple(problems))
    kind = kind if kind == EPISODE else "note"
    note = notes.read(document, scope=scope)
    own_id = str(parsed.values.get("id") or document.path)
    records = tuple(_note_records(document, note, own_id, kind, parsed.body_start))
    return Interpreted(kind, own_id, records, tuple(problems))


def _should_be_a_fact(path: str) -> bool:
    return path.startswith(f"{facts.FOLDER}/") and path.rpartition("/")[2].casefold() != "readme.md"


def _byte_problems(document: Document) -> Iterator[Problem]:
    if not document.exact or document.encoding not in UTF_8:
        yield Problem(path=document.path, line=1, message=f"not valid UTF-8 (read as {document.encoding})")
    if "\x00" in document.text:
        line = document.text.count("\n", 0, document.text.index("\x00")) + 1
        yield Problem(path=document.path, line=line, message="contains NUL bytes")
    marker = _MERGE_MARKER.search(document.text)
    if marker:
        line = document.text.count("\n", 0, marker.start()) + 1
        yield Problem(path=document.path, line=line, message="contains unresolved merge-conflict markers")


def _fact_record(document: Document, fact: Fact, body_start: int) -> IndexedRecord:
    at = fact.valid.start or fact.recorded.start
    record = Record(
        id=fact.id,
        layer="facts",
        path=document.path,
        text=fact.text,
        start=body_start,
        end=len(document.text),
        line=document.text.count("\n", 0, body_start) + 1,
        last_line=max(1, document.text.count("\n")),
        tags=fact.tags,
        category=fact.category,
        at=at,
        valid=fact.valid,
        recorded=fact.recorded,
        superseded_from=fact.superseded_from,
        supersedes=fact.supersedes,
        superseded_by=fact.superseded_by,
        retracted=fact.retracted,
        subject=fact.subject,
        predicate=fact.predicate,
        object=fact.object,
        confidence=fact.confidence,
        message_ids=fact.source.message_ids,
        native_type=fact.category,
        scope=fact.scope,
    )
    triple = " ".join(part for part in (fact.subject, fact.predicate, fact.object) if part)
    return _indexed(record, head=f"{fact.category} {' '.join(fact.tags)} {triple}", passage=fact.text)


def _transcript_records(document: Document, transcript: transcripts.Transcript, scope: str) -> Iterator[IndexedRecord]:
    session = transcript.session
    thread = transcripts.session_key(session)
    lines = _LineCounter(document.text)
    before: Record | None = None
    for seq, placed in enumerate(transcript.placed):
        message = placed.message
        if not message.text.strip() or document.text[placed.start : placed.end] == transcripts.FORGOTTEN:
            continue
        pieces = _message_pieces(message.text)
        for number, piece in enumerate(pieces):
            whole = len(pieces) == 1
            start = placed.start if whole else placed.start + piece.start
            end = placed.end if whole else min(placed.end, placed.start + piece.end)
            record = Record(
                id=derived_id(thread, message.id, str(number)),
                layer="chunks",
                path=document.path,
                text=piece.text,
                start=start,
                end=end,
                line=lines.at(start),
                last_line=lines.at(end),
                title=session.title[:_LINE],
                thread=thread,
                seq=seq * 1000 + number,
                role=message.role,
                speaker=message.speaker or "",
                message_ids=(message.id,),
                at=message.at or session.started,
                confidence=TAKEN_BACK if transcripts.is_dead(message) else 1.0,
                trust="low" if message.role == "tool" or transcripts.is_dead(message) else "normal",
                native_type=message.role,
                scope=scope,
            )
            passage = "" if message.role == "tool" else _spoken(record, before)
            before = record
            yield _indexed(record, head=record.speaker, passage=passage)


def _message_pieces(text: str) -> Sequence[Segment]:
    if len(text) <= _LONG_MESSAGE:
        return (Segment(text=text, start=0, end=len(text), line=1, last_line=1, headings=()),)
    return segment(text, kind="markdown")


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A part of a note, and when it was what the note says: ``valid`` is bounded for a version that was replaced."""

    start: int
    end: int
    at: datetime | None
    valid: Interval = ALWAYS

    @property
    def replaced(self) -> bool:
        return self.valid is not ALWAYS


def _note_records(document: Document, note: Note, own_id: str, kind: str, body_start: int) -> Iterator[IndexedRecord]:
    """The sections of a note. Those of older versions in its history stand in a thread of their own, are not valid any
    more, and get no vectors: they are found when somebody asks for what was replaced, or for how it was (``as_of``)."""
    whole = _whole_note(document, note, own_id, kind)
    aliases = (alias[:_LINE] for alias in facts.strings(note.extra.get("aliases"))[:_MOST_ALIASES])
    names = " ".join((whole.title, whole.topic.replace("/", " "), *whole.tags, *aliases))
    seen: dict[tuple[str, ...], int] = {}
    lines = _LineCounter(document.text)
    places = count()
    if described := _description(document.text[:body_start]):
        at = _past(note.modified, note.created)
        yield _described(replace(whole, seq=next(places), at=at), described, names, document.text)
    stretches = _stretches(document.text, note, body_start)
    if PurePosixPath(document.path).name == _INDEX_NAME:
        stretches = _without_index_lines(document.text, stretches)
    for part in stretches:
        before = lines.at(part.start) - 1
        for piece in segment(document.text[part.start : part.end], kind="markdown"):
            headings = tuple(heading[:_LINE] for heading in piece.headings)
            number = seen[headings] = seen.get(headings, 0) + 1
            said = readable(piece.text)
            if not said:
                continue
            record = replace(
                whole,
                id=derived_id(own_id, *headings, str(number)),
                text=piece.text,
                start=part.start + piece.start,
                end=part.start + piece.end,
                line=before + piece.line,
                last_line=before + piece.last_line,
                headings=headings,
                thread=f"{own_id} {revision.HISTORY}" if part.replaced else own_id,
                seq=next(places),
                at=part.at,
                valid=part.valid,
            )
            lead = " — ".join(dict.fromkeys((whole.title, *headings)))
            passage = "" if part.replaced else f"{lead}\n{said}"
            yield _indexed(record, head=" ".join((names, *headings)), passage=passage)


def _description(front: str) -> tuple[str, int, int] | None:
    """What a note says of itself in a field for that, with the place of the line: the words by which agents are to
    judge whether it bears on a question (CC-F2)."""
    found = _DESCRIPTION.search(front)
    said = frontmatter.parse(front).string("description").strip() if found else ""
    return (said[:_LINE], found.start(), found.end()) if found and said else None


def _described(whole: Record, said: tuple[str, int, int], names: str, text: str) -> IndexedRecord:
    description, start, end = said
    line = text.count("\n", 0, start) + 1
    record = replace(
        whole,
        id=derived_id(whole.id, "description"),
        text=description,
        start=start,
        end=end,
        line=line,
        last_line=line,
        thread=whole.id,
    )
    return _indexed(record, head=names, passage=f"{whole.title}\n{description}")


def _whole_note(document: Document, note: Note, own_id: str, kind: str) -> Record:
    """What all sections of a note have in common."""
    return Record(
        id=own_id,
        layer="episodes" if kind == EPISODE else "notes",
        path=document.path,
        text="",
        title=note.title[:_LINE],
        topic=note.topic[:_LINE],
        tags=tuple(tag[:_LINE] for tag in note.tags[:_MOST_TAGS]),
        category=note.native_type[:_LINE],
        trust=note.trust,
        native_type=note.native_type[:_LINE],
        scope=note.scope,
    )


def _stretches(text: str, note: Note, start: int) -> Iterator[_Stretch]:
    """What the note says, its older versions in between. A date that cannot be, or lies ahead, is none: nothing that
    was replaced passes for current, and nothing current for what is yet to be said."""
    at = _past(note.modified, note.created)
    for older in revision.older_versions(text):
        if start < older.start:
            yield _Stretch(start, older.start, at)
        valid = Interval(end=_past(older.replaced) or FIRST)
        yield _Stretch(older.start, older.end, _past(older.written), valid)
        start = older.end
    yield _Stretch(start, len(text), at)


def _without_index_lines(text: str, stretches: Iterable[_Stretch]) -> Iterator[_Stretch]:
    for part in stretches:
        start = part.start
        for listed in _INDEX_LINES.finditer(text, part.start, part.end):
            yield replace(part, start=start, end=listed.start())
            start = listed.end()
        yield replace(part, start=start)


def _past(*dates: str) -> datetime | None:
    """The first of ``dates`` that is one and has come."""
    moment = now()
    for date in dates:
        try:
            if (found := parse_time(date)) <= moment:
                return found
        except BadInput:
            continue
    return None


def _spoken(record: Record, before: Record | None) -> str:
    """A message as the encoder reads it: dated, with its speaker, after the end of what was said before it.

    Date, speaker and context are each worth points of recall: a short answer means little without its question.
    """
    when = f"[{record.at.day} {record.at:%B %Y}] " if record.at else ""
    who = f"{record.speaker}: " if record.speaker else ""
    own = f"{when}{who}{record.text}"
    if before is None:
        return own
    speaker = f"{before.speaker}: " if before.speaker else ""
    return f"{speaker}{before.text[-CONTEXT_CHARACTERS:]}{CONTEXT_END}{own}".replace("\x00", " ")


def _indexed(record: Record, *, head: str, passage: str) -> IndexedRecord:
    dates = analyze.date_lexemes(record.at) if record.at else []
    return IndexedRecord(
        record=record,
        head=[*analyze.lexemes(head), *dates],
        body=analyze.lexemes(readable(record.text)),
        passage=passage,
    )


class _LineCounter:
    """1-based lines of growing offsets in one pass."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._offset = 0
        self._line = 1

    def at(self, offset: int) -> int:
        if offset < self._offset:
            self._offset, self._line = 0, 1
        self._line += self._text.count("\n", self._offset, offset)
        self._offset = offset
        return self._line
