"""How a statement relates to what is known, by a language model, inside limits that no model may pass."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from scrubjay.errors import Unavailable
from scrubjay.models.llm.asking import LanguageModel
from scrubjay.models.llm.conversation import clean, fenced
from scrubjay.models.llm.prompts import prompt
from scrubjay.ports import Judge
from scrubjay.temporal import format_time
from scrubjay.text.polarity import stance
from scrubjay.types import Candidate, Fact, Verdict

MOST_KNOWN = 20
_NUMBER = re.compile(r"\d+")


class ModelJudge:
    """Implements ``ports.Judge`` with ``model``. ``otherwise`` does the work where the model is ``Unavailable``."""

    def __init__(self, model: LanguageModel, otherwise: Judge | None) -> None:
        self._model = model
        self._otherwise = otherwise

    @property
    def name(self) -> str:
        """Model and version of the prompt."""
        return f"{self._model.name} {prompt('compare').id}"

    def compare(self, candidate: Candidate, known: Sequence[Fact]) -> Verdict:
        """The verdict on ``candidate``. Raises ``Unavailable`` where nobody else can give one, or the memory closes."""
        if not known:
            return Verdict()
        from scrubjay.models.llm.answers import relation_among

        shown = known[:MOST_KNOWN]
        try:
            answer = self._model.ask(prompt("compare"), _data(candidate, shown), relation_among(len(shown)))
        except Unavailable:
            if self._otherwise is None or self._model.closed:
                raise
            return self._otherwise.compare(candidate, known)
        if answer.n is None:
            return Verdict(reason=answer.reason)
        fact = shown[answer.n - 1]
        verdict = Verdict(relation=answer.relation, fact_id=fact.id, reason=answer.reason)
        return _checked(verdict, candidate, fact)


def _data(candidate: Candidate, known: Sequence[Fact]) -> str:
    new = {"new": clean(candidate.text), "said": clean(candidate.quote), **_since(candidate)}
    return fenced(
        [new, *({"n": place, "known": clean(fact.text), **_since(fact)} for place, fact in enumerate(known, 1))]
    )


def _since(thing: Candidate | Fact) -> dict[str, Any]:
    times = {"since": format_time(thing.valid.start), "until": format_time(thing.valid.end)}
    return {"category": thing.category, **{name: time for name, time in times.items() if time}}


def _checked(verdict: Verdict, candidate: Candidate, fact: Fact) -> Verdict:
    """``verdict``, unless it would drop a statement as known that says the opposite (F16) or another number (F15)."""
    if verdict.relation != "duplicate":
        return verdict
    if stance(candidate.text).opposes(stance(fact.text)):
        return Verdict(relation="contradiction", fact_id=fact.id, reason="It says the opposite.")
    if sorted(_NUMBER.findall(candidate.text)) != sorted(_NUMBER.findall(fact.text)):
        return Verdict(reason="It gives another number.")
    return verdict
