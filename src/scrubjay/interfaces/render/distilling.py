"""Distilling for people and as JSON: the report (SM-44), and what is proposed with the reasons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scrubjay.interfaces.render.plain import count, faint, one_line, strong, width, wrap
from scrubjay.operations.distill import Report
from scrubjay.operations.distill.pairs import UNCATEGORIZED
from scrubjay.operations.distill.scoring import TTL_DAYS, Score
from scrubjay.proposals import Plan, Proposal

_LISTED = 10


def text(found: Report, *, columns: int, verbose: bool = False) -> str:
    """The whole report."""
    retired = f", {len(found.retired)} retired" if found.retired else ""
    total = f"{_memories(len(found.scores))} in use, {found.total_tokens:,} tokens{retired}"
    blocks = [
        [strong(f"Health {found.health} of 100: {found.health_name}"), f"  {total}"],
        _categories(found),
        _numbers(found, columns),
        *(_candidates(name, scores, columns, verbose) for name, scores in candidates(found)),
        _retired(found, columns, verbose),
        _every(found, columns) if verbose else [],
        _next(found),
    ]
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


def values(found: Report, *, verbose: bool = False) -> dict[str, Any]:
    """The same as JSON."""
    most = found.most_retrieved
    return {
        "scope": found.scope,
        "health": found.health,
        "health_name": found.health_name,
        "metrics": found.metrics,
        "bands": found.bands,
        "categories": found.categories,
        "topics": found.clusters,
        "retrievals": found.retrievals,
        "most_retrieved": most and {"id": most.id, "title": most.title, "retrieval_count": most.retrieval_count},
        "candidates": {name: [_values(score) for score in scores] for name, scores in candidates(found)},
        "untidy": list(found.untidy),
        "retired": [
            {"id": entry.id, "reason": entry.tombstone_reason, "since": entry.tombstoned_at, "days_left": left}
            for entry, left in found.retired
        ],
        "next": [{"command": f"scrubjay distill {flag}", "why": why} for flag, why in _steps(found)],
        **({"memories": [_values(score) for score in found.scores]} if verbose else {}),
    }


def candidates(found: Report) -> list[tuple[str, list[Score]]]:
    """The memories that could be purged, merged, compressed, worst first."""
    longest_unused = sorted(found.scores, key=lambda score: (-score.over, -score.composite, score.entry.id))
    groups = (
        ("purge", [score for score in longest_unused if score.purgeable]),
        ("merge", [score for score in found.scores if "merge" in score.flags]),
        ("compress", [score for score in found.scores if "compress" in score.flags]),
    )
    return [(name, scores) for name, scores in groups if scores]


# --- the report ------------------------------------------------------------------------------------------------


def _categories(found: Report) -> list[str]:
    """A row for each category, the largest first."""
    rows: list[tuple[str, ...]] = [("category", "memories", "tokens", "never used", "mean score")]
    for name in found.categories:
        own = [score for score in found.scores if (score.entry.category or UNCATEGORIZED) == name]
        tokens = sum(score.entry.token_count for score in own)
        unused = sum(score.entry.retrieval_count == 0 for score in own)
        mean = sum(score.composite for score in own) / len(own)
        rows.append((one_line(name, 24), str(len(own)), f"{tokens:,}", str(unused), f"{mean:.2f}"))
    room = [max(width(cell) for cell in column) for column in zip(*rows, strict=True)]
    head, *body = [
        "  ".join(["", row[0] + " " * (room[0] - width(row[0])), *(f"{cell:>{wide}}" for cell, wide in cells)])
        for row in rows
        for cells in [zip(row[1:], room[1:], strict=True)]
    ]
    return [faint(head), *body] if body else []


def _numbers(found: Report, columns: int) -> list[str]:
    """What the memories are about, how they are used, how they score."""
    most = found.most_retrieved
    used = ", ".join(f"{name} {number}" for name, number in found.retrievals.items())
    if most is not None:
        used += f"; most {one_line(most.title or most.id, 50)} ({most.retrieval_count})"
    rows = (("topics", _listed(found.clusters)), ("retrieved", used), ("score", _listed(found.bands)))
    return [line for name, words in rows if words for line in _row(name, words, columns)]


def _listed(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{one_line(name, 30)} {number}" for name, number in numbers.items())


def _row(name: str, words: str, columns: int) -> list[str]:
    first, *rest = wrap(words, columns - 13, most=4) or [""]
    return [f"  {name:<11}{first}", *(f"{'':13}{line}" for line in rest)]


def _candidates(name: str, scores: Sequence[Score], columns: int, verbose: bool) -> list[str]:
    titles = {
        "purge": "nobody uses {it}",
        "merge": "another one says much the same",
        "compress": "far longer than 600 tokens",
    }
    says: Mapping[str, Callable[[Score], str]] = {"purge": _unused, "merge": _double, "compress": _long}
    meaning = titles[name].format(it="it" if len(scores) == 1 else "them")
    lines = [strong(f"{count(len(scores), 'candidate')} to {name}") + f": {meaning}"]
    shown = scores if verbose else scores[:_LISTED]
    lines += [_line(score.entry.id, says[name](score), columns) for score in shown]
    if len(shown) < len(scores):
        lines.append(faint(f"  … and {len(scores) - len(shown)} more; --verbose shows them"))
    return lines


def _unused(score: Score) -> str:
    entry = score.entry
    times = f", used {entry.retrieval_count} times" if entry.retrieval_count else ""
    words = f"last used {score.idle} days ago{times}" if entry.retrieval_count else f"never used in {score.age} days"
    return f"{words} ({entry.category}: {TTL_DAYS[entry.category]})" if score.over else words


def _double(score: Score) -> str:
    return f"{score.duplicate:.0%} of its keywords are in {score.duplicate_of}"


def _long(score: Score) -> str:
    return f"{score.tokens:,} tokens"


def _line(name: str, words: str, columns: int) -> str:
    """A name and what is said of it, the words in a column of their own where there is room."""
    shown = one_line(name, max(columns // 2 - 4, 20))
    gap = " " * max(36 - width(shown), 2)
    return "  " + shown + gap + one_line(words, max(columns - width(shown) - len(gap) - 2, 20))


def _retired(found: Report, columns: int, verbose: bool) -> list[str]:
    if not found.retired:
        return []
    lines = [strong(f"{len(found.retired)} retired")]
    shown = found.retired if verbose else found.retired[:_LISTED]
    for entry, left in shown:
        when = {None: "does not say since when", 0: "may go to the trash"}.get(left, f"{left} days until it may go")
        lines.append(_line(entry.id, f"{when} ({entry.tombstone_reason or 'no reason given'})", columns))
    if len(shown) < len(found.retired):
        lines.append(faint(f"  … and {len(found.retired) - len(shown)} more; --verbose shows them"))
    return lines


def _every(found: Report, columns: int) -> list[str]:
    lines = [strong("Every memory, worst first")]
    for score in found.scores:
        parts = f"stale {score.staleness:.2f}, {'unused, ' if score.unused else ''}size {score.size:.2f}, "
        parts += f"double {score.duplicate:.2f}: {score.band}"
        lines.append(_line(f"{score.composite:.2f} {score.entry.id}", parts, columns))
    return lines


def _next(found: Report) -> list[str]:
    steps = _steps(found)
    if not steps:
        return ["Nothing needs to be done."]
    lines = [strong("What to do next") + " (each proposes; you decide)"]
    return lines + [f"  {f'scrubjay distill {flag}':<28}{why}" for flag, why in steps]


def _steps(found: Report) -> list[tuple[str, str]]:
    """The commands that would find something to propose, and why."""
    number = {name: len(scores) for name, scores in candidates(found)} | {"merge": len(found.pairs)}
    kinds = (
        ("purge", f"{_memories(number.get('purge', 0))} that nobody uses"),
        ("merge", f"{count(number['merge'], 'pair')} of near doubles in one topic"),
        ("compress", f"{_memories(number.get('compress', 0))} far over 600 tokens"),
    )
    steps = [(f"--{name}", why) for name, why in kinds if number.get(name)]
    if found.untidy:
        steps.append(("--refine", f"{_memories(len(found.untidy))} with untidy keywords, summary, topic …"))
    over = sum(left == 0 for _, left in found.retired)
    return steps + ([("--gc", f"{_memories(over)} retired a week ago or earlier")] if over else [])


def _memories(number: int) -> str:
    return f"{number:,} {'memory' if number == 1 else 'memories'}"


def _values(score: Score) -> dict[str, Any]:
    return {
        "id": score.entry.id,
        "title": score.entry.title,
        "score": round(score.composite, 4),
        "band": score.band,
        "flags": list(score.flags),
        "staleness": round(score.staleness, 4),
        "unused": score.unused,
        "size": round(score.size, 4),
        "tokens": score.tokens,
        "duplicate": round(score.duplicate, 4),
        "duplicate_of": score.duplicate_of or None,
        "age_days": score.age,
        "idle_days": score.idle,
        "days_over": score.over,
    }


# --- proposals -------------------------------------------------------------------------------------------------


def plan(found: Plan, *, columns: int) -> str:
    """What would be done, a proposal in a line or two, with the reasons."""
    lines = [strong(heading(found))]
    for number, one in enumerate(found.proposals, 1):
        lines.append(f"{number:>3}. {one.action:<8} {one_line(_named(one), max(columns - 15, 20))}")
        lines += wrap(one.rule, columns, most=2, indent="     ")
        lines += [_field(name, value, columns) for name, value in one.values.items()]
        lines += [f"     ! {one_line(caution, columns - 7)}" for caution in one.cautions]
    return "\n".join([*lines, *notices(found)])


def heading(found: Plan) -> str:
    """How much is proposed, in a line."""
    kind = {"": "", "auto": " that need no judgement", "gc": " to move to the trash"}.get(
        found.content.path, f" to {found.content.path}"
    )
    return f"{count(len(found.proposals), 'proposal')}{kind}"


def notices(found: Plan) -> list[str]:
    """What else the reader should know."""
    return [faint(one_line(notice)) for notice in found.content.notices]


def _named(one: Proposal) -> str:
    names = [target.id for target in one.targets] or [one.title or one.key]
    return f"{names[1]} → {names[0]}" if len(names) > 1 else names[0]


def _field(name: str, value: object, columns: int) -> str:
    words = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return f"     {one_line(name, 20) + ':':<10}{one_line(words, max(columns - 15, 20))}"
