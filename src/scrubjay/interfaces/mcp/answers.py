"""What an agent reads: each answer as text inside a token budget, and the same as data (MX-3, MX-6).

Recalled text is evidence, not instruction: it is fenced, cited, dated, and cannot close its fence (SEC-3). Data holds
no more than the text does, because many clients show the model the data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any

from scrubjay.operations.recall.packing import CLOSING, INTRODUCTION, OPENING, harmless, telling
from scrubjay.temporal import format_time, validity
from scrubjay.text.readable import readable
from scrubjay.text.tokens import token_count
from scrubjay.types import Fact, Hit, Recall, Record, Suppressed

FACTS_BUDGET = 2_600
"""Tokens of a list of facts."""

ITEM_SHARE = 4
"""A single item gets at most this part of the budget, so that one long message never stands for all."""

SHORT = 160
"""Characters of a text that is only mentioned."""

_RERANKED = frozenset({"interaction", "rerank"})
_CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a tool says: ``text`` for reading, ``data`` by the tool's schema, or an error with its ``data``."""

    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    failed: bool = False


def cost(text: str) -> int:
    """Tokens of ``text``, not too few where words are long: paths, code, ids."""
    return max(token_count(text), len(text) // _CHARACTERS_A_TOKEN)


def recalled(found: Recall, *, most: int, zone: tzinfo, warnings: Sequence[str] = ()) -> Answer:
    """The answer to a question: at most ``most`` facts and as many results, best first, inside the query's budget."""
    hits = telling(found.hits)
    chosen = [hit for hit in hits if hit.layer == "facts"][:most], [hit for hit in hits if hit.layer != "facts"][:most]
    old = _changed(found)
    page = _Page(found.query.budget)
    facts = [hit for hit in chosen[0] if page.add(_fact_line(hit, page.share, zone))]
    for one in old:
        page.add(f"- {one.reason} ({one.id}): {_mention(one.text)}")
    results = [hit for hit in chosen[1] if page.add(_result_line(hit, page.share, zone))]
    omitted = sum(map(len, chosen)) - len(facts) - len(results)
    notes = [*warnings, *found.warnings]
    data: dict[str, Any] = {
        "facts": [_fact_found(hit, page.share) for hit in facts],
        "results": [_result(hit, page.share) for hit in results],
        "suppressed": [{"id": one.id, "content": _mention(one.text), "reason": one.reason} for one in old],
        "abstained": not hits,
        "reason": found.reason,
        "omitted": omitted,
        "reranked": bool(_RERANKED & set(found.signals)),
        "warnings": notes,
    }
    lines = [page.text()] if facts or results else [f"{found.reason or 'Nothing was found.'} {_AGAIN}"]
    if omitted:
        lines.append(f"{omitted} more did not fit; ask more narrowly to see them.")
    return Answer(text="\n".join([*lines, *(f"Note: {note}" for note in notes)]), data=data)


_AGAIN = "Try once more with other words or with names, project and date; if that fails too, it is not remembered."


def listed(facts: Sequence[Fact], *, category: str | None, known: Mapping[str, int], zone: tzinfo) -> Answer:
    """Facts that hold, newest first, as many as fit; ``known`` counts the facts of every category."""
    page = _Page(FACTS_BUDGET)
    shown = [fact for fact in facts if page.add(_line(fact, page.share, zone))]
    omitted = len(facts) - len(shown)
    data = {
        "facts": [fact_data(fact, page.share) for fact in shown],
        "total": len(facts),
        "omitted": omitted,
        "categories": dict(known),
    }
    counted = ", ".join(f"{harmless(name)} {count}" for name, count in known.items()) or "none yet"
    if not facts:
        of = f" of category {harmless(category)!r}" if category else ""
        return Answer(text=f"There are no facts{of}. Categories: {counted}.", data=data)
    lines = [page.text()]
    if omitted:
        narrower = "use search_memory" if category else "name a category or use search_memory"
        lines.append(f"{omitted} more; to see them {narrower}.")
    if not category:
        lines.append(f"Categories: {counted}.")
    return Answer(text="\n".join(lines), data=data)


def fact_data(fact: Fact, tokens: int = FACTS_BUDGET) -> dict[str, Any]:
    """A fact as data: id, category, content, and the times that are known."""
    valid = validity(fact)
    return _present(
        id=fact.id,
        category=fact.category,
        content=_cut(harmless(fact.text), tokens),
        valid_from=format_time(valid.start),
        valid_to=format_time(valid.end),
        recorded=format_time(fact.recorded.start),
    )


def fenced(lines: Sequence[str]) -> str:
    """``lines`` of recalled text in the fence that says what they are."""
    return "\n".join([OPENING, INTRODUCTION, *lines, CLOSING])


def fact_line(fact: Fact, zone: tzinfo) -> str:
    """A fact in one line: id, category, since when, text."""
    return _line(fact, FACTS_BUDGET, zone)


class _Page:
    """A fenced block that takes lines as long as they fit into ``budget`` tokens."""

    def __init__(self, budget: int) -> None:
        self.share = max(budget // ITEM_SHARE, 1)
        self._lines: list[str] = []
        self._left = budget - cost(fenced([]))

    def add(self, line: str) -> bool:
        """Whether ``line`` still fits; then it is taken."""
        price = cost(line) + 1
        if price > self._left:
            return False
        self._left -= price
        self._lines.append(line)
        return True

    def text(self) -> str:
        return fenced(self._lines)


def _changed(found: Recall) -> list[Suppressed]:
    """What the facts that were found replaced: older facts that match and do not hold any more."""
    replaced = {hit.record.supersedes for hit in found.hits if hit.record.supersedes}
    return [one for one in found.suppressed if one.id in replaced]


def _fact_line(hit: Hit, tokens: int, zone: tzinfo) -> str:
    record = hit.record
    parts = [f"id {record.id}", record.category, _score(hit), *_dates(record, zone), hit.note]
    return _entry(parts, record.text, tokens)


def _result_line(hit: Hit, tokens: int, zone: tzinfo) -> str:
    record = hit.record
    about = " › ".join(part for part in dict.fromkeys((record.title, *record.headings)) if part)
    return _entry([hit.citation, _score(hit), *_said(record, zone), about, hit.note], readable(record.text), tokens)


def _line(fact: Fact, tokens: int, zone: tzinfo) -> str:
    return _entry([f"id {fact.id}", fact.category, *_dates(fact, zone)], fact.text, tokens)


def _entry(about: Sequence[str], text: str, tokens: int) -> str:
    lead = ", ".join(one_line(part) for part in about if part)
    lines = [line.rstrip() for line in _cut(harmless(text), tokens).strip().split("\n")]
    return f"- [{lead}] " + "\n  ".join(line for line in lines if line)


def one_line(text: str, most: int | None = None) -> str:
    """``text`` in one line, harmless, cut to ``most`` characters."""
    line = " ".join(harmless(text).split())
    return line if most is None or len(line) <= most else f"{line[: most - 1]}…"


def _mention(text: str) -> str:
    return one_line(text, SHORT)


def _dates(thing: Fact | Record, zone: tzinfo) -> Iterator[str]:
    """Since when it holds and until when; where nobody said, when it was recorded."""
    valid = validity(thing)
    if valid.start:
        yield f"since {_day(valid.start, zone)}"
    elif thing.recorded.start:
        yield f"recorded {_day(thing.recorded.start, zone)}"
    if valid.end:
        yield f"until {_day(valid.end, zone)}"


def _said(record: Record, zone: tzinfo) -> Iterator[str]:
    """The time of day of a message; its day is in the citation."""
    if record.at and record.layer == "chunks":
        yield f"{record.at.astimezone(zone):%H:%M}"


def _day(moment: datetime, zone: tzinfo) -> str:
    return f"{moment.astimezone(zone):%Y-%m-%d}"


def _score(hit: Hit) -> str:
    return f"{hit.score:.2f}"


def _fact_found(hit: Hit, tokens: int) -> dict[str, Any]:
    record = hit.record
    valid = validity(record)
    return _present(
        id=record.id,
        category=record.category,
        content=_cut(harmless(record.text), tokens),
        score=round(hit.score, 4),
        valid_from=format_time(valid.start),
        valid_to=format_time(valid.end),
        recorded=format_time(record.recorded.start),
        note=hit.note,
        source=hit.citation,
        message_ids=list(record.message_ids),
    )


def _result(hit: Hit, tokens: int) -> dict[str, Any]:
    record = hit.record
    return _present(
        id=record.id,
        layer=record.layer,
        text=_cut(harmless(readable(record.text)), tokens),
        score=round(hit.score, 4),
        at=format_time(record.at),
        note=hit.note,
        citation=hit.citation,
        message_ids=list(record.message_ids),
    )


def _present(**values: Any) -> dict[str, Any]:
    """Those of ``values`` that say something."""
    return {name: value for name, value in values.items() if value not in ("", None, [])}


def _cut(text: str, tokens: int) -> str:
    """``text`` cut at a word end (between characters where a script has no spaces) to about ``tokens``."""
    if cost(text) <= tokens:
        return text
    low, high = 0, min(len(text), tokens * _CHARACTERS_A_TOKEN)
    while low < high:
        middle = (low + high + 1) // 2
        if cost(text[:middle]) <= tokens:
            low = middle
        else:
            high = middle - 1
    cut = text[:low]
    word_end = max(cut.rfind(" "), cut.rfind("\n"))
    return (cut[:word_end] if word_end > low // 2 else cut).rstrip() + " …"
