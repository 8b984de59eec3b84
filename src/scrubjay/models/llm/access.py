"""A memory's access to a language model: the model, if one is configured, in front of whoever does the work without
one, and the account of its use."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scrubjay.errors import Unavailable
from scrubjay.models.llm.choice import choose
from scrubjay.models.llm.holds import Holds
from scrubjay.models.llm.ledger import Ledger
from scrubjay.models.llm.usage import RAISE_CAP, Caps, Day, State, Usage, cap_reached
from scrubjay.ports import Extractor, Judge, Listed, Selector, Summarizer

if TYPE_CHECKING:
    from scrubjay.config import LlmSettings
    from scrubjay.models.llm.asking import LanguageModel

FOLDER = "llm"
"""Where ledger and holds are, below the folder for state."""


class Access:
    """What ``settings`` allow, with keys from ``environ`` and the account in ``state``/llm. Talks to nobody until it is
    asked to, and creates nothing before. Raises ``BadSetting``."""

    def __init__(self, settings: LlmSettings, environ: Mapping[str, str], state: Path) -> None:
        self._settings = settings
        self._caps = Caps(calls=settings.calls_per_day, tokens=settings.tokens_per_day, money=settings.money_per_day)
        self._folder = state / FOLDER
        self._ledger = Ledger(self._folder, self._caps)
        self._choice = choose(settings, environ)
        self._lock = threading.Lock()
        self._opened: LanguageModel | None = None
        self._closed = False

    @property
    def model(self) -> LanguageModel | None:
        """The language model; ``None`` when none is configured or it is switched off."""
        if self._choice is None:
            return None
        from scrubjay.models.llm.asking import LanguageModel
        from scrubjay.models.llm.attempts import Server

        with self._lock:
            if self._opened is None:
                self._opened = LanguageModel(Server(choice=self._choice, ledger=self._ledger, holds=self._holds))
                if self._closed:
                    self._opened.close()
            return self._opened

    def extractor(self, otherwise: Extractor) -> Extractor:
        """Who finds statements: the model, with ``otherwise`` for what it cannot do, or ``otherwise`` alone."""
        model = self.model
        if model is None:
            return otherwise
        from scrubjay.models.llm.extractor import ModelExtractor

        return ModelExtractor(model, otherwise, window=self._settings.window)

    def summarizer(self, otherwise: Summarizer) -> Summarizer:
        """Who tells conversations in short, likewise."""
        model = self.model
        if model is None:
            return otherwise
        from scrubjay.models.llm.summarizer import ModelSummarizer

        return ModelSummarizer(model, otherwise, window=self._settings.window)

    def judge(self, otherwise: Judge) -> Judge:
        """Who compares statements with what is known, likewise."""
        model = self.model
        if model is None:
            return otherwise
        from scrubjay.models.llm.judge import ModelJudge

        return ModelJudge(model, otherwise)

    def selector(self, otherwise: Selector, *, manifest: Callable[[Sequence[Listed]], str]) -> Selector:
        """Who chooses memories of a notebook from their ``manifest``, likewise."""
        model = self.model
        if model is None:
            return otherwise
        from scrubjay.models.llm.selector import ModelSelector

        return ModelSelector(model, otherwise, manifest=manifest)

    def usage(self) -> Usage:
        """Today's numbers, the caps, and whether the model would be asked now."""
        try:
            today = self._ledger.today()
        except Unavailable as error:
            nothing = Usage(model=self._settings.model, state="unusable", today=Day.empty(), caps=self._caps)
            return replace(nothing, reason=error.message, hint=error.hint)
        usage = Usage(model=self._settings.model, state="ready", today=today, caps=self._caps)
        model = self.model
        if model is None:
            return replace(usage, state="off" if self._settings.model else "none")
        if cap := cap_reached(today, self._caps, calls=1, tokens=self._settings.window):
            return replace(usage, state="capped", reason=cap, hint=RAISE_CAP)
        try:
            model.check()
        except Unavailable as error:
            return replace(usage, state=self._why(), reason=error.message, hint=error.hint)
        return usage

    def try_again(self) -> bool:
        """Lets a model that was left alone be asked again; tells whether it was."""
        if self._choice is None or self._holds.current() is None:
            return False
        self._holds.clear()
        return True

    def close(self) -> None:
        """Ends calls that are running, and lets no other begin."""
        with self._lock:
            self._closed = True
            if self._opened is not None:
                self._opened.close()

    @property
    def _holds(self) -> Holds:
        assert self._choice is not None
        return Holds(self._folder, self._choice.fingerprint)

    def _why(self) -> State:
        hold = self._holds.current()
        if hold is None:
            return "unusable"
        return "stopped" if hold.until is None else "resting"
