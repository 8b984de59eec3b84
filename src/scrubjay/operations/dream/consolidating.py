"""What would make a notebook better: proposals, each with its reason, the surest first (CC-D3).

Nothing is written here. What differs in a number, a date, a name or its meaning is never merged; a memory is never
retired for its age.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo

from scrubjay.errors import ScrubjayError
from scrubjay.ids import derived_id, new_id
from scrubjay.operations.dream import corrections, dates, doubles, overview
from scrubjay.operations.learn.differences import in_one_line
from scrubjay.operations.notebook import listing, worth
from scrubjay.operations.store import Store
from scrubjay.proposals import Action, ContentMap, Plan, Proposal, Target
from scrubjay.types import Document, Fact
from scrubjay.vaults.dialects.claude_memory import host, topics
from scrubjay.vaults.dialects.claude_memory.topics import Topic
from scrubjay.vaults.documents.proposal import stem

ORIGIN = "dream"
MOST_RETIRED = 5
"""Memories that one dream may take out of the notebook at most, whatever its cap (F1)."""


@dataclass(slots=True)
class Gathered:
    """What is there: the memories by path, with their documents, the index, and what could not be read."""

    memories: dict[str, Topic] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)
    index: Document | None = None
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """The plan, the keys of what is safe to accept alone, how many more there were, and remarks for a person."""

    plan: Plan
    safe: frozenset[str]
    left: int
    remarks: tuple[str, ...]
    looked_at: int


def gather(store: Store) -> Gathered:
    """Reads every memory once. One that cannot be read safely is left alone and named (F30, F108)."""
    found = Gathered(index=listing.document_of(store))
    for path in listing.memories(store):
        try:
            document = store.vault.read(path)
            listing.checked(document.text, path)
        except ScrubjayError as error:
            found.remarks.append(f"{path} is left alone: {error.message}")
            continue
        topic = topics.read(document)
        if topic.problems or not document.exact:
            found.remarks.append(f"{path} is left alone: {next(iter(topic.problems), 'it is not UTF-8')}.")
            continue
        found.memories[path], found.documents[path] = topic, document
    return found


def propose(
    store: Store,
    *,
    now: datetime,
    zone: tzinfo,
    cap: int,
    last: datetime | None,
    facts: Sequence[Fact] = (),
    team: Mapping[str, Topic] | None = None,
) -> Proposed:
    """The plan of one dream: at most ``cap`` proposals, of which at most ``MOST_RETIRED`` take a memory out.

    ``last`` is the end of the dream before: what was written since is the only text whose "yesterday" is sure to be
    the day of its file. ``facts`` are those that our own vaults hold, ``team`` the memories of the team.
    """
    found = gather(store)
    made = [*_index(store, found, now), *_doubles(store, found, now), *_personal_copies(found, team or {})]
    taken = {target.path for _, proposal in made for target in proposal.targets}
    made += (each for each in _texts(found, zone, last, facts) if each[1].targets[0].path not in taken)
    chosen, left = _within(made, cap)
    id = new_id()
    numbered = [
        (safe, replace(proposal, key=f"dream-{number:03}", plan=id, created=now))
        for number, (safe, proposal) in enumerate(chosen, start=1)
    ]
    plan = Plan(
        id=id,
        mode="dream",
        created=now,
        scope=store.scope,
        content=ContentMap(mode="dream", path=store.vault.name, files_scanned=len(found.memories)),
        proposals=tuple(proposal for _, proposal in numbered),
    )
    return Proposed(
        plan=plan,
        safe=frozenset(proposal.key for safe, proposal in numbered if safe),
        left=left,
        remarks=tuple(found.remarks),
        looked_at=len(found.memories),
    )


Found = tuple[bool, Proposal]


def _index(store: Store, found: Gathered, now: datetime) -> Iterator[Found]:
    if found.index is None:
        return
    try:
        listing.checked(found.index.text, host.INDEX_NAME)
    except ScrubjayError as error:
        found.remarks.append(error.message)
        return
    text, said, dead = overview.mended(store, found.index.text, at=now)
    if text != found.index.text:
        yield (
            dead <= MOST_RETIRED,
            _proposal("REPLACE", " ".join(said) or "The index was put in order.", [found.index], body=text),
        )


def _doubles(store: Store, found: Gathered, now: datetime) -> Iterator[Found]:
    known = worth.known(store, found.memories)
    rank = worth.values(known, worth.uses(store), now)
    for pair in doubles.doubles(found.memories, rank):
        documents = [found.documents[pair.stays], found.documents[pair.goes]]
        if pair.exact:
            yield True, _proposal("MERGE", "They say the same, word for word.", documents)
        else:
            rule = f"They share {pair.share:.0%} of their words and differ in no number, date or name."
            yield False, _proposal("MERGE", rule, documents)


def _personal_copies(found: Gathered, team: Mapping[str, Topic]) -> Iterator[Found]:
    """A personal copy of what the team knows goes; nothing personal ever goes to the team."""
    known = {in_one_line(topic.body): path for path, topic in team.items() if topic.body.strip()}
    for path, topic in found.memories.items():
        if (held := known.get(in_one_line(topic.body))) and topic.body.strip():
            rule = f"The team's memory has the same text: {host.TEAM}/{held}."
            yield False, _proposal("RETIRE", rule, [found.documents[path]])


def _texts(found: Gathered, zone: tzinfo, last: datetime | None, facts: Sequence[Fact]) -> Iterator[Found]:
    for path, topic in found.memories.items():
        document = found.documents[path]
        written = topic.modified or datetime.fromtimestamp(document.mtime_ns / 1e9, UTC)
        body = dates.dated(topic.body, written, zone)
        opposed = corrections.contradicted(body, written, facts)
        rules = []
        if body != topic.body:
            rules.append(f"Relative days got their dates, counted from {written.astimezone(zone):%Y-%m-%d}.")
        if opposed:
            body = corrections.marked(body, opposed)
            rules += [f"A newer fact says the opposite: {fact.text}" for _, fact in opposed]
        if rules and body != topic.body:
            safe = not opposed and last is not None and written > last
            text = _with_body(document, topic, body)
            yield safe, _proposal("REPLACE", " ".join(rules), [document], body=text)


def _with_body(document: Document, topic: Topic, body: str) -> str:
    """The text with another body and every other byte, the date of its writing included: it is still that old (F92)."""
    start = document.text.rfind(topic.body)
    return document.text[:start] + body + document.text[start + len(topic.body) :] if start >= 0 else document.text


def _within(made: Sequence[Found], cap: int) -> tuple[list[Found], int]:
    chosen: list[Found] = []
    retired = 0
    for safe, proposal in sorted(made, key=lambda each: not each[0]):
        goes = proposal.action in ("MERGE", "RETIRE")
        if len(chosen) == cap or (goes and retired == MOST_RETIRED):
            continue
        retired += goes
        chosen.append((safe, proposal))
    return chosen, len(made) - len(chosen)


def _proposal(action: Action, rule: str, documents: Sequence[Document], *, body: str = "") -> Proposal:
    targets = tuple(
        Target(id=stem(document.path), path=document.path, hash=document.hash, title=topics.read(document).name)
        for document in documents
    )
    return Proposal(
        id=derived_id(ORIGIN, action, *(part for target in targets for part in (target.path, target.hash)), body),
        key="",
        action=action,
        rule=rule,
        title=targets[0].title,
        body=body.removesuffix("\n"),
        targets=targets,
        origin=ORIGIN,
    )
