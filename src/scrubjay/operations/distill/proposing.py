"""From scores to proposals: purge, merge, compress, refine, gc; at most so many a run (SM-45 … SM-49; F1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date

from scrubjay.errors import ScrubjayError
from scrubjay.ids import new_id
from scrubjay.operations.distill import compressing, links, refining
from scrubjay.operations.distill.report import Report, report
from scrubjay.operations.distill.scoring import IDEAL_TOKENS, LARGE, Score, overlap
from scrubjay.operations.indices import IndexEntry
from scrubjay.operations.store import Store
from scrubjay.proposals import Action, ContentMap, Plan, Proposal, Related, Target
from scrubjay.temporal import now
from scrubjay.text import frontmatter
from scrubjay.text.tokens import token_count
from scrubjay.types import Document

_NAMED = 3
"""So many memories are named in a sentence; of the others their number is told."""


def propose(store: Store, kind: str, *, cap: int, today: date | None = None) -> Plan:
    """What ``kind`` would do, at most ``cap`` proposals of it.

    The notices of the plan's map say how many candidates the cap left out, and which memories cannot be changed.
    """
    vault = _Vault(store, report(store, today=today))
    every = list(MAKERS[kind](vault))
    id, moment = new_id(), now()
    kept = [
        replace(one, key=f"{one.key}-{number:03}", plan=id, created=moment, scope=store.scope)
        for number, one in enumerate(every[:cap], 1)
    ]
    content = ContentMap(mode="distill", path=kind, notices=tuple(_notices(len(every) - len(kept), cap, vault.flawed)))
    return Plan(id=id, mode="distill", created=moment, scope=store.scope, content=content, proposals=tuple(kept))


@dataclass(slots=True)
class _Vault:
    """What proposals are made from. ``flawed`` says why memories that would be candidates are left alone."""

    store: Store
    found: Report
    flawed: list[str] = field(default_factory=list)

    def read(self, entry: IndexEntry) -> Document | None:
        """The memory, if it is there and may be changed."""
        document = self.at(entry.path)
        return document if document and self.sound(document) else None

    def at(self, path: str) -> Document | None:
        """The memory as it is."""
        try:
            return self.store.vault.read(path)
        except ScrubjayError:
            return None

    def sound(self, document: Document) -> bool:
        """Whether the memory may be changed; why not goes into ``flawed``."""
        from scrubjay.operations.gate import guards

        flaw = guards.flaw(document) or _unmarkable(document)
        if flaw:
            self.flawed.append(flaw)
        return not flaw


def _unmarkable(document: Document) -> str:
    """Why no field can be set in the frontmatter of a document that is sound otherwise; empty when one can."""
    if not frontmatter.parse(document.text).present:
        return f"{document.path} has no frontmatter"
    try:
        frontmatter.set_values(document.text, {"status": ""})
    except ScrubjayError as error:
        return f"{document.path}: {error.message.rstrip('.')}"
    return ""


def purge(vault: _Vault) -> Iterator[Proposal]:
    """Memories that nobody uses; first those that outlived their category, then by score (SM-45)."""
    linking = links.sources(vault.store)
    for score in sorted(vault.found.scores, key=lambda score: (-score.over, -score.composite, score.entry.id)):
        if score.purgeable and (document := vault.read(score.entry)):
            proposal = _proposal("RETIRE", "purge", score.entry, document, why_purge(score))
            yield replace(proposal, cautions=_linked(linking.get(score.entry.id, ())))


def merge(vault: _Vault) -> Iterator[Proposal]:
    """Pairs of one cluster that share most of their keywords (SM-46)."""
    for first, second in vault.found.pairs:
        one, other = vault.read(first), vault.read(second)
        if one is not None and other is not None:
            yield merging(first, one, second, other)


def compress(vault: _Vault) -> Iterator[Proposal]:
    """Memories that are far longer than the ideal, in a short form (SM-47)."""
    for score in vault.found.scores:
        if score.size > LARGE and (document := vault.read(score.entry)):
            short = compressing.compressed(document.text, score.entry.keywords)
            if short is None:
                vault.flawed.append(f"{document.path} would hardly get shorter")
                continue
            rule = why_long(score, short)
            yield replace(_proposal("COMPRESS", "compress", score.entry, document, rule), body=short)


def refine(vault: _Vault) -> Iterator[Proposal]:
    """Everything that is untidy (SM-48)."""
    yield from _refined(vault, asked=True)


def refine_alone(vault: _Vault) -> Iterator[Proposal]:
    """What needs nobody's judgement (SM-48, tier 1)."""
    yield from _refined(vault, asked=False)


def collect(vault: _Vault) -> Iterator[Proposal]:
    """Tombstones of a week and more (SM-49)."""
    linking = links.sources(vault.store)
    for entry, left in vault.found.retired:
        if left == 0 and (document := vault.read(entry)):
            why = f"It was retired on {entry.tombstoned_at} ({entry.tombstone_reason or 'no reason given'})."
            proposal = _proposal("DELETE", "gc", entry, document, why)
            yield replace(proposal, cautions=_linked(linking.get(entry.id, ())))


MAKERS: Mapping[str, Callable[[_Vault], Iterator[Proposal]]] = {
    "purge": purge,
    "merge": merge,
    "compress": compress,
    "refine": refine,
    "gc": collect,
    "auto": refine_alone,
}


def why_purge(score: Score) -> str:
    """Why a memory may go."""
    entry = score.entry
    if entry.retrieval_count == 0:
        used = f"Never retrieved in the {score.age} days since it was made"
    else:
        used = f"Last retrieved {score.idle} days ago ({entry.retrieval_count} times in all)"
    return f"{used}; {score.over} days past the time of a {entry.category}." if score.over else f"{used}."


def why_long(score: Score, short: str) -> str:
    """Why a memory should be shorter."""
    return f"It has {score.tokens:,} tokens, its short form {token_count(short):,}; {IDEAL_TOKENS} are ideal."


def merging(first: IndexEntry, one: Document, second: IndexEntry, other: Document) -> Proposal:
    """That ``second`` goes into ``first``."""
    mine = {word.casefold() for word in first.keywords}
    common = tuple(word for word in second.keywords if word.casefold() in mine)
    share = overlap(first.keywords, second.keywords)
    rule = f"{second.title or second.id} goes into it: their keywords overlap by {share:.0%} ({', '.join(common[:8])})."
    related = Related(id=second.id, path=other.path, title=second.title, overlap=share, shared=common)
    return replace(
        _proposal("MERGE", "merge", first, one, rule),
        targets=(_target(first, one), _target(second, other)),
        related=(related,),
        tokens=first.token_count + second.token_count,
    )


def refining_of(entry: IndexEntry, document: Document, *, asked: bool) -> Proposal | None:
    """What would be mended about one memory; ``None`` for nothing."""
    changes, why = refining.changes(document.text, asked=asked)
    if not changes:
        return None
    text = "; ".join(why)
    tags = changes.get("tags")
    return replace(
        _proposal("REFINE", "refine", entry, document, f"{text[:1].upper()}{text[1:]}."),
        values=changes,
        topic=str(changes.get("topic", entry.topic)),
        category=str(tags[0]) if isinstance(tags, list) else entry.category,
    )


def _refined(vault: _Vault, *, asked: bool) -> Iterator[Proposal]:
    for score in sorted(vault.found.scores, key=lambda score: score.entry.id):
        document = vault.at(score.entry.path)
        proposal = document and refining_of(score.entry, document, asked=asked)
        if document and proposal and vault.sound(document):
            yield proposal


def _proposal(action: Action, key: str, entry: IndexEntry, document: Document, rule: str) -> Proposal:
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
        source="distill",
        origin="distill",
    )


def _target(entry: IndexEntry, document: Document) -> Target:
    return Target(id=entry.id, path=document.path, hash=document.hash, title=entry.title)


def _linked(by: Iterable[str]) -> tuple[str, ...]:
    """The warning that links would lead to a tombstone (SM-45)."""
    names = sorted(set(by))
    if not names:
        return ()
    shown = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
    return (f"{shown} {'links' if len(names) == 1 else 'link'} to it.",)


def _notices(more: int, cap: int, flawed: list[str]) -> Iterator[str]:
    if more:
        what = "candidate is" if more == 1 else "candidates are"
        yield f"{more} more {what} left for the next run (at most {cap} a run)."
    reasons = list(dict.fromkeys(flawed))
    for reason in reasons[:_NAMED]:
        yield f"{reason}, so it is left alone."
    if len(reasons) > _NAMED:
        more = len(reasons) - _NAMED
        files = "file is" if more == 1 else "files are"
        yield f"{more} more {files} left alone; `scrubjay doctor` names those that are damaged."
