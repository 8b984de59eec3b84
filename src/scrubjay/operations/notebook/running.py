"""What sessions leave in an agent's notebook: the statements learned from them, a topic file a kind (CC-E1, CC-E4).

Statements come from the facts that were extracted and proved by a quotation, so that nothing is read twice and nothing
recalled is learned again (F105). They go into one file for each kind of memory, a line a statement: a file for each
would push everything else out of MEMORY.md. What is superseded loses its line, what a person or the agent wrote stays,
and a line that somebody took out does not come back. Each run is one operation.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from scrubjay.errors import NotFound
from scrubjay.operations.editing import Edits, editing
from scrubjay.operations.extract.judging import same_words
from scrubjay.operations.learn.differences import Statements
from scrubjay.operations.notebook import listing, writing
from scrubjay.operations.store import Store
from scrubjay.temporal import now
from scrubjay.text import secrets
from scrubjay.types import Fact
from scrubjay.vaults.dialects.claude_memory import topics
from scrubjay.vaults.dialects.claude_memory.topics import Topic

MOST = 20
"""Statements that one run adds at most; the others wait for the next one."""
_MARK = "notebook:run"
_KEPT = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A topic file for statements of some categories (case folded)."""

    name: str
    type: str
    description: str
    categories: frozenset[str]


FAMILIES = (
    Family(
        name="learned-about-the-user",
        type="user",
        description="Who the user is and what they prefer, as they said in sessions",
        categories=frozenset({"identity", "preference"}),
    ),
    Family(
        name="learned-ways-of-working",
        type="feedback",
        description="How to work here, and what went wrong before, as said in sessions",
        categories=frozenset({"process", "failuremode"}),
    ),
    Family(
        name="learned-decisions",
        type="project",
        description="What was decided about the project, as said in sessions",
        categories=frozenset({"decision", "fact"}),
    ),
    Family(
        name="learned-infrastructure",
        type="reference",
        description="Machines, services and addresses, as named in sessions",
        categories=frozenset({"infrastructure"}),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """What a run did: ``added`` and ``dropped`` statements, the ``paths`` written, the ``operation`` that undo takes.

    ``reason`` says why nothing was written where something could have been.
    """

    added: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    operation: str = ""
    waiting: int = 0
    reason: str = ""


def run(store: Store, facts: Sequence[Fact], gone: Sequence[Fact], *, known: str, asked: bool = False) -> Noted:
    """Brings the topic files up to ``facts``, which hold, and ``gone``, which were replaced or taken back.

    ``known`` is what the project's instructions say: it is not written again. Unless ``asked``, nothing is written
    while somebody else wrote in the notebook since the last run: the agent is at it itself (CC-E1).
    """
    writing.require_notebook(store)
    done, seen = _marks(store)
    newest = max((entry.mtime_ns for entry in store.vault.entries()), default=0)
    if not asked and seen and newest > seen:
        _note(store, done, newest)
        return Noted(reason="The agent has written in its notebook itself since.")
    fresh = [fact for fact in facts if fact.id not in done and _family(fact) is not None and _sayable(fact)]
    fresh = [fact for fact in fresh if not _said(fact, known)][: MOST + 1_000]
    chosen, waiting = fresh[:MOST], max(0, len(fresh) - MOST)
    old = {fact.text for fact in gone}
    added: list[str] = []
    dropped: list[str] = []
    paths: list[str] = []
    with editing(store, writing.VERB, "Noted what sessions said") as edits:
        for family in FAMILIES:
            mine = [fact for fact in chosen if _family(fact) is family]
            path = _bring_up(store, edits, family, mine, old, added, dropped)
            paths += [path] if path else []
    settled = done | {fact.id for fact in chosen}
    newest = max((entry.mtime_ns for entry in store.vault.entries()), default=0)
    _note(store, settled, newest)
    operation = edits.id if paths else ""
    return Noted(added=tuple(added), dropped=tuple(dropped), paths=tuple(paths), operation=operation, waiting=waiting)


def _bring_up(
    store: Store,
    edits: Edits,
    family: Family,
    fresh: Sequence[Fact],
    old: Iterable[str],
    added: list[str],
    dropped: list[str],
) -> str:
    """Writes one topic file; its path, or nothing where nothing changed."""
    try:
        document = writing.find(store, family.name)
    except NotFound:
        document = None
    body = topics.read(document).body if document is not None else ""
    lines = [line for line in body.split("\n") if line.strip()] if body.strip() else []
    over = set(old)
    kept = [line for line in lines if _statement(line) not in over]
    new = [fact for fact in fresh if not any(same_words(fact.text, _statement(line)) for line in kept)]
    if len(kept) == len(lines) and not new:
        return ""
    dropped += [_statement(line) for line in lines if _statement(line) in over]
    added += [fact.text for fact in new]
    text = "\n".join([*kept, *map(_line, new)])
    topic = Topic(name=family.name, description=family.description, type=family.type, body=text, modified=now())
    if document is None:
        path = edits.create(f"{family.name}.md", topics.written(topic)).path
    else:
        path = document.path
        listing.checked(document.text, path)
        edits.replace(document, topics.changed(document.text, modified=now(), body=f"{text}\n", path=path))
    listing.put(edits, store, path, replace(topic, body=""))
    return path


def _line(fact: Fact) -> str:
    at = fact.valid.start or fact.recorded.start
    return f"- {at:%Y-%m-%d}: {fact.text}" if at else f"- {fact.text}"


def _statement(line: str) -> str:
    """What a line says, without its mark and its date."""
    said = line.strip().removeprefix("- ")
    return said[12:] if said[:4].isdigit() and said[10:12] == ": " else said


def _family(fact: Fact) -> Family | None:
    category = fact.category.casefold()
    return next((family for family in FAMILIES if category in family.categories), None)


def _sayable(fact: Fact) -> bool:
    """Whether it was said in a session, on one line, without a secret."""
    return fact.source.kind == "session" and "\n" not in fact.text and not secrets.scan(fact.text)


def _said(fact: Fact, known: str) -> bool:
    return any(same_words(fact.text, statement.text) for statement in Statements(known).all) if known else False


def _marks(store: Store) -> tuple[frozenset[str], int]:
    try:
        kept = json.loads(store.index.mark(_MARK) or "{}")
        return frozenset(map(str, kept.get("done", ()))), int(kept.get("seen", 0))
    except (ValueError, AttributeError, TypeError):
        return frozenset(), 0


def _note(store: Store, done: Iterable[str], seen: int) -> None:
    with store.index.writing():
        store.index.set_mark(_MARK, json.dumps({"done": sorted(done)[-_KEPT:], "seen": seen}))
