"""What a person decides: proposals, and changes to a memory that others read (design §2.5, XC-7; §13.13).

An agent proposes. Where its client can put a question before the user, the user is asked at once; where it cannot,
nothing is decided, and the answer says how to.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrubjay.errors import BadInput, NotFound, Refused, ScrubjayError
from scrubjay.interfaces.mcp import calls, threads, wording
from scrubjay.interfaces.mcp.answers import Answer
from scrubjay.interfaces.mcp.calls import Arguments, Insisted
from scrubjay.interfaces.mcp.keeper import Keeper
from scrubjay.proposals import Applied, Plan, Proposal
from scrubjay.types import Source

if TYPE_CHECKING:
    from scrubjay.interfaces.mcp.person import Person
    from scrubjay.memory import Memory

SHARED = "project"

ASKED = {
    "store": "write it as proposed; undo takes it back",
    "later": "leave it in the inbox",
    "discard": "move it to the trash",
}
SURE = {"yes": "do it", "no": "leave everything as it is"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """What a call that may need a person has at hand. ``folder`` is where paths may be learned from; ``inbox`` is the
    command with which a person decides in a terminal."""

    keeper: Keeper
    person: Person
    report: threads.Report
    source: Source
    insisted: Insisted
    folder: Path | None
    inbox: str


async def supersede_fact(caller: Caller, given: Arguments) -> Answer:
    """MX-7; what everybody in a project reads is changed with the user's consent only."""
    memory = await threads.read(caller.keeper.memory)
    shared = await threads.read(partial(_shared_text, memory, given["factId"].strip()))
    if shared:
        question = wording.shared_change("Replace a fact", shared, given["newContent"])
        if (refusal := await _consent(caller, question)) is not None:
            return refusal
    return await threads.write(partial(calls.supersede_fact, memory, given))


async def create_fact(caller: Caller, given: Arguments) -> Answer:
    """MX-8; a new fact is private, unless the settings send it where others read it: then the user is asked."""
    memory = await threads.read(caller.keeper.memory)
    held = await threads.read(partial(calls.near_duplicates, memory, given, caller.insisted))
    if held is not None:
        return held
    scope = SHARED if _goes_to_project(memory) else None
    if scope is not None:
        question = wording.shared_change("Add a fact", "", given["content"])
        if (refusal := await _consent(caller, question)) is not None:
            return refusal
    return await threads.write(partial(calls.create_fact, memory, given, source=caller.source, scope=scope))


async def learn(caller: Caller, given: Arguments) -> Answer:
    """Proposes what to keep of a text or file; it waits in the inbox until the user has decided."""
    memory = await threads.read(caller.keeper.memory)
    if not caller.person.carried:
        plan = await threads.work(partial(_planned, memory, given, caller.folder), caller.report)
        plan = await threads.write(partial(memory.keep, plan))
        waiting = [proposal for proposal in plan.proposals if proposal.path]
        if not waiting:
            return wording.nothing_new(plan)
        return await _asked(caller, memory, plan.scope, waiting)
    scope, ids = caller.person.carried.get("scope"), caller.person.carried.get("ids")
    if not isinstance(scope, str) or not isinstance(ids, list):
        raise BadInput("The answer belongs to another question.", hint="Call learn again.")
    waiting = await threads.read(partial(_named, memory, [str(id) for id in ids]))
    return await _asked(caller, memory, scope, waiting)


async def review(caller: Caller, given: Arguments) -> Answer:
    """Lists what waits, or lets the user accept or reject some of it."""
    memory = await threads.read(caller.keeper.memory)
    ids = given.get("ids", [])
    if given["action"] == "list":
        return wording.inbox(await threads.read(memory.inbox), caller.inbox)
    if not ids:
        raise BadInput(f"Which proposals does the user want to {given['action']}?", hint="Give ids that list shows.")
    chosen = await threads.read(partial(_named, memory, ids))
    if not caller.person.reachable:
        return wording.waits(chosen, caller.inbox, lead="Nothing was decided: only the user decides")
    verb = "Store" if given["action"] == "accept" else "Throw away"
    question = wording.question(verb, chosen, _scopes(chosen))
    if await caller.person.choose(question, SURE, print=_print(chosen)) != "yes":
        return wording.waits(chosen, caller.inbox, lead="The user did not agree")
    if given["action"] == "accept":
        return await _accepted(caller, memory, chosen)
    return wording.discarded(chosen, await threads.write(partial(_reject, memory, chosen)))


async def _asked(caller: Caller, memory: Memory, scope: str, waiting: Sequence[Proposal]) -> Answer:
    """Asks about proposals that wait and does what is answered; without an answer they go on waiting."""
    if not caller.person.reachable:
        return wording.waits(waiting, caller.inbox, lead="The user could not be asked from here")
    question = wording.question("Keep", waiting, [scope])
    choice = await caller.person.choose(
        question, ASKED, scope=scope, ids=[one.id for one in waiting], print=_print(waiting)
    )
    if choice == "store":
        return await _accepted(caller, memory, waiting)
    if choice == "discard":
        return wording.discarded(waiting, await threads.write(partial(_reject, memory, waiting)))
    return wording.waits(waiting, caller.inbox, lead="The user did not decide yet")


async def _accepted(caller: Caller, memory: Memory, waiting: Sequence[Proposal]) -> Answer:
    applied = [await threads.write(partial(_apply, memory, scope, waiting)) for scope in _scopes(waiting)]
    return wording.applied(applied, waiting, caller.inbox)


async def _consent(caller: Caller, question: str) -> Answer | None:
    """``None`` when the user agrees to a change that others will read, else what to tell the agent."""
    if not caller.person.reachable:
        raise Refused(
            "Everybody who has the project reads this; it is changed only when the user says so.",
            hint="The user can do it in a terminal, with `scrubjay remember --scope project` or `scrubjay supersede`.",
        )
    if await caller.person.choose(question, SURE) == "yes":
        return None
    data = {"status": "declined", "stored": False}
    return Answer(text="The user did not agree; nothing was changed.", data=data)


def _planned(memory: Memory, given: Arguments, folder: Path | None, progress: threads.Progress) -> Plan:
    text, path = given.get("text"), given.get("path")
    if (text is None) == (path is None):
        raise BadInput("learn needs either text or path.", hint="Give the words as text, or a file or folder as path.")
    if text is not None:
        return memory.learn(text=text, cwd=folder, progress=progress)
    place = _inside(folder, str(path))
    return memory.learn(place, cwd=folder, progress=progress)


def _inside(folder: Path | None, path: str) -> Path:
    """``path`` below ``folder``, links resolved: an agent is not led to read what lies elsewhere (F112)."""
    hint = "The user can learn from any place in a terminal with `scrubjay learn PATH`."
    if folder is None:
        raise Refused("This server does not belong to a project, so that no files are learned from here.", hint=hint)
    if "\0" in path:
        raise BadInput("path holds a NUL character.")
    place = (folder / path).resolve()
    if not place.is_relative_to(folder.resolve()):
        raise Refused("The path leads out of the project.", hint=hint)
    if not place.exists():
        raise NotFound("There is no file or folder of that name in the project.", hint="Check the path.")
    return place


def _named(memory: Memory, ids: Sequence[str]) -> list[Proposal]:
    """The proposals with these ids. Numbers are no ids here: a list changes while somebody thinks."""
    known = {proposal.id: proposal for proposal in memory.inbox()}
    missing = [id for id in ids if id not in known]
    if missing:
        raise NotFound(f"No proposal with the id {missing[0][:40]!r} waits.", hint="See review with action list.")
    return [known[id] for id in ids]


def _scopes(proposals: Sequence[Proposal]) -> list[str]:
    return list(dict.fromkeys(proposal.scope for proposal in proposals))


def _apply(memory: Memory, scope: str, waiting: Sequence[Proposal]) -> Applied:
    """Carries out what was shown; what somebody changed since is not the same any more and goes on waiting."""
    shown = {proposal.id: proposal for proposal in waiting if proposal.scope == scope}
    plan = memory.waiting_plan(scope, list(shown))
    meant = tuple(replace(shown[proposal.id], key=proposal.key) for proposal in plan.proposals)
    return memory.apply(replace(plan, proposals=meant).decide("accept"))


def _print(waiting: Sequence[Proposal]) -> str:
    """A fingerprint of what is decided about, so that an answer counts only for what was shown."""
    said = [(one.id, one.action, one.title, one.topic, one.category, one.body, one.targets) for one in waiting]
    return hashlib.sha256(repr(said).encode("utf-8", "replace")).hexdigest()


def _reject(memory: Memory, waiting: Sequence[Proposal]) -> list[str]:
    return [memory.reject(proposal.id).id for proposal in waiting]


def _shared_text(memory: Memory, id: str) -> str:
    """What the fact ``id`` says if everybody in the project reads it, else nothing."""
    try:
        fact = memory.history(id)[-1]
    except ScrubjayError:
        return ""  # what is wrong with the id is said when it is used
    return fact.text if fact.scope == SHARED else ""


def _goes_to_project(memory: Memory) -> bool:
    scopes: Mapping[str, Any] = memory.scopes
    return SHARED in scopes and (len(scopes) == 1 or memory.settings.write.default_scope == SHARED)
