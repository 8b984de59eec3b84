"""Knowledge updates: of two statements of which the later replaces the earlier, does the later one rank above?

Memories are taken in in their order. A pair is a current and a stale piece of evidence of one question: as the set
labels them, or, where it does not, the newest and each older piece of evidence of a question about an update.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import command, metrics, sets
from benchmarks.filled import FORMS, MODES, Filled, Form, Mode, embedder, filled
from benchmarks.sets import Corpus, Question
from scrubjay.ports import Embedder

DEPTH = 100
_UPDATE = "knowledge-update"

Pair = tuple[str, str]


def pairs(question: Question, corpus: Corpus) -> list[Pair]:
    """(current, stale) names of a question; none when it is not about an update."""
    if question.excluded:
        return [(current, stale) for current in sorted(question.gold) for stale in sorted(question.excluded)]
    if question.type != _UPDATE:
        return []
    dated = sorted((piece.at, piece.id) for piece in corpus.pieces if piece.id in question.gold and piece.at)
    if not dated:
        return []
    newest = dated[-1]
    return [(newest[1], id) for at, id in dated[:-1] if at < newest[0]]


def judged(ranked: Sequence[str], asked: Sequence[Pair]) -> Iterator[str]:
    """For each pair: ``current`` or ``stale`` for what stands first, ``neither`` where none of them was found."""
    places = {name: place for place, name in enumerate(ranked)}
    for current, stale in asked:
        first, second = places.get(current), places.get(stale)
        if first is None and second is None:
            yield "neither"
        else:
            yield "current" if second is None or (first is not None and first < second) else "stale"


def run(corpora: Sequence[Corpus], form: Form, model: Embedder | None, folder: Path) -> dict[str, Any]:
    """Measures ``corpora`` one after another, each in a vault below ``folder``."""
    counted: Counter[str] = Counter()
    by_corpus: dict[str, Any] = {}
    for corpus in corpora:
        asked = [(question, found) for question in corpus.questions if (found := pairs(question, corpus))]
        if not asked:
            continue
        opening: AbstractContextManager[Filled] = filled(corpus, form, model, folder)
        mine: Counter[str] = Counter()
        with opening as store:
            command.say(f"{corpus.id}: asking {len(asked)} questions")
            for question, found in asked:
                ranked = store.ranked(store.memory.search(question.text, limit=DEPTH, abstain=False))
                mine.update(judged(ranked, found))
        by_corpus[corpus.id] = {"memories": len(corpus.pieces), "questions": len(asked), **_shares(mine)}
        counted += mine
    return {"as": form, "depth": DEPTH, **_shares(counted), "by_corpus": by_corpus}


def _shares(counted: Counter[str]) -> dict[str, Any]:
    found = counted["current"] + counted["stale"]
    share = metrics.rounded(counted["current"] / found) if found else None
    return {"pairs": counted.total(), "not_found": counted["neither"], "current_above_stale": share}


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    parser = command.parser(__doc__)
    parser.add_argument("--set", required=True, help="name of the set: <set>.memories.jsonl and <set>.queries.jsonl")
    parser.add_argument("--as", dest="form", choices=FORMS, help="store memories as these (default: by the set)")
    parser.add_argument("--mode", choices=MODES, default="default", help="default, sentence vectors only, words only")
    parser.add_argument("--most", type=int, help="skip corpora with more memories than this")
    given = parser.parse_args(args)
    if not sets.exists(given.data, given.set):
        command.skip("updates", f"The set {given.set} is not in {given.data}.")
        return
    corpora = [
        corpus for corpus in sets.read(given.data, given.set) if given.most is None or len(corpus.pieces) <= given.most
    ]
    mode: Mode = given.mode
    model = embedder(mode)
    with TemporaryDirectory(prefix="scrubjay-") as temporary:
        form: Form = given.form or sets.default_form(given.set)
        result = run(corpora, form, model, given.cache or Path(temporary))
    command.answer("updates", {"set": given.set, "mode": mode, "model": model.name if model else None, **result})


if __name__ == "__main__":
    main()
