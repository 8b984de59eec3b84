"""Does the memory answer nothing when it holds nothing, and still answer when it does?

Each question is asked in its own corpus, with and without abstention, and in one other corpus, where nothing bears on
it. A store of five memories is asked twenty questions about other things. Questions that the set itself marks as
unanswerable, which are about what their own corpus is about, are told apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import command, metrics, sets
from benchmarks.filled import FORMS, MODES, Filled, Form, Mode, embedder, filled
from benchmarks.sets import Corpus, Piece, Question
from scrubjay.ports import Embedder, Encoded, EncodedQuery

CUT = 10

SMALL = (
    "Max prefers uv over pip for new Python projects.",
    "The staging database runs PostgreSQL 16 on port 5433.",
    "Alice is on parental leave until the end of March.",
    "Releases are cut on Tuesdays and announced in the team channel.",
    "The office kitchen gets a new coffee machine next month.",
)
RELATED = (
    "Which package manager does Max like?",
    "On which port does the staging database listen?",
    "Until when is Alice away?",
    "On which day do we release?",
    "What is new in the kitchen?",
)
UNRELATED = (
    "How many moons does Jupiter have?",
    "Who painted the ceiling of the Sistine Chapel?",
    "What did the doctor say about my knee?",
    "How long should salmon be baked?",
    "Which film won the award for best picture in 1994?",
    "What is the name of my sister's dog?",
    "How do bees find their way home?",
    "When did the Second World War end?",
    "Which hotel did we book in Lisbon?",
    "What colour is the bathroom going to be painted?",
    "How much did the violin lessons cost?",
    "Why does bread need yeast?",
    "Which novel was I reading on the train?",
    "How tall is Mount Kilimanjaro?",
    "What was the score of yesterday's football match?",
    "Where did grandmother grow up?",
    "Какая столица у Австралии?",
    "Сколько лет живут черепахи?",
    "长城有多长？",
    "我昨天晚饭吃了什么？",
)


class OnceEncoded:
    """An embedder that encodes each question once, however many memories it is asked of."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.query = lru_cache(maxsize=None)(self._query)

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    def passages(self, texts: Sequence[str]) -> Encoded:
        return self._inner.passages(texts)

    def _query(self, text: str) -> EncodedQuery:
        return self._inner.query(text)


@dataclass(frozen=True, slots=True)
class Answer:
    """What one question got: the first hits whether or not they were kept back, and whether they were."""

    ranked: Sequence[str]
    nothing: bool


def ask(store: Filled, text: str) -> Answer:
    """Asks with abstention, and once more without where that gave nothing."""
    recall = store.memory.search(text, limit=CUT, abstain=True)
    if recall.hits:
        return Answer(store.ranked(recall), nothing=False)
    return Answer(store.ranked(store.memory.search(text, limit=CUT, abstain=False)), nothing=True)


def at_home(asked: Sequence[tuple[Question, Answer]]) -> dict[str, Any]:
    """How questions fare in their own corpus."""
    found = [not question.gold.isdisjoint(answer.ranked) for question, answer in asked]
    kept = [hit and not answer.nothing for hit, (_, answer) in zip(found, asked, strict=True)]
    return {
        "n": len(asked),
        f"hit@{CUT}_without_abstention": _share(found),
        f"hit@{CUT}_with_abstention": _share(kept),
        "answered_nothing": _share([answer.nothing for _, answer in asked]),
    }


def run(corpora: Sequence[Corpus], form: Form, model: Embedder | None, folder: Path) -> dict[str, Any]:
    """Measures a set of at least two corpora."""
    once = OnceEncoded(model) if model is not None else None
    own: list[tuple[Question, Answer]] = []
    unanswerable: list[tuple[Question, Answer]] = []
    elsewhere: list[Answer] = []
    with ExitStack() as stack:
        stores = [stack.enter_context(filled(corpus, form, once, folder)) for corpus in corpora]
        for home, corpus in enumerate(corpora):
            command.say(f"{corpus.id}: asking {len(corpus.questions)} questions here and elsewhere")
            for number, question in enumerate(corpus.questions):
                if question.unanswerable:
                    unanswerable.append((question, ask(stores[home], question.text)))
                elif question.gold:
                    own.append((question, ask(stores[home], question.text)))
                    other = (home + 1 + number % (len(stores) - 1)) % len(stores)
                    elsewhere.append(ask(stores[other], question.text))
    result: dict[str, Any] = {
        "corpora": len(corpora),
        "own_corpus": at_home(own),
        "other_corpus": {"n": len(elsewhere), "answered_nothing": _share([answer.nothing for answer in elsewhere])},
    }
    if unanswerable:
        result["marked_unanswerable"] = at_home(unanswerable)
    return result


def small(model: Embedder | None, folder: Path) -> dict[str, Any]:
    """Five memories asked about what they say and about other things."""
    corpus = Corpus(id="small", pieces=tuple(Piece(id=str(n), text=text) for n, text in enumerate(SMALL)), questions=())
    with filled(corpus, "facts", model, folder) as store:
        related = [ask(store, text) for text in RELATED]
        unrelated = {text: ask(store, text) for text in UNRELATED}
    return {
        "memories": len(SMALL),
        "related": {"n": len(related), "answered_nothing": _share([answer.nothing for answer in related])},
        "unrelated": {
            "n": len(unrelated),
            "answered_nothing": _share([answer.nothing for answer in unrelated.values()]),
            "answered": [text for text, answer in unrelated.items() if not answer.nothing],
        },
    }


def _share(values: Sequence[bool]) -> float:
    return metrics.rounded(sum(values) / len(values)) if values else 0.0


def main(args: Sequence[str] | None = None) -> None:
    """The command."""
    parser = command.parser(__doc__)
    parser.add_argument("--set", required=True, help="name of a set with at least two corpora")
    parser.add_argument("--as", dest="form", choices=FORMS, help="store memories as these (default: by the set)")
    parser.add_argument("--mode", choices=MODES, default="default", help="default, sentence vectors only, words only")
    parser.add_argument("--embedder", default="packaged", help="as the setting models.embedder (default: packaged)")
    parser.add_argument("--limit-corpora", type=int, help="only the first N corpora")
    given = parser.parse_args(args)
    if not sets.exists(given.data, given.set):
        command.skip("abstention", f"The set {given.set} is not in {given.data}.")
        return
    corpora = sets.read(given.data, given.set, corpora=given.limit_corpora)
    if len(corpora) < 2:
        command.skip("abstention", f"The set {given.set} has one corpus; nothing can be asked elsewhere.")
        return
    mode: Mode = given.mode
    model = embedder(mode, given.embedder)
    form = given.form or sets.default_form(given.set)
    with TemporaryDirectory(prefix="scrubjay-") as temporary:
        folder = given.cache or Path(temporary)
        result = {"small_store": small(model, folder), **run(corpora, form, model, folder)}
    command.answer(
        "abstention", {"set": given.set, "mode": mode, "as": form, "model": model.name if model else None, **result}
    )


if __name__ == "__main__":
    main()
