"""Retrieval quality on one set: does the evidence of each question stand among the first hits?

Every question is asked in its own corpus. Prints recall, hit, all, MRR and nDCG overall and by type of question, how
well the scores are calibrated, and how long the searches took; with ``--floor`` the same for words alone.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import command, metrics, sets
from benchmarks.filled import FORMS, MODES, Filled, Form, Mode, by_words, embedder, filled
from benchmarks.sets import Corpus, Question, Unit
from scrubjay.ports import Embedder

DEPTH = 100
"""Hits asked for: deep enough for the rank of the first piece of evidence to be known nearly always."""
_TOP = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One question asked: the ranked names, whether each hit was evidence and what probability it was given."""

    question: Question
    gold: frozenset[str]
    ranked: Sequence[str]
    judged: Sequence[tuple[float, bool]]
    milliseconds: float
    abstained: bool


def ask(store: Filled, corpus: Corpus, unit: Unit, *, depth: int = DEPTH, abstain: bool = False) -> list[Outcome]:
    """Every question of ``corpus`` that has evidence, asked of ``store``."""
    session_of = {piece.id: piece.session for piece in corpus.pieces} if unit == "session" else {}
    outcomes = []
    for question in corpus.questions:
        gold = question.gold_sessions if unit == "session" else question.gold
        if not gold:
            continue
        started = time.perf_counter()
        recall = store.memory.search(question.text, limit=depth, abstain=abstain)
        spent = (time.perf_counter() - started) * 1000
        names = [[session_of.get(piece, piece) for piece in store.pieces(hit)] for hit in recall.hits]
        judged = [(hit.score, not gold.isdisjoint(named)) for hit, named in zip(recall.hits, names, strict=True)]
        ranked = list(dict.fromkeys(name for named in names for name in named))
        outcomes.append(
            Outcome(
                question=question,
                gold=gold,
                ranked=ranked,
                judged=judged,
                milliseconds=spent,
                abstained=recall.abstained,
            )
        )
    return outcomes


def summary(outcomes: Sequence[Outcome], cuts: Sequence[int] = metrics.CUTS) -> dict[str, Any]:
    """What the outcomes of one way of searching say."""
    measured = [(outcome, metrics.measure(outcome.ranked, outcome.gold, cuts)) for outcome in outcomes]
    excluded = [outcome for outcome in outcomes if outcome.question.excluded]
    shown = {
        "overall": metrics.means(row for _, row in measured),
        "by_type": metrics.means_by((outcome.question.type, row) for outcome, row in measured),
        "calibration": metrics.calibration(pair for outcome in outcomes for pair in outcome.judged),
        "calibration_top_10": metrics.calibration(pair for outcome in outcomes for pair in outcome.judged[:_TOP]),
        "search_ms": metrics.times([outcome.milliseconds for outcome in outcomes]),
    }
    if excluded:
        wrong = [not outcome.question.excluded.isdisjoint(outcome.ranked[:_TOP]) for outcome in excluded]
        shown["excluded"] = {"n": len(wrong), "shown@10": metrics.rounded(sum(wrong) / len(wrong))}
    return shown


def run(
    corpora: Sequence[Corpus],
    form: Form,
    model: Embedder | None,
    folder: Path,
    *,
    depth: int = DEPTH,
    abstain: bool = False,
    floor: bool = False,
    cuts: Sequence[int] = metrics.CUTS,
) -> dict[str, Any]:
    """Measures ``corpora`` one after another, each in a vault below ``folder``."""
    unit = sets.unit_of(corpora)
    ways: list[tuple[str, Any]] = [("ranking", filled)] + ([("floor", by_words)] if floor else [])
    outcomes: dict[str, list[Outcome]] = {name: [] for name, _ in ways}
    for corpus in corpora:
        for name, opened in ways:
            opening: AbstractContextManager[Filled] = opened(corpus, form, model, folder)
            with opening as store:
                command.say(f"{corpus.id}: asking {len(corpus.questions)} questions ({name})")
                outcomes[name] += ask(store, corpus, unit, depth=depth, abstain=abstain)
    asked = sum(len(corpus.questions) for corpus in corpora)
    result: dict[str, Any] = {
        "as": form,
        "unit": unit,
        "corpora": len(corpora),
        "memories": sum(len(corpus.pieces) for corpus in corpora),
        "questions": asked,
        "without_evidence": asked - len(outcomes["ranking"]),
        "depth": depth,
        "abstain": abstain,
        **summary(outcomes["ranking"], cuts),
    }
    if abstain:
        result["answered_nothing"] = sum(outcome.abstained for outcome in outcomes["ranking"])
    if floor:
        result["floor"] = summary(outcomes["floor"], cuts)
    return result


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    parser = command.parser(__doc__)
    parser.add_argument("--set", required=True, help="name of the set: <set>.memories.jsonl and <set>.queries.jsonl")
    parser.add_argument("--as", dest="form", choices=FORMS, help="store memories as these (default: by the set)")
    parser.add_argument("--mode", choices=MODES, default="default", help="default, sentence vectors only, words only")
    parser.add_argument("--embedder", default="packaged", help="as the setting models.embedder (default: packaged)")
    parser.add_argument("--limit-corpora", type=int, help="only the first N corpora")
    parser.add_argument("--depth", type=int, default=DEPTH, help=f"hits asked for (default: {DEPTH})")
    parser.add_argument("--abstain", action="store_true", help="let the memory answer nothing")
    parser.add_argument("--floor", action="store_true", help="also measure words alone")
    given = parser.parse_args(args)
    if not sets.exists(given.data, given.set):
        command.skip("retrieval", f"The set {given.set} is not in {given.data}.")
        return
    corpora = sets.read(given.data, given.set, corpora=given.limit_corpora)
    mode: Mode = given.mode
    model = embedder(mode, given.embedder)
    with TemporaryDirectory(prefix="scrubjay-") as temporary:
        result = run(
            corpora,
            given.form or sets.default_form(given.set),
            model,
            given.cache or Path(temporary),
            depth=given.depth,
            abstain=given.abstain,
            floor=given.floor,
        )
    command.answer("retrieval", {"set": given.set, "mode": mode, "model": model.name if model else None, **result})


if __name__ == "__main__":
    main()
