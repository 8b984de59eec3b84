"""The requests of one question: each is written down before and after, and made again where that may help."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrubjay.errors import Unavailable
from scrubjay.models.llm import failures
from scrubjay.models.llm.choice import Choice
from scrubjay.models.llm.failures import FOREVER, Failure
from scrubjay.models.llm.holds import Holds
from scrubjay.models.llm.ledger import Call, Ledger
from scrubjay.models.llm.prompts import Prompt
from scrubjay.models.llm.usage import RAISE_CAP

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse

    from scrubjay.models.llm.client import Request

LONGEST_WAIT = 30.0  # seconds between two attempts; a server that wants more is left alone meanwhile
FIRST_WAIT = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A model with what is kept about it. ``sleep`` waits seconds between attempts; ``clock`` counts them."""

    choice: Choice
    ledger: Ledger
    holds: Holds
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic


class Attempts:
    """The requests to ``server`` for a question under ``prompt`` that is ``expected`` to take so many tokens."""

    def __init__(self, server: Server, prompt: Prompt, *, expected: int) -> None:
        self._server = server
        self._prompt = prompt
        self._expected = expected
        self._answered: Call | None = None

    async def make(self, request: Request) -> ModelResponse:
        """Sends ``request``, and again where that may help. Raises ``Unavailable``, and leaves the server alone for a
        while, when it is not answered."""
        self.answer_was("invalid")  # if there was one before, this is its repair
        retries = self._server.choice.retries
        tried = 0
        while isinstance(result := await self._once(request), Failure):
            wait = result.wait or FIRST_WAIT * 2**tried
            if not result.again or tried == retries or wait > LONGEST_WAIT:
                raise self._given_up(result)
            await self._server.sleep(wait)
            tried += 1
        return result

    def answer_was(self, outcome: str) -> None:
        """Writes down that what was answered last could not be used."""
        if self._answered is not None:
            self._server.ledger.correct(self._answered, outcome=outcome)
            self._answered = None

    async def _once(self, request: Request) -> ModelResponse | Failure:
        server = self._server
        call = server.ledger.start(
            purpose=self._prompt.name, prompt=self._prompt.id, model=server.choice.name, expected=self._expected
        )
        if call.cap:
            raise Unavailable(call.cap, hint=RAISE_CAP)
        began = server.clock()
        outcome, input, output = "stopped", 0, 0
        money: float | None = None
        try:
            async with asyncio.timeout(server.choice.timeout):
                response = await request()
        except Exception as error:  # noqa: BLE001 - three libraries raise what they like
            failure = failures.understood(error, server.choice)
            outcome, money = failure.outcome, _spent(failure)
            return failure
        else:
            outcome, self._answered = "answered", call
            input, output = response.usage.input_tokens, response.usage.output_tokens
            money = _price(response, server.choice, input, output)
            return response
        finally:
            seconds = server.clock() - began
            server.ledger.finish(call, outcome=outcome, input=input, output=output, money=money, seconds=seconds)

    def _given_up(self, failure: Failure) -> Unavailable:
        if failure.rest:
            seconds = None if failure.rest == FOREVER else failure.rest
            self._server.holds.put(failure.message, hint=failure.hint, seconds=seconds)
        return Unavailable(failure.message, hint=failure.hint)


def _spent(failure: Failure) -> float | None:
    """What a failed call cost: nothing where the server declined it, who knows where it may have worked on it."""
    return None if failure.outcome in ("timeout", "unreachable", "too large", "invalid", "cut", "refused") else 0.0


def _price(response: ModelResponse, choice: Choice, input: int, output: int) -> float | None:
    """Dollars, by the prices that were set, or those known of the provider's own server."""
    if choice.prices:
        return (input * choice.prices.get("input", 0.0) + output * choice.prices.get("output", 0.0)) / 1e6
    if choice.own_server:
        return 0.0 if choice.api == "ollama" else None
    try:
        return float(response.cost().total_price)
    except Exception:  # noqa: BLE001 - a model that a price list does not know has no known price
        return None
