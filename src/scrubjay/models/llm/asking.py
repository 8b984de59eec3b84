"""Asking a language model: a prompt and a text in, an answer of a given type out; counted, capped, bounded in time.

One repair round is made when an answer does not have the asked form. Whatever fails is ``Unavailable``, with one
sentence; callers then do the work by rules. Nothing of a prompt, an answer or a key is logged or kept.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from scrubjay.errors import Unavailable
from scrubjay.models.llm import client, failures
from scrubjay.models.llm.attempts import Attempts, Server
from scrubjay.models.llm.conversation import tokens
from scrubjay.models.llm.prompts import Prompt
from scrubjay.models.llm.quiet import unlogged

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_ai.settings import ModelSettings

    Answer = TypeVar("Answer", bound=BaseModel)

CLOSED = "The memory is being closed; the language model is not asked any more."


class LanguageModel:
    """The model of ``server``. Safe between threads, and inside a running event loop."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._lock = threading.Lock()
        self._running: set[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = set()
        self._closed = False

    @property
    def name(self) -> str:
        """``provider:model``."""
        return self.server.choice.name

    @property
    def closed(self) -> bool:
        """Whether it is not asked any more, because the memory is being closed."""
        return self._closed

    def ask(self, prompt: Prompt, text: str, answer: type[Answer], *, most_tokens: int | None = None) -> Answer:
        """What the model answers to ``text`` under ``prompt``, as an ``answer`` of at most ``most_tokens``. Raises
        ``Unavailable``."""
        self.check()
        return _finished(self._answer(prompt, text, answer, most_tokens))

    def check(self) -> None:
        """Raises ``Unavailable`` where the model would not be asked now; asks nobody."""
        if self._closed:
            raise Unavailable(CLOSED)
        if self.server.choice.problem:
            raise Unavailable(self.server.choice.problem, hint=self.server.choice.hint)
        client.check_installed()
        if hold := self.server.holds.current():
            raise Unavailable(hold.reason, hint=hold.hint)

    def close(self) -> None:
        """Ends calls that are running, which raise ``Unavailable``, and lets no other begin."""
        with self._lock:
            self._closed = True
            for loop, task in self._running:
                loop.call_soon_threadsafe(task.cancel)

    async def _answer(self, prompt: Prompt, text: str, answer: type[Answer], most_tokens: int | None) -> Answer:
        task = asyncio.current_task()
        assert task is not None
        running = (asyncio.get_running_loop(), task)
        with self._lock:
            if self._closed:
                raise Unavailable(CLOSED)
            self._running.add(running)
        try:
            with unlogged():
                return await self._repaired(prompt, text, answer, most_tokens)
        except asyncio.CancelledError:
            if self._closed:
                raise Unavailable(CLOSED) from None
            raise
        finally:
            with self._lock:
                self._running.discard(running)

    async def _repaired(self, prompt: Prompt, text: str, answer: type[Answer], most_tokens: int | None) -> Answer:
        """The answer to the first request or, where that has not the asked form, to one more that says so."""
        choice = self.server.choice
        attempts = Attempts(self.server, prompt, expected=tokens(prompt.text + text))
        async with client.opened(choice, attempts.make) as model:
            from pydantic_ai import Agent

            agent: Agent[None, Answer] = Agent(
                model,
                output_type=_asked_as(choice.form, answer),
                instructions=prompt.text,
                retries={"tools": 0, "output": 1},
                # Asking again after a failure is ours to do, and to count.
                model_settings={"max_retries": 0, "timeout": choice.timeout, **_bounded(most_tokens)},
            )
            agent.instrument = False  # whatever an application has switched on for its own agents
            try:
                return (await agent.run(text)).output
            except Unavailable:
                raise
            except Exception as error:  # noqa: BLE001 - three libraries raise what they like
                failure = failures.understood(error, choice)
                attempts.answer_was(failure.outcome)
                raise Unavailable(failure.message, hint=failure.hint) from None


def _bounded(most_tokens: int | None) -> ModelSettings:
    return {} if most_tokens is None else {"max_tokens": most_tokens}


def _asked_as(form: str, answer: type[Answer]) -> Any:
    from pydantic_ai import NativeOutput, PromptedOutput, ToolOutput

    match form:
        case "schema":
            return NativeOutput(answer, name="answer")
        case "prompt":
            return PromptedOutput(answer)
        case _:
            return ToolOutput(answer, name="answer")


def _finished(coroutine: Coroutine[Any, Any, Answer]) -> Answer:
    """The result of ``coroutine``, run to its end here, or in a thread beside an event loop that runs here already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as beside:
        return beside.submit(asyncio.run, coroutine).result()
