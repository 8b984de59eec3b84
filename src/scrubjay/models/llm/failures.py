"""What can go wrong with a call, and what follows: ask again, rest, or stop until configured anew (F58).

A sentence names the server and never a key, a text or what the server said.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from scrubjay.errors import Unavailable
from scrubjay.models.llm.choice import Choice

Outcome = Literal[
    "answered", "invalid", "cut", "refused", "limited", "denied", "quota", "missing", "rejected", "failed",
    "unreachable", "timeout", "too large", "stopped",
]  # fmt: skip

SHORT_REST = 60.0
LONG_REST = 3600.0
LONGEST_REST = 86_400.0
FOREVER = math.inf
_BY_RULES = "Until it answers, rules do its work."


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """How a call failed. ``again`` tells whether asking again at once may help, ``wait`` how many seconds the server
    wants between, ``rest`` for how many it is then left alone (0: not at all; ``FOREVER``: until configured anew)."""

    outcome: Outcome
    message: str
    hint: str = _BY_RULES
    again: bool = False
    wait: float = 0.0
    rest: float = 0.0


def understood(error: BaseException, choice: Choice) -> Failure:
    """What ``error``, raised by a call to the model of ``choice``, means."""
    from pydantic_ai import exceptions

    it = f"The language model {choice.name}"
    # Only the reader of an answer raises ours inside a call, when it will not read on.
    if any(isinstance(each, Unavailable) for each in _chain(error)):
        return Failure(outcome="too large", message=f"{it} gave an answer that is too large to read.")
    if isinstance(error, TimeoutError | exceptions.ModelTimeoutError):
        message = f"{it} did not answer within {choice.timeout:g} s."
        return Failure(outcome="timeout", message=message, again=True, rest=SHORT_REST)
    if isinstance(error, exceptions.OutputTokenLimitExceeded):
        return Failure(outcome="cut", message=f"{it} gave half an answer.")
    if isinstance(error, exceptions.ContentFilterError):
        return Failure(outcome="refused", message=f"{it} refused to answer.")
    if isinstance(error, exceptions.ModelHTTPError):
        return _of_status(error, it)
    if isinstance(error, exceptions.ModelAPIError):
        broken = "broke off its answer" if getattr(error, "phase", None) == "read" else "cannot be reached"
        message = f"{it} at {_server(choice)} {broken}."
        return Failure(outcome="unreachable", message=message, again=True, rest=SHORT_REST)
    if isinstance(error, exceptions.UnexpectedModelBehavior):
        return Failure(outcome="invalid", message=f"{it} gave no answer of the form that was asked for.")
    return Failure(outcome="invalid", message=f"{it} gave an answer that cannot be read ({type(error).__name__}).")


def _of_status(error: BaseException, it: str) -> Failure:
    from pydantic_ai import exceptions

    assert isinstance(error, exceptions.ModelHTTPError)
    status = error.status_code
    wait = error.retry_after if error.retry_after is not None and error.retry_after >= 0 else 0.0
    if isinstance(error, exceptions.ModelQuotaExceededError) or status == 402:
        hint = "Look after the account; then run `scrubjay doctor --repair`."
        return Failure(outcome="quota", message=f"{it}: the account has nothing left.", hint=hint, rest=LONG_REST)
    if status in (401, 403):
        hint = "Set another key, or mend the account and run `scrubjay doctor --repair`; until then rules do its work."
        return Failure(outcome="denied", message=f"{it} refused access ({status}).", hint=hint, rest=FOREVER)
    if status == 404:
        hint = "Check llm.model and llm.endpoint, or install the model; then run `scrubjay doctor --repair`."
        return Failure(outcome="missing", message=f"{it} is not known there (404).", hint=hint, rest=LONG_REST)
    if status == 429:
        message = f"{it} asks for fewer requests (429)."
        return Failure(
            outcome="limited", message=message, again=True, wait=wait, rest=min(max(wait, SHORT_REST), LONGEST_REST)
        )
    if status >= 500 or status in (408, 409, 425):
        message = f"{it} failed ({status})."
        return Failure(outcome="failed", message=message, again=True, wait=wait, rest=SHORT_REST)
    return Failure(outcome="rejected", message=f"{it} did not accept the request ({status}).")


def _server(choice: Choice) -> str:
    from urllib.parse import urlsplit

    return urlsplit(choice.endpoint).netloc


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(20):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__
