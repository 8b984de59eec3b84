"""What a store knows that bears on a statement, and what it was told to let go of."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from scrubjay.errors import ScrubjayError
from scrubjay.operations.facts import content_hash, fact_of
from scrubjay.operations.store import Store
from scrubjay.ports import Filter
from scrubjay.temporal import now
from scrubjay.text.analyze import lexemes
from scrubjay.types import Candidate, Fact, Operation, Record
from scrubjay.vaults.documents import fact as documents
from scrubjay.vaults.documents import proposal as proposals

NEAREST = 20
"""Facts that a statement is compared with."""

_PERSONAL = frozenset({"Preference", "Identity"})


@dataclass(frozen=True, slots=True)
class Gone:
    """Facts and proposals that somebody forgot, retracted, rejected or undid: their ids, and until when each text."""

    ids: frozenset[str]
    texts: Mapping[str, datetime]

    def holds(self, id: str, text: str, said: datetime | None) -> bool:
        """Whether a statement was let go of, and nobody has said it anew since."""
        if id in self.ids:
            return True
        moment = self.texts.get(content_hash(text))
        return moment is not None and (said is None or said <= moment)


def gone(store: Store) -> Gone:
    """What ``store`` let go of, from its trash and its retracted facts; both survive a lost index."""
    ids: set[str] = set()
    texts: dict[str, datetime] = {}
    for operation in store.index.operations(sys.maxsize):
        for id, text in _retired(store, operation):
            ids.add(id)
            _note(texts, text, operation.at)
    for record in store.index.facts():
        if record.retracted:
            _note(texts, record.text, record.recorded.end or now())
    return Gone(frozenset(ids), texts)


def near(store: Store, candidate: Candidate, *, at: datetime, tags: Sequence[str]) -> list[Fact]:
    """The facts nearest to ``candidate`` that hold now, or held when it was said, best first (F88).

    What is about a thing rather than a person counts only within the same project: every project has a database.
    """
    found: dict[str, Record] = {}
    for moment in dict.fromkeys((now(), at)):
        where = Filter(layers=frozenset({"facts"}), as_of=moment, known_at=now())
        if candidate.subject:
            same = (
                record for record in store.index.facts_about(candidate.subject, where) if _related(record, candidate)
            )
            found |= {record.id: record for record in same}
        words = list(dict.fromkeys(lexemes(f"{candidate.text} {candidate.replaces or ''}")))
        keys = store.index.lexical(words, where, NEAREST) if words else []
        records = store.index.records(keys)
        found |= {records[key].id: records[key] for key in keys if key in records and records[key].id not in found}
    return [fact_of(record) for record in found.values() if _same_project(record, candidate, tags)]


def _related(record: Record, candidate: Candidate) -> bool:
    theirs, mine = (record.predicate or "").casefold(), (candidate.predicate or "").casefold()
    return bool(mine) and (theirs == mine or mine.endswith(f" {theirs}"))


def _same_project(record: Record, candidate: Candidate, tags: Sequence[str]) -> bool:
    if candidate.category in _PERSONAL or not tags or not record.tags:
        return True
    return bool(set(tags) & set(record.tags))


def _note(texts: dict[str, datetime], text: str, moment: datetime) -> None:
    key = content_hash(text)
    texts[key] = max(moment, texts.get(key, moment))


def _retired(store: Store, operation: Operation) -> list[tuple[str, str]]:
    """Ids and texts of the facts and proposals that an operation moved to the trash, unless they are back."""
    found = []
    for change in operation.changes if not operation.undone else ():
        if change.after is not None or not change.kept or not change.path.endswith(".md"):
            continue
        try:
            if change.path.startswith(f"{documents.FOLDER}/"):
                fact = documents.read(store.vault.read(change.kept))
                if store.index.record(fact.id) is None:
                    found.append((fact.id, fact.text))
            elif change.path.startswith(f"{proposals.FOLDER}/"):
                proposal = proposals.read(store.vault.read(change.kept))
                found.append((proposal.id, proposal.body))
        except ScrubjayError:
            continue  # what is damaged in the trash tells nothing
    return found
