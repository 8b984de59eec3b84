"""From scores to proposals: purge, merge, compress, refine, gc; at most so many a run (SM-45 … SM-49; F1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime
from itertools import combinations

from scrubjay.errors import ScrubjayError
from scrubjay.ids import new_id
from scrubjay.operations import indices
from scrubjay.operations.distill import compressing, refining
from scrubjay.operations.distill.report import Report, cluster, report
from scrubjay.operations.distill.scoring import LARGE, Score
from scrubjay.operations.indices import IndexEntry
from scrubjay.operations.store import Store
from scrubjay.proposals import Action, ContentMap, Plan, Proposal, Target
from scrubjay.temporal import now
from scrubjay.text import markdown
from scrubjay.types import Document

PAIR = 0.6


def propose(store: Store, kind: str, *, cap: int, today: date | None = None) -> Plan:
    """What ``kind`` would do, at most ``cap`` proposals of it; the map's notices say what the cap left out."""
    found = report(store, today=today)
    makers: Mapping[str, Callable[[Store, Report], Iterator[Proposal]]] = {
        "purge": _purge,
        "merge": _merge,
        "compress": _compress,
        "refine": _refine,
        "auto": _refine_alone,
        "gc": _collect,
    }
    every = list(makers[kind](store, found))
    id, moment = new_id(), now()
    kept = [_numbered(proposal, number, id, moment, store.scope) for number, proposal in enumerate(every[:cap], 1)]
    more = len(every) - len(kept)
    notices = (f"{more} more candidates are left for the next run (at most {cap} a run).",) if more else ()
    content = ContentMap(mode="distill", path=kind, notices=notices)
    return Plan(id=id, mode="distill", created=moment, scope=store.scope, content=content, proposals=tuple(kept))


def _numbered(proposal: Proposal, number: int, plan: str, moment: datetime, scope: str) -> Proposal:
    return replace(
        proposal, key=f"{proposal.key}-{number:03}", plan=plan, created=moment, scope=scope, origin="distill"
    )


def _purge(store: Store, found: Report) -> Iterator[Proposal]:
    linked = _links(store)
    ranked = sorted(found.scores, key=lambda score: (-score.over, -score.composite, score.entry.id))
    for score in ranked:
        if score.purgeable and (document := _read(store, score.entry)):
            reasons = [f"not retrieved for {score.age} days" if score.unused else f"staleness {score.staleness:.2f}"]
            if score.over:
                reasons.append(f"{score.over} days past the time of a {score.entry.category}")
            by = linked.get(score.entry.id, ())
            cautions = (f"{', '.join(sorted(by))} links to it.",) if by else ()
            yield _proposal("RETIRE", "purge", score.entry, document, rule=f"{_sentence(reasons)}", cautions=cautions)


def _merge(store: Store, found: Report) -> Iterator[Proposal]:
    """Pairs of one cluster that share most of their keywords; a memory goes into one other at most."""
    clusters: dict[str, list[IndexEntry]] = {}
    for score in found.scores:
        clusters.setdefault(cluster(score.entry), []).append(score.entry)
    pairs = [
        (overlap, *_ranked(one, other))
        for members in clusters.values()
        for one, other in combinations(sorted(members, key=lambda entry: entry.id), 2)
        if (overlap := _overlap(one, other)) >= PAIR
    ]
    gone: set[str] = set()
    for overlap, first, second in sorted(pairs, key=lambda pair: (-pair[0], pair[1].id, pair[2].id)):
        if first.id in gone or second.id in gone:
            continue
        one, other = _read(store, first), _read(store, second)
        if one is None or other is None:
            continue
        gone.add(second.id)
        proposal = _proposal("MERGE", "merge", first, one, rule=f"Their keywords overlap by {overlap:.0%}.")
        yield _with(
            proposal, targets=(_target(first, one), _target(second, other)), values={"overlap": round(overlap, 2)}
        )


def _compress(store: Store, found: Report) -> Iterator[Proposal]:
    for score in found.scores:
        if score.size > LARGE and (document := _read(store, score.entry)):
            short = compressing.compressed(document.text, score.entry.keywords)
            if short is not None:
                rule = f"It has {score.entry.token_count} tokens, {score.size:.0%} above the ideal."
                yield _with(_proposal("COMPRESS", "compress", score.entry, document, rule=rule), body=short)


def _refine(store: Store, found: Report) -> Iterator[Proposal]:
    yield from _refined(store, found.scores, asked=True)


def _refine_alone(store: Store, found: Report) -> Iterator[Proposal]:
    """What needs nobody's judgement (SM-48, tier 1)."""
    yield from _refined(store, found.scores, asked=False)


def _refined(store: Store, scores: Iterable[Score], *, asked: bool) -> Iterator[Proposal]:
    for score in sorted(scores, key=lambda score: score.entry.id):
        document = _read(store, score.entry)
        if document is None:
            continue
        changes, why = refining.changes(document.text, asked=asked)
        if changes:
            yield _with(_proposal("REFINE", "refine", score.entry, document, rule=_sentence(why)), values=changes)


def _collect(store: Store, found: Report) -> Iterator[Proposal]:
    for entry, left in found.retired:
        if left == 0 and (document := _read(store, entry)):
            since = f"retired on {entry.tombstoned_at} ({entry.tombstone_reason or 'no reason given'})"
            yield _proposal("DELETE", "gc", entry, document, rule=f"It was {since}; the trash keeps it.")


def _proposal(
    action: Action, key: str, entry: IndexEntry, document: Document, *, rule: str, cautions: tuple[str, ...] = ()
) -> Proposal:
    return Proposal(
        id=new_id(),
        key=key,
        action=action,
        rule=rule,
        title=entry.title or entry.id,
        topic=entry.topic,
        category=entry.category,
        summary=entry.summary,
        key_terms=entry.keywords,
        tokens=entry.token_count,
        targets=(_target(entry, document),),
        cautions=cautions,
        source="distill",
    )


def _with(proposal: Proposal, **changes: object) -> Proposal:
    return replace(proposal, **changes)  # type: ignore[arg-type]


def _target(entry: IndexEntry, document: Document) -> Target:
    return Target(id=entry.id, path=document.path, hash=document.hash, title=entry.title)


def _ranked(one: IndexEntry, other: IndexEntry) -> tuple[IndexEntry, IndexEntry]:
    """The memory that stays, then the one that goes into it (SM-46)."""
    first, second = sorted((one, other), key=lambda entry: (-entry.retrieval_count, entry.created or "9999", entry.id))
    return first, second


def _overlap(one: IndexEntry, other: IndexEntry) -> float:
    mine, theirs = ({word.casefold() for word in entry.keywords} for entry in (one, other))
    if not mine or not theirs:
        return 0.0
    return max(len(mine & theirs) / len(mine), len(mine & theirs) / len(theirs))


def _links(store: Store) -> dict[str, set[str]]:
    """The memories that link to each memory, by id."""
    found: dict[str, set[str]] = {}
    for entry in indices.entries(store):
        document = _read(store, entry) if entry.active else None
        for link in markdown.wiki_links(document.text) if document else ():
            found.setdefault(link.target.partition("#")[0], set()).add(entry.id)
    return found


def _read(store: Store, entry: IndexEntry) -> Document | None:
    try:
        return store.vault.read(entry.path)
    except ScrubjayError:
        return None


def _sentence(parts: Iterable[str]) -> str:
    text = ", ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."
