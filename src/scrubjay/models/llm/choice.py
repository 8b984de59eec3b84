"""From the settings of ``[llm]`` to one model at one server. Loads nothing heavy and talks to nobody."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, cast, get_args

from scrubjay.errors import BadSetting
from scrubjay.models.endpoint import checked_url

if TYPE_CHECKING:
    from scrubjay.config import LlmSettings

Api = Literal["openai", "anthropic", "google", "ollama"]
Form = Literal["tools", "schema", "prompt"]

_USUAL_KEY: Mapping[Api, str] = MappingProxyType(
    {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "google": "GOOGLE_API_KEY"}
)
# The addresses are said here, so that no variable of a provider's own library can send texts elsewhere (SEC-5).
_USUAL_ADDRESS: Mapping[Api, str] = MappingProxyType(
    {
        "openai": "https://api.openai.com/v1",
        "anthropic": "https://api.anthropic.com",
        "google": "https://generativelanguage.googleapis.com",
        "ollama": "http://127.0.0.1:11434/v1",
    }
)
# Ollama makes the model follow a schema while it writes; few of its models call tools well.
_USUAL_FORM: Mapping[Api, Form] = MappingProxyType(
    {"openai": "tools", "anthropic": "tools", "google": "tools", "ollama": "schema"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A model, its server and how to talk to it. ``problem`` and ``hint`` say what is missing before it can be used."""

    api: Api
    model: str
    endpoint: str
    form: Form
    timeout: float
    retries: int
    own_server: bool = False
    key: str = field(default="", repr=False)
    prices: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    problem: str = ""
    hint: str = ""

    @property
    def name(self) -> str:
        """``provider:model``, as it was asked for."""
        return f"{self.api}:{self.model}"

    @property
    def fingerprint(self) -> str:
        """Changes with what a server's refusal may depend on: model, address, key."""
        parts = "\x00".join((self.api, self.model, self.endpoint, self.key))
        return hashlib.sha256(parts.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def choose(settings: LlmSettings, environ: Mapping[str, str]) -> Choice | None:
    """The model that ``settings`` ask for; ``None`` when there is none or it is switched off. ``environ`` holds the
    key. Raises ``BadSetting``."""
    if not settings.enabled or not settings.model:
        return None
    api, _, model = settings.model.partition(":")
    if api not in get_args(Api) or not model:
        hint = f"Write {', '.join(f'{one}:<model>' for one in get_args(Api))}."
        raise BadSetting(f"llm.model = {settings.model!r} is not known.", hint=hint)
    api = cast("Api", api)
    if unknown := set(settings.prices) - {"input", "output"}:
        hint = "Write { input = 0.25, output = 2.0 }."
        raise BadSetting(f"llm.prices has no {sorted(unknown)[0]!r}; it has input and output.", hint=hint)
    variable = settings.api_key_env or ("" if settings.endpoint else _USUAL_KEY.get(api, ""))
    key = environ.get(variable, "").strip() if variable else ""
    missing = bool(variable) and not key
    return Choice(
        api=api,
        model=model,
        endpoint=_address(api, settings.endpoint),
        form=_USUAL_FORM[api] if settings.answers == "auto" else settings.answers,
        timeout=settings.timeout,
        retries=settings.retries,
        own_server=bool(settings.endpoint) or api == "ollama",
        key=key,
        prices=settings.prices,
        problem=f"The environment variable {variable} holds no key." if missing else "",
        hint=f"Set {variable}, or name another variable in llm.api_key_env." if missing else "",
    )


def _address(api: Api, endpoint: str) -> str:
    if not endpoint:
        return _USUAL_ADDRESS[api]
    address = checked_url(endpoint).rstrip("/")
    # Ollama's own address has no path, and its chat API lies below /v1; people give either.
    return f"{address}/v1" if api == "ollama" and not address.endswith("/v1") else address
