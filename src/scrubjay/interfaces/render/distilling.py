"""The report of distilling, for people and as JSON (SM-44)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from scrubjay.interfaces.render.plain import count, faint, one_line, strong
from scrubjay.operations.distill import Report
from scrubjay.operations.distill.scoring import Score

_LISTED = 10


def text(found: Report, *, columns: int, verbose: bool = False) -> str:
    """The whole report."""
    lines = [strong(f"Health {found.health}/100, {found.health_name}"), _overview(found), ""]
    lines += _table("By category", found.categories)
    lines += _table("By topic", found.clusters)
    lines += _table("Retrieved", found.retrievals)
    most = found.most_retrieved
    if most is not None:
        lines.append(one_line(f"  most: {most.title or most.id} ({most.retrieval_count})", columns))
    for name, scores in _candidates(found):
        lines += ["", strong(f"{count(len(scores), 'candidate')} to {name}")]
        lines += [_line(score, columns) for score in scores[: None if verbose else _LISTED]]
        if len(scores) > _LISTED and not verbose:
            lines.append(faint(f"  … {len(scores) - _LISTED} more; --verbose shows them"))
    lines += _retired(found, columns)
    if verbose:
        lines += ["", strong("Every memory")] + [_line(score, columns) for score in found.scores]
    return "\n".join([*lines, "", *_next(found)])


def values(found: Report, *, verbose: bool = False) -> dict[str, Any]:
    """The same as JSON."""
    return {
        "scope": found.scope,
        "health": found.health,
        "health_name": found.health_name,
        "metrics": found.metrics,
        "categories": found.categories,
        "topics": found.clusters,
        "retrievals": found.retrievals,
        "candidates": {name: [_values(score) for score in scores] for name, scores in _candidates(found)},
        "retired": [{"id": entry.id, "days_left": left} for entry, left in found.retired],
        **({"memories": [_values(score) for score in found.scores]} if verbose else {}),
    }


def _overview(found: Report) -> str:
    return f"{count(len(found.scores), 'memory').replace('memorys', 'memories')}, {found.total_tokens:,} tokens"


def _table(title: str, rows: Mapping[str, int]) -> list[str]:
    if not rows:
        return []
    width = max(len(one_line(name, 30)) for name in rows)
    return [strong(title), *(f"  {one_line(name, 30):<{width}}  {number:>4}" for name, number in rows.items())]


def _candidates(found: Report) -> Iterable[tuple[str, list[Score]]]:
    groups = (
        ("purge", [score for score in found.scores if score.purgeable]),
        ("merge", [score for score in found.scores if "merge" in score.flags]),
        ("compress", [score for score in found.scores if "compress" in score.flags]),
    )
    return [(name, scores) for name, scores in groups if scores]


def _line(score: Score, columns: int) -> str:
    parts = [f"{score.composite:.2f}", score.entry.id, f"age {score.age} d", f"{score.entry.token_count} tokens"]
    if score.duplicate_of:
        parts.append(f"{score.duplicate:.0%} of its keywords in {score.duplicate_of}")
    return "  " + one_line("  ".join(parts), columns - 2)


def _values(score: Score) -> dict[str, Any]:
    return {
        "id": score.entry.id,
        "score": round(score.composite, 4),
        "band": score.band,
        "flags": list(score.flags),
        "staleness": round(score.staleness, 4),
        "unused": score.unused,
        "size": round(score.size, 4),
        "duplicate": round(score.duplicate, 4),
        "duplicate_of": score.duplicate_of or None,
    }


def _retired(found: Report, columns: int) -> list[str]:
    if not found.retired:
        return []
    lines = ["", strong(f"{len(found.retired)} retired")]
    for entry, left in found.retired[:_LISTED]:
        when = "may go to the trash" if left == 0 else f"{left} days until it may go"
        lines.append("  " + one_line(f"{entry.id}  {when}", columns - 2))
    return lines


def _next(found: Report) -> list[str]:
    names = {"purge": "--purge", "merge": "--merge", "compress": "--compress"}
    wanted = [names[name] for name, _ in _candidates(found)]
    if any(left == 0 for _, left in found.retired):
        wanted.append("--gc")
    return [f"Next: scrubjay distill {flag}" for flag in wanted] or ["Nothing needs to be done."]
