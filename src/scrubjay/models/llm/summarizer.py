"""A conversation in short, by a language model, in the conversation's own language; a long one part by part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any

from scrubjay.errors import Unavailable
from scrubjay.models.llm.asking import LanguageModel
from scrubjay.models.llm.conversation import clean, fenced, tokens, windows
from scrubjay.models.llm.prompts import prompt
from scrubjay.ports import Summarizer
from scrubjay.text.detect import Language, language
from scrubjay.types import Message

MOST_PARTS = 12
"""Calls that one conversation may take; of a longer one, parts in the middle are left out."""
_NAMES: Mapping[Language, str] = {"en": "English", "ru": "Russian", "zh": "Chinese", "other": "that of the messages"}


class ModelSummarizer:
    """Implements ``ports.Summarizer`` with ``model``, ``window`` tokens a call. ``otherwise`` does the work where the
    model is ``Unavailable``."""

    def __init__(self, model: LanguageModel, otherwise: Summarizer | None, *, window: int) -> None:
        self._model = model
        self._otherwise = otherwise
        self._window = window

    @property
    def name(self) -> str:
        """Model and version of the prompt."""
        return f"{self._model.name} {prompt('summarise').id}"

    def summary(self, messages: Sequence[Message], *, title: str) -> str:
        """100 to 200 words, or characters of Chinese; empty when nothing was said. Raises ``Unavailable`` where nobody
        else can do it, or the memory closes."""
        parts = [window.text for window in windows(messages, zone=UTC, size=self._window)]
        if not parts:
            return ""
        spoken = language("\n".join(one.text[:2_000] for one in messages if one.role == "user")[:20_000])
        about = {"title": clean(title)[:200], "language": _NAMES[spoken]}
        try:
            return self._told(_chosen(parts), about, spoken)
        except Unavailable:
            if self._otherwise is None or self._model.closed:
                raise
            return self._otherwise.summary(messages, title=title)

    def _told(self, parts: Sequence[str], about: Mapping[str, Any], spoken: Language) -> str:
        told = [self._ask(f"{fenced([about])}\n{part}", spoken) for part in parts]
        while len(told) > 1:
            told = [self._ask(fenced([about, *group]), spoken) for group in _groups(told, self._window)]
        return told[0]

    def _ask(self, text: str, spoken: Language) -> str:
        from scrubjay.models.llm.answers import summary_in

        return self._model.ask(prompt("summarise"), text, summary_in(spoken)).summary.strip()


def _chosen(parts: Sequence[str]) -> Sequence[str]:
    """The beginning and the end of too many ``parts``."""
    if len(parts) <= MOST_PARTS:
        return parts
    head = MOST_PARTS // 3
    return [*parts[:head], *parts[head - MOST_PARTS :]]


def _groups(told: Sequence[str], size: int) -> list[list[dict[str, Any]]]:
    """Summaries of parts, as many together as fit into a call and at least two."""
    groups: list[list[dict[str, Any]]] = [[]]
    used = 0
    for number, text in enumerate(told, 1):
        if used + tokens(text) > size and len(groups[-1]) > 1:
            groups.append([])
            used = 0
        groups[-1].append({"part": number, "text": clean(text)})
        used += tokens(text)
    return groups
