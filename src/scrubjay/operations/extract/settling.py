"""Statements compared with what is known, and stored in a private vault: one operation, which one undo takes back.

A model is asked before the lock is taken; inside it the rules compare once more, since somebody may have written
meanwhile (F54), and each statement knows those before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scrubjay.errors import ScrubjayError
from scrubjay.operations import facts
from scrubjay.operations.editing import Edits, editing
from scrubjay.operations.extract import placing
from scrubjay.operations.extract.evidence import Evidence
from scrubjay.operations.extract.judging import RuleJudge
from scrubjay.operations.extract.known import Gone, near
from scrubjay.operations.extract.reader import STORED, Found, Outcome, Reader
from scrubjay.operations.store import Store
from scrubjay.temporal import now
from scrubjay.types import Fact, Verdict

SURE = 0.7
"""Confidence from which on a statement may take the place of a fact; below it both stand and the conflict is named."""

_RULES = RuleJudge()


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a model said about a statement, and which facts it was shown."""

    verdict: Verdict
    shown: frozenset[str]


def settle(
    store: Store,
    evidence: Sequence[Evidence],
    reader: Reader,
    gone: Gone,
    *,
    room: int,
    title: str,
    dry_run: bool = False,
) -> list[Found]:
    """Stores what is new in ``evidence``, at most ``room`` facts, and says what became of each.

    With ``dry_run`` nothing is written, and the answer is what would be, as far as it can be told beforehand.
    """
    found = [_let_go(store, one, gone) for one in evidence]
    fresh = [one for one, done in zip(evidence, found, strict=True) if done is None]
    if not fresh:
        return [done for done in found if done is not None]
    opinions = _opinions(store, fresh, reader)
    if dry_run:
        told = iter(_foretold(store, fresh, opinions, room))
        return [done or next(told) for done in found]
    stored = 0
    with editing(store, "extract", f"Learned from {title}") as edits:
        for place, one in enumerate(evidence):
            done = found[place] or _settled(store, edits, one, opinions.get(one.fact.id), room - stored)
            found[place] = done
            stored += done.outcome in STORED
    return [done for done in found if done is not None]


def result(store: Store, one: Evidence, outcome: Outcome, *, reason: str = "", id: str = "", other: str = "") -> Found:
    """What became of one statement."""
    return Found(
        candidate=one.candidate,
        session=one.fact.source.ref,
        at=one.message.at,
        outcome=outcome,
        reason=reason,
        id=id or one.fact.id,
        other=other,
        scope=store.scope,
    )


def _let_go(store: Store, one: Evidence, gone: Gone) -> Found | None:
    """What can be said of a statement before it is compared: it was stored once, or somebody let go of it."""
    if store.index.record(one.fact.id) is not None:
        return result(store, one, "known")
    if gone.holds(one.fact.id, one.fact.text, one.fact.valid.start if one.dated else None):
        return result(store, one, "gone", reason="it was forgotten, retracted or rejected")
    return None


def _opinions(store: Store, evidence: Sequence[Evidence], reader: Reader) -> dict[str, Opinion]:
    if isinstance(reader.judge, RuleJudge):
        return {}
    opinions = {}
    for one in evidence:
        if known := _near(store, one):
            verdict = reader.judge.compare(one.candidate, known)
            opinions[one.fact.id] = Opinion(verdict, frozenset(fact.id for fact in known))
    return opinions


def _near(store: Store, one: Evidence) -> list[Fact]:
    return near(store, one.candidate, at=one.fact.valid.start or now(), tags=one.fact.tags)


def _verdict(store: Store, one: Evidence, opinion: Opinion | None) -> Verdict:
    """The rules', unless a model that saw the same facts says otherwise; what it names must still be there."""
    verdict = _RULES.compare(one.candidate, _near(store, one))
    if opinion is None or verdict.relation == "duplicate" or (verdict.fact_id and verdict.fact_id not in opinion.shown):
        return verdict
    named = opinion.verdict.fact_id
    return verdict if named and (named not in opinion.shown or store.index.record(named) is None) else opinion.verdict


def _settled(store: Store, edits: Edits, one: Evidence, opinion: Opinion | None, room: int) -> Found:
    try:
        with edits.attempt():
            return _placed(store, edits, one, opinion, room)
    except ScrubjayError as error:
        return result(store, one, "refused", reason=str(error))


def _placed(store: Store, edits: Edits, one: Evidence, opinion: Opinion | None, room: int) -> Found:
    verdict = _verdict(store, one, opinion)
    fact = replace(one.fact, category=facts.spelling(store, one.fact.category), scope=store.scope)
    outcome, reason = _foreseen(store, one, verdict, room)
    if outcome in ("capped", "refused") or (outcome == "known" and not _earlier(store, one, verdict)):
        return result(store, one, outcome, reason=reason, id=verdict.fact_id, other=verdict.fact_id)
    if outcome in ("new", "conflict"):
        placed = placing.create(edits, fact)
        return result(store, one, outcome, reason=reason, id=placed.id, other=verdict.fact_id)
    placed = placing.place(store, edits, fact, verdict.fact_id, same=verdict.relation == "duplicate")
    return result(store, one, placed.how, reason=reason, id=placed.id, other=verdict.fact_id)


def _foreseen(store: Store, one: Evidence, verdict: Verdict, room: int) -> tuple[Outcome, str]:
    """What a verdict comes to."""
    if verdict.relation == "duplicate":
        return "known", verdict.reason
    if one.undone and verdict.relation != "new":
        return "refused", "it was said on a branch that was abandoned, and another fact says otherwise"
    if room <= 0:
        return "capped", "the limit of facts is reached"
    if verdict.relation == "new":
        return "new", ""
    if verdict.relation == "contradiction" or not one.dated or one.fact.confidence < SURE:
        return "conflict", verdict.reason
    later = any(placing.begins(version) > placing.begins(one.fact) for version in _versions(store, verdict.fact_id))
    return ("history" if later else "superseded"), verdict.reason


def _versions(store: Store, id: str) -> list[Fact]:
    return [version for version in facts.chain(store, id) if not version.retracted]


def _earlier(store: Store, one: Evidence, verdict: Verdict) -> bool:
    """Whether a known statement was said before it is known to have held; what was taken back widens nothing."""
    known = facts.get(store, verdict.fact_id)
    return one.dated and not one.undone and placing.begins(one.fact) < placing.begins(known)


def _foretold(store: Store, evidence: Sequence[Evidence], opinions: Mapping[str, Opinion], room: int) -> list[Found]:
    told: list[Found] = []
    texts: set[str] = set()
    stored = 0
    for one in evidence:
        key = facts.content_hash(one.fact.text)
        verdict = _verdict(store, one, opinions.get(one.fact.id))
        outcome, reason = _foreseen(store, one, verdict, room - stored)
        if key in texts:
            outcome = "known"
        told.append(result(store, one, outcome, reason=reason, id=verdict.fact_id, other=verdict.fact_id))
        texts.add(key)
        stored += outcome in STORED
    return told
