"""The scripted server of the models' tests, speaking the wire formats of language models, and models that ask it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scrubjay.config import LlmSettings
from scrubjay.models.llm.asking import LanguageModel
from scrubjay.models.llm.attempts import Server
from scrubjay.models.llm.choice import choose
from scrubjay.models.llm.holds import Holds
from scrubjay.models.llm.ledger import Ledger
from scrubjay.models.llm.usage import Caps

KEY = "test-key-that-must-never-be-seen"


class Wire:
    """How servers of language models put an answer, and what a request to one says."""

    key = KEY

    def __init__(self, reply: Callable[..., Any]) -> None:
        self._reply = reply

    def raw(self, body: Any, **more: Any) -> Any:
        return self._reply(json.dumps(body).encode(), **more)

    def fails(self, status: int, **headers: str) -> Any:
        error = {"error": {"message": f"no: {KEY}", "type": "t", "code": "c"}}
        return self.raw(error, status=status, headers={name.replace("_", "-"): text for name, text in headers.items()})

    def says(self, content: str | None, *, finish: str = "stop", **message: Any) -> Any:
        """OpenAI's chat completion, with text."""
        choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}
        usage = {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150}
        body = {"id": "c", "object": "chat.completion", "created": 1, "model": "scripted", "usage": usage}
        return self.raw({**body, "choices": [choice]})

    def answers(self, answer: Any, *, finish: str = "tool_calls") -> Any:
        """OpenAI's chat completion, with a call of the tool ``answer``; a text is sent as it is."""
        arguments = answer if isinstance(answer, str) else json.dumps(answer)
        call = {"id": "t", "type": "function", "function": {"name": "answer", "arguments": arguments}}
        return self.says(None, finish=finish, tool_calls=[call])

    def anthropic(self, answer: Any) -> Any:
        content = [{"type": "tool_use", "id": "t", "name": "answer", "input": answer}]
        body = {"id": "m", "type": "message", "role": "assistant", "model": "claude-scripted", "content": content}
        usage = {"input_tokens": 120, "output_tokens": 30}
        return self.raw({**body, "stop_reason": "tool_use", "stop_sequence": None, "usage": usage})

    def google(self, answer: Any) -> Any:
        content = {"role": "model", "parts": [{"functionCall": {"name": "answer", "args": answer}}]}
        usage = {"promptTokenCount": 120, "candidatesTokenCount": 30, "totalTokenCount": 150}
        candidate = {"index": 0, "finishReason": "STOP", "content": content}
        return self.raw({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-scripted"})

    @staticmethod
    def system(payload: Any) -> str:
        """What a request in OpenAI's form says as instructions."""
        return "".join(one["content"] for one in payload["messages"] if one["role"] in ("system", "developer"))

    @staticmethod
    def user(payload: Any) -> str:
        """What it says as the user, which must be one message."""
        (content,) = [one["content"] for one in payload["messages"] if one["role"] == "user"]
        return content if isinstance(content, str) else "".join(part["text"] for part in content)


@pytest.fixture
def wire(reply: Callable[..., Any]) -> Wire:
    return Wire(reply)


@pytest.fixture
def waited() -> list[float]:
    """The seconds that models would have waited between attempts."""
    return []


@pytest.fixture
def model(server: Any, tmp_path: Path, waited: list[float]) -> Callable[..., LanguageModel]:
    """Makes models that ask the scripted server."""
    pytest.importorskip("pydantic_ai", reason="the extra llm is not installed")

    async def wait(seconds: float) -> None:
        waited.append(seconds)

    def made(name: str = "openai:scripted", *, caps: Caps | None = None, **settings: Any) -> LanguageModel:
        path = "/v1" if name.startswith("openai") else ""
        given = {"model": name, "endpoint": server.url + path, "api_key_env": "SCRIPTED_KEY", **settings}
        choice = choose(LlmSettings(**given), {"SCRIPTED_KEY": KEY})
        assert choice is not None
        folder = tmp_path / "state" / "llm"
        holds = Holds(folder, choice.fingerprint)
        ledger = Ledger(folder, caps or Caps())
        return LanguageModel(Server(choice=choice, ledger=ledger, holds=holds, sleep=wait))

    return made
