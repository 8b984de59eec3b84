"""The language model behind a choice, through pydantic-ai, on a connection of our own.

The connection follows no redirect, bounds what it reads, and takes no proxy between this machine and itself; addresses
and keys are given, never found in the environment by a library. Everything heavy is imported inside ``opened``.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from scrubjay.errors import Unavailable
from scrubjay.models.endpoint import is_loopback
from scrubjay.models.llm.choice import Choice

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model

LARGEST_ANSWER = 8 * 1024 * 1024  # bytes; an answer that is worth reading has a few thousand
TOO_LARGE = "A language model gave an answer that is too large to read."
INSTALL = 'Install it with `pip install "scrubjay[llm]"`.'

# What a server needs to know. Libraries add what machine this is, and whatever variables of theirs say.
_HEADERS = frozenset(
    "accept accept-encoding anthropic-beta anthropic-version connection content-length content-type host"
    " transfer-encoding user-agent".split()
)
_ACCOUNT = frozenset({"openai-organization", "openai-project"})
_KEYS = frozenset({"authorization", "x-api-key", "x-goog-api-key"})

Request = Callable[[], Awaitable["ModelResponse"]]
Attempt = Callable[[Request], Awaitable["ModelResponse"]]


def check_installed() -> None:
    """Raises ``Unavailable`` where the extra is missing; loads nothing."""
    from importlib.util import find_spec

    if find_spec("pydantic_ai") is None:
        raise Unavailable("Language models need a package that is not installed.", hint=INSTALL)


@asynccontextmanager
async def opened(choice: Choice, attempt: Attempt) -> AsyncIterator[Model]:
    """The model of ``choice``, each of whose requests is made by ``attempt``. Raises ``Unavailable`` where the extra is
    missing."""
    check_installed()
    try:
        import pydantic_ai

        from scrubjay.models.llm.counted import Counted

        pydantic_ai.BANNER_ENABLED = False  # it would greet people between the lines of our commands
        async with _connection(choice) as http:
            yield Counted(_model(choice, http), attempt)
    except ImportError as error:
        message = f"Language models need the package {error.name or 'pydantic-ai-slim'}, which is not installed."
        raise Unavailable(message, hint=INSTALL) from None


def _connection(choice: Choice) -> httpx2.AsyncClient:
    import httpx2

    secure = choice.endpoint.startswith("https:")
    return httpx2.AsyncClient(
        # Without TLS nothing is worth the time of reading certificates; a context without any trusts nobody.
        verify=True if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
        timeout=httpx2.Timeout(choice.timeout, connect=min(10.0, choice.timeout)),
        trust_env=not is_loopback(choice.endpoint),
        follow_redirects=False,
        headers={"accept-encoding": "identity"},
        event_hooks={"request": [_trimmer(choice)], "response": [_bound]},
    )


def _trimmer(choice: Choice) -> Callable[[httpx2.Request], Awaitable[None]]:
    """Takes away headers that nobody configured: another key than ours never reaches a server (SEC-5)."""
    kept = _HEADERS if choice.own_server else _HEADERS | _ACCOUNT

    async def trim(request: httpx2.Request) -> None:
        for name, value in list(request.headers.items()):
            ours = name in _KEYS and value.removeprefix("Bearer ") == _key(choice)
            if name not in kept and not ours:
                del request.headers[name]

    return trim


def _key(choice: Choice) -> str:
    # A library that is given no key looks for one in the environment; a server without keys ignores this one.
    return choice.key or "none"


async def _bound(response: httpx2.Response) -> None:
    """Lets no more than ``LARGEST_ANSWER`` bytes of ``response`` be read, and nothing be unpacked from them."""
    import httpx2

    class Bounded(httpx2.AsyncByteStream):
        def __init__(self, stream: Any) -> None:
            self._stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            left = LARGEST_ANSWER
            async for chunk in self._stream:
                left -= len(chunk)
                if left < 0:
                    raise Unavailable(TOO_LARGE)
                yield chunk

        async def aclose(self) -> None:
            await self._stream.aclose()

    if response.headers.get("content-encoding", "identity") != "identity":
        raise Unavailable(TOO_LARGE)
    response.stream = Bounded(response.stream)


def _model(choice: Choice, http: httpx2.AsyncClient) -> Model:
    given: dict[str, Any] = {"base_url": choice.endpoint, "http_client": http}
    key = _key(choice)
    match choice.api:
        case "openai":
            from pydantic_ai.models.openai import OpenAIChatModel
            from pydantic_ai.providers.openai import OpenAIProvider

            return OpenAIChatModel(choice.model, provider=OpenAIProvider(api_key=key, **given))
        case "ollama":
            from pydantic_ai.models.ollama import OllamaModel
            from pydantic_ai.providers.ollama import OllamaProvider

            return OllamaModel(choice.model, provider=OllamaProvider(api_key=key, **given))
        case "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            return AnthropicModel(choice.model, provider=AnthropicProvider(api_key=key, **given))
        case "google":
            from pydantic_ai.models.google import GoogleModel
            from pydantic_ai.providers.google import GoogleProvider

            return GoogleModel(choice.model, provider=GoogleProvider(api_key=key, **given))
