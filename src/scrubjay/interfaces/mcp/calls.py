"""What each tool does with a memory. All of it is synchronous: the server calls it in threads."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scrubjay.errors import Conflict, NotFound, ScrubjayError
from scrubjay.interfaces.mcp import answers
from scrubjay.interfaces.mcp.answers import Answer
from scrubjay.types import Fact, Source

if TYPE_CHECKING:
    from scrubjay.interfaces.mcp.keeper import Keeper
    from scrubjay.memory import Memory

Arguments = Mapping[str, Any]

GRAPH = "No knowledge graph is set up for this memory."
INSTEAD = "Use search_memory: it finds facts, notes and conversations."
WHERE_IDS_ARE = "Look it up with search_memory or get_facts: their facts have ids."


def search_memory(keeper: Keeper, given: Arguments) -> Answer:
    """MX-3: facts and results, ranked together, so that their scores compare."""
    memory = keeper.memory()
    keeper.embed_few()
    warnings = keeper.warnings()
    most = given["topK"]
    found = memory.search(given["query"], limit=2 * most, explain=True)
    return answers.recalled(found, most=most, zone=memory.zone, warnings=warnings)


def search_semantic_memory(_keeper: Keeper, _given: Arguments) -> Answer:
    """MX-5, MX-10: without a graph a structured answer says so."""
    data: dict[str, Any] = {"available": False, "backend": "none", "reason": GRAPH, "facts": []}
    return Answer(text=f"{GRAPH} {INSTEAD}", data=data)


def get_facts(keeper: Keeper, given: Arguments) -> Answer:
    """MX-6: facts that hold now, newest first."""
    memory = keeper.memory()
    category = given.get("category")
    every = memory.facts()
    known = Counter(fact.category for fact in every)
    wanted = [fact for fact in reversed(every) if category is None or _same_category(fact, category)]
    return answers.listed(wanted, category=category, known=dict(known.most_common()), zone=memory.zone)


def supersede_fact(memory: Memory, given: Arguments) -> Answer:
    """MX-7: the old fact is kept and linked; the same text changes nothing."""
    id = given["factId"].strip()
    try:
        new = memory.supersede(id, given["newContent"])
    except NotFound:
        raise NotFound(f"No fact has the id {answers.one_line(id, 40)!r}.", hint=WHERE_IDS_ARE) from None
    except Conflict as error:
        return _not_current(memory, id, error)
    if new.action == "known":
        unchanged = {"status": "unchanged", "fact": answers.fact_data(new)}
        return Answer(text="Nothing was changed: the fact says exactly that already.", data=unchanged)
    lines = [f"Superseded: {id} stays in the history; this fact holds now:"]
    lines.append(answers.fenced([answers.fact_line(new, memory.zone)]))
    data: dict[str, Any] = {"status": "superseded", "fact": answers.fact_data(new), "superseded": id}
    if redacted := _redacted(new):
        data["redacted"] = redacted
        lines.append(f"Taken out before it was stored: {', '.join(redacted)}. Never store secrets.")
    return Answer(text="\n".join(lines), data=data)


def _not_current(memory: Memory, id: str, error: Conflict) -> Answer:
    """A fact that was superseded or retracted: what holds instead, by its id (MX-7)."""
    head = memory.history(id)[-1]
    if head.id == id or head.retracted:
        return failed(error)
    line = answers.fenced([answers.fact_line(head, memory.zone)])
    text = f"{error.message} Current is {head.id}; supersede that one if it is wrong:\n{line}"
    return Answer(text=text, data={"code": error.code, "current_id": head.id}, failed=True)


class Insisted:
    """Facts that were held back as near duplicates, so that the same call again stores them (MX-8)."""

    MOST = 256

    def __init__(self) -> None:
        self._held: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()

    def again(self, key: str) -> bool:
        """Whether ``key`` was held back before; it is forgotten then, and else held back now."""
        with self._lock:
            if key in self._held:
                del self._held[key]
                return True
            self._held[key] = None
            while len(self._held) > self.MOST:
                self._held.popitem(last=False)
            return False


def near_duplicates(memory: Memory, given: Arguments, insisted: Insisted) -> Answer | None:
    """MX-8: facts in nearly the same words, with advice, instead of a second copy; ``None`` when it may be stored."""
    near = memory.similar(given["content"])
    if not near or insisted.again(given["content"].strip()):
        return None
    advice = (
        "Nothing was stored: nearly the same is known. If one of these changed, call supersede_fact with its id. If the"
        " new statement is true beside them, send the same create_fact call again."
    )
    data = {
        "status": "near_duplicate",
        "stored": False,
        "near_duplicates": [answers.fact_data(fact) for fact in near],
        "advice": advice,
    }
    return Answer(text=f"{advice}\n{_fenced(memory, near)}", data=data)


def create_fact(memory: Memory, given: Arguments, *, source: Source, scope: str | None = None) -> Answer:
    """Stores a statement and says what was done, as read back."""
    stored = memory.remember(
        given["content"],
        category=given["category"],
        confidence=given["confidence"],
        source=source,
        scope=scope,
    )
    data: dict[str, Any] = {
        "status": stored.action,
        "stored": stored.action != "known",
        "fact": answers.fact_data(stored),
    }
    lines = [_STORED[stored.action].format(id=stored.id, old=stored.supersedes)]
    if stored.action == "superseded":
        data["superseded"] = stored.supersedes
    if redacted := _redacted(stored):
        data["redacted"] = redacted
        lines.append(f"Taken out before it was stored: {', '.join(redacted)}. Never store secrets.")
    conflicts = [fact for fact in (_fact(memory, id) for id in stored.conflicts) if fact is not None]
    if conflicts:
        data["conflicts"] = [answers.fact_data(fact) for fact in conflicts]
        data["advice"] = "These say otherwise of the same thing. Ask the user which holds, then supersede the other."
        lines += [data["advice"], _fenced(memory, conflicts)]
    return Answer(text="\n".join(lines), data=data)


def _redacted(stored: object) -> list[str]:
    """Which kinds of secrets were taken out, and where they stood."""
    return [f"{one.label} ({one.place}, line {one.line})" for one in getattr(stored, "redacted", ())]


_STORED = {
    "created": "Stored as {id}.",
    "known": "Nothing was stored: exactly that is known already, as {id}.",
    "superseded": "Stored as {id}. It says the opposite of {old}, which is superseded now and kept in the history.",
}


def failed(error: ScrubjayError) -> Answer:
    """What went wrong, for an agent: a sentence and what to do."""
    text = "\n".join(part for part in (error.message, error.hint) if part)
    return Answer(text=text, data={"code": error.code}, failed=True)


def _fenced(memory: Memory, facts: Sequence[Fact]) -> str:
    return answers.fenced([answers.fact_line(fact, memory.zone) for fact in facts])


def _fact(memory: Memory, id: str) -> Fact | None:
    try:
        return next((fact for fact in memory.history(id) if fact.id == id), None)
    except ScrubjayError:
        return None


def _same_category(fact: Fact, category: str) -> bool:
    return fact.category.casefold() == category.strip().casefold()
