"""The memories of a notebook that bear on a question, chosen by a language model from their list (CC-S3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scrubjay.errors import Unavailable
from scrubjay.models.llm.asking import CLOSED, LanguageModel
from scrubjay.models.llm.conversation import BEGIN, END, clean, line
from scrubjay.models.llm.prompts import prompt
from scrubjay.models.llm.usage import RAISE_CAP
from scrubjay.ports import Listed, Selector

MOST_TOKENS = 256
"""Of an answer, as the host has it."""
MOST_CHARACTERS = 4_000
"""Of a question; a longer one is known by its beginning."""
MOST_TOOLS = 50

Manifest = Callable[[Sequence[Listed]], str]


class ModelSelector:
    """Implements ``ports.Selector`` with ``model``, which reads the ``manifest`` of the candidates.

    ``otherwise`` chooses where the model would not be asked: without a key, over a cap, or while it is left alone. A
    model that was asked and failed has chosen nothing.
    """

    def __init__(self, model: LanguageModel, otherwise: Selector, *, manifest: Manifest) -> None:
        self._model = model
        self._otherwise = otherwise
        self._manifest = manifest

    def select(self, query: str, candidates: Sequence[Listed], tools: Sequence[str], limit: int) -> Sequence[str]:
        """At most ``limit`` of the names that the model gives, those it made up aside. Raises ``Unavailable``."""
        try:
            self._model.check()
        except Unavailable:
            return self._instead(query, candidates, tools, limit)
        from scrubjay.models.llm.answers import SelectedMemories

        text = message(query, [self._manifest([candidate]) for candidate in candidates], tools)
        try:
            answer = self._model.ask(prompt("select"), text, SelectedMemories, most_tokens=MOST_TOKENS)
        except Unavailable as error:
            if error.hint != RAISE_CAP:
                raise
            return self._instead(query, candidates, tools, limit)
        known = {candidate.filename for candidate in candidates}
        return [name for name in dict.fromkeys(answer.selected_memories) if name in known][:limit]

    def _instead(self, query: str, candidates: Sequence[Listed], tools: Sequence[str], limit: int) -> Sequence[str]:
        if self._model.closed:
            raise Unavailable(CLOSED)
        return self._otherwise.select(query, candidates, tools, limit)


def message(query: str, files: Sequence[str], tools: Sequence[str]) -> str:
    """What the model is asked. Every file has one line, so that no description can end the data (SEC-3)."""
    listed = [line(clean(one)) for one in files]
    parts = [f"Request: {line(clean(query[:MOST_CHARACTERS]))}", "", "Files:", BEGIN, *listed, END]
    if tools:
        parts += ["", f"Tools in use: {', '.join(line(tool)[:100] for tool in tools[:MOST_TOOLS])}"]
    return "\n".join(parts)
