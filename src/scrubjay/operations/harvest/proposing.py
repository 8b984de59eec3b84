"""What becomes of candidates: one rule for a task at work (SM-39), another for a finished one (SM-40).

Each proposal says which rule made it and how sure the agent was. Both rules look at keywords only, so a memory that is
about the same and says another number, another name or the opposite is never passed over (F15, F16).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from scrubjay.ids import new_id
from scrubjay.operations import indices
from scrubjay.operations.harvest import candidates as reading
from scrubjay.operations.harvest.candidates import Candidate
from scrubjay.operations.indices import IndexEntry
from scrubjay.operations.learn import matching
from scrubjay.operations.learn.differences import differences
from scrubjay.operations.learn.matching import Known, Shelf, Text
from scrubjay.operations.store import Store
from scrubjay.proposals import Action, ContentMap, Plan, Proposal, Related, Skipped, Target
from scrubjay.temporal import now
from scrubjay.text.graphemes import cut_before
from scrubjay.text.plain import first_sentence, plain_line
from scrubjay.text.slug import file_slug
from scrubjay.text.tokens import token_count
from scrubjay.vaults.documents import revision

SURE = 0.7
NOOP, UPDATE = 0.9, 0.6
TITLE, ARCHIVED_TITLE = 80, 60

_PRESELECTED = frozenset({"PATTERN", "CONFIG"})
_OFFERED = frozenset({"WORKFLOW", "TECHNIQUE"})
_PRESELECTED_FROM, _OFFERED_FROM = 0.8, 0.5
_NO_NAME = re.compile(r"[^\w-]+")  # combining marks, which an id of a memory has no room for
_PART = 36  # characters of a part of an id, so that the whole is a name for every file system


@dataclass(frozen=True, slots=True)
class _Vault:
    """The memories as both rules need them: what the overviews say, and what they say themselves."""

    entries: Mapping[str, IndexEntry]
    shelf: Shelf

    def memory(self, entry: IndexEntry) -> Known | None:
        return self.shelf.by_path.get(entry.path)


def harvest(
    store: Store, cwd: Path, *, task: int | None = None, archive: bool = False, everything: bool = False
) -> Plan:
    """What the candidates of ``task`` (of all tasks without one) would become.

    By itself a candidate counts from a confidence of 0.7 on, and one whose id the vault has is left out (SM-39). With
    ``archive`` the rule is that of a finished task: overlap of keywords decides between nothing, UPDATE and CREATE;
    what is less sure is offered, not recommended, and the rest only with ``everything`` (SM-40). Nothing is written.
    Raises ``NotFound`` without ``specs/``.
    """
    found = reading.find(cwd, task)
    vault = _Vault({entry.id: entry for entry in indices.entries(store)}, matching.shelf(store))
    proposals: list[Proposal] = []
    skipped = list(found.skipped)
    hidden = 0
    for candidate in found.all:
        if archive and not everything and tier(candidate) == 3:
            hidden += 1
            continue
        made = _archived(vault, candidate) if archive else _single(vault, candidate)
        if isinstance(made, Skipped):
            skipped.append(made)
        else:
            proposals.append(made)
    notices = [*found.notices]
    if hidden:
        notices.append(f"{hidden} less certain {'candidate is' if hidden == 1 else 'candidates are'} not shown.")
    return _plan(store, task, _named_apart(proposals), found, skipped, notices)


def tier(candidate: Candidate) -> int:
    """1 is recommended, 2 offered, 3 hidden (SM-40)."""
    if candidate.category in _PRESELECTED and candidate.confidence >= _PRESELECTED_FROM:
        return 1
    return 2 if candidate.category in _PRESELECTED | _OFFERED and candidate.confidence >= _OFFERED_FROM else 3


def memory_id(candidate: Candidate) -> str:
    """``MEM-<category>-<kw1>-<kw2>``, with ``unknown`` and ``general`` for keywords that are not there (SM-39)."""
    first, second = (*candidate.keywords[:2], *("unknown", "general")[len(candidate.keywords[:2]) :])
    parts = (candidate.category.lower() or "insight", first, second)
    return f"MEM-{'-'.join(_part(part) for part in parts)}"


def overlap(candidate: Candidate, entry: IndexEntry) -> float:
    """The share of the candidate's keywords that are keywords of ``entry`` (SM-40)."""
    mine = {word.casefold() for word in candidate.keywords}
    return len(mine & {word.casefold() for word in entry.keywords}) / len(mine) if mine else 0.0


def title_of(content: str, length: int) -> str:
    """The first sentence, cut between characters where it is longer than ``length``."""
    lines = (plain_line(line) for line in content.split("\n") if not line.lstrip().startswith(("```", "~~~")))
    first = first_sentence(next(filter(None, lines), "")) or " ".join(content.split())
    return first if len(first) <= length else first[: cut_before(first, length)].rstrip()


# --- the two rules ----------------------------------------------------------------------------------------------


def _single(vault: _Vault, candidate: Candidate) -> Proposal | Skipped:
    if candidate.confidence < SURE:
        return _left_out(candidate, f"confidence {candidate.confidence:.2f} is below {SURE}.")
    text = Text(revision.closed(candidate.content))
    if known := _said_already(vault.shelf, text):
        return _left_out(candidate, f"{known.id} says this already.")
    id = memory_id(candidate)
    sure = f"Its agent was {candidate.confidence:.0%} sure of it"
    topic = f"task-{candidate.task}" if candidate.task else ""
    entry = vault.entries.get(id)
    if entry is None:
        return _proposal(candidate, "CREATE", f"{sure}, and no memory is called {id}: CREATE.", id=id, topic=topic)
    memory = vault.memory(entry)
    apart = differences(text.statements, memory.statements, memory.title) if memory else ()
    if memory is None or not apart:
        return _left_out(candidate, f"{id} is there already{'' if entry.active else ', retired'}.")
    rule = f"{sure}. {id} is there already, but says something else: EXTEND."
    return _proposal(candidate, "EXTEND", rule, topic=topic, memory=memory, cautions=apart)


def _archived(vault: _Vault, candidate: Candidate) -> Proposal | Skipped:
    text = Text(revision.closed(candidate.content))
    if known := _said_already(vault.shelf, text):
        return _left_out(candidate, f"{known.id} says this already.")
    share, memory = _closest(vault, candidate)
    action, rule = _by_share(share, memory)
    cautions: tuple[str, ...] = ()
    if memory is not None and action != "CREATE":
        cautions = differences(text.statements, memory.statements, memory.title)
        if action == "SKIP" and cautions:
            action, rule = "UPDATE", f"{rule.removesuffix(': SKIP.')}, but it says something else: UPDATE."
        if action == "UPDATE":
            cautions = (*cautions, f"“{memory.title}” would be replaced; its text goes into the history.")
        if memory.flaw:
            cautions = (*cautions, f"Cannot be changed until somebody mends it: {memory.flaw}.")
    place = tier(candidate)
    if place > 1 and action != "SKIP":
        kind = candidate.category or "candidate without a category"
        reason = f"a {kind} with confidence {candidate.confidence:.2f} is for you to choose"
        action, rule = "SKIP", f"{rule.removesuffix('.')}. Offered, not recommended: {reason}."
    return _proposal(
        candidate,
        action,
        rule,
        topic=candidate.category.lower(),
        length=ARCHIVED_TITLE,
        memory=memory,
        share=share,
        cautions=cautions,
        source=f"Task {candidate.task}: {candidate.artifact}" if candidate.task else "",
    )


def _by_share(share: float, memory: Known | None) -> tuple[Action, str]:
    if memory is None:
        return "CREATE", "No memory has its keywords: CREATE."
    words = f"{share:.0%} of its keywords are those of {memory.id}"
    if share > NOOP:
        return "SKIP", f"{words}, more than {NOOP:.0%}: SKIP."
    if share > UPDATE:
        return "UPDATE", f"{words}, more than {UPDATE:.0%}: UPDATE."
    return "CREATE", f"{words}, not more than {UPDATE:.0%}: CREATE."


def _closest(vault: _Vault, candidate: Candidate) -> tuple[float, Known | None]:
    """The memory that has most of the keywords; the first by id of several."""
    best: tuple[float, Known | None] = (0.0, None)
    for id in sorted(vault.entries):
        entry = vault.entries[id]
        memory = vault.memory(entry) if entry.active else None
        share = overlap(candidate, entry) if memory else 0.0
        if share > best[0]:
            best = (share, memory)
    return best


def _said_already(shelf: Shelf, text: Text) -> Known | None:
    """The memory that holds this word for word (F21, F22)."""
    return shelf.same(text) or next((memory for memory in shelf.by_path.values() if text.within(memory)), None)


# --- putting a plan together ------------------------------------------------------------------------------------


def _proposal(
    candidate: Candidate,
    action: Action,
    rule: str,
    *,
    topic: str,
    id: str = "",
    length: int = TITLE,
    memory: Known | None = None,
    share: float = 0.0,
    cautions: Iterable[str] = (),
    source: str = "",
) -> Proposal:
    title = title_of(candidate.content, length)
    labels = dict.fromkeys(one.label for one in candidate.redacted)
    redacted = [f"Taken out, because it looks like a secret: {label}." for label in labels]
    target = memory if memory is not None and action in ("UPDATE", "EXTEND") else None
    return Proposal(
        id=new_id(),
        key="seg",
        action=action,
        rule=rule,
        title=title,
        body=candidate.content,
        topic=topic,
        category=candidate.category,
        summary=title,
        key_terms=candidate.keywords,
        tokens=token_count(candidate.content),
        targets=(Target(id=target.id, path=target.path, hash=target.document.hash, title=target.title),)
        if target
        else (),
        related=(Related(id=memory.id, path=memory.path, title=memory.title, overlap=round(share, 2)),)
        if memory
        else (),
        cautions=(*cautions, *redacted),
        memory_id=id,
        source=source or candidate.artifact,
        source_file=candidate.found,
    )


def _named_apart(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Two candidates of one run that would have the same id know of each other; the gate numbers the second."""
    first: dict[str, int] = {}
    named = []
    for number, proposal in enumerate(proposals, 1):
        earlier = first.setdefault(proposal.memory_id, number) if proposal.memory_id else number
        twin = f"seg-{earlier:03} would be called {proposal.memory_id} too; consider putting both into one."
        cautions = proposal.cautions if earlier == number else (*proposal.cautions, twin)
        named.append(replace(proposal, cautions=cautions))
    return named


def _plan(
    store: Store,
    task: int | None,
    proposals: Iterable[Proposal],
    found: reading.Candidates,
    skipped: list[Skipped],
    notices: list[str],
) -> Plan:
    id, moment = new_id(), now()
    numbered = tuple(
        replace(one, key=f"seg-{number:03}", plan=id, created=moment, scope=store.scope, origin="harvest")
        for number, one in enumerate(proposals, 1)
    )
    content = ContentMap(
        mode="harvest",
        path="specs" if task is None else f"specs, task {task}",
        total_tokens=sum(one.tokens for one in numbered),
        skipped=tuple(skipped),
        notices=tuple(notices),
        artifacts_reviewed=len(found.all),
        redacted=tuple(secret for candidate in found.all for secret in candidate.redacted),
    )
    return Plan(id=id, mode="harvest", created=moment, scope=store.scope, content=content, proposals=numbered)


def _left_out(candidate: Candidate, reason: str) -> Skipped:
    words = title_of(candidate.content, 40)
    return Skipped(path=candidate.artifact, reason=f"“{words}”: {reason}")


def _part(text: str) -> str:
    slug = _NO_NAME.sub("-", file_slug(text, "unknown"))
    return slug[:_PART].strip("-_") or "unknown"
