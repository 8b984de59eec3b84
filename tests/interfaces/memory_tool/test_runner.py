"""MT-1, MT-4: the tool in the ``tool_runner`` of Anthropic's Python SDK; a server plays the Messages API."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import anthropic
import pytest

from scrubjay import MemoryTool
from scrubjay.errors import BadInput, Unavailable
from tests.interfaces.memory_tool.conftest import Make

PATH = "/memories/preferences.md"
CALLS = [
    {"command": "view", "path": "/memories"},
    {"command": "create", "path": PATH, "file_text": "Max prefers uv.\n"},
    {"command": "create", "path": PATH, "file_text": "again"},
    {"command": "str_replace", "path": PATH, "old_str": "uv", "new_str": "pixi"},
    {"command": "insert", "path": PATH, "insert_line": 1, "insert_text": "He lives in Riga."},
    {"command": "view", "path": "/memories/../../etc/passwd"},
    {"command": "view", "path": PATH},
]


class Messages:
    """A model that asks for ``CALLS``, one a turn, and then ends its turn."""

    def __init__(self, calls: list[dict[str, Any]]) -> None:
        self.calls = calls
        self.requests: list[dict[str, Any]] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def results(self) -> list[dict[str, Any]]:
        """The tool results that the client sent, in order; a later request may repeat them, or leave them out."""
        turns = (turn for request in self.requests for turn in request["messages"] if turn["role"] == "user")
        blocks = (block for turn in turns if isinstance(turn["content"], list) for block in turn["content"])
        return list({block["tool_use_id"]: block for block in blocks}.values())

    def _turn(self) -> dict[str, Any]:
        number = len(self.requests) - 1
        more = number < len(self.calls)
        asked = {"type": "tool_use", "id": f"toolu_{number}", "name": "memory"}
        return {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": "claude-test",
            "content": [{**asked, "input": self.calls[number]}] if more else [{"type": "text", "text": "Noted."}],
            "stop_reason": "tool_use" if more else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                server.requests.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
                body = json.dumps(server._turn()).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.send_header("connection", "close")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        return Handler


@pytest.fixture
def messages() -> Iterator[Messages]:
    server = Messages(CALLS)
    yield server
    server.close()


def asked(tool: object) -> dict[str, Any]:
    return {
        "model": "claude-test",
        "max_tokens": 100,
        "messages": [{"role": "user", "content": "Remember what I told you."}],
        "tools": [tool],
    }


def check(messages: Messages, folder: Path) -> None:
    results = messages.results
    assert [block["tool_use_id"] for block in results] == [f"toolu_{number}" for number in range(len(CALLS))]
    assert [bool(block.get("is_error")) for block in results] == [False, False, True, False, False, True, False]
    texts = [text(block) for block in results]
    assert texts[0].startswith("Here're the files and directories up to 2 levels deep in /memories")
    assert texts[2] == f"Error: File {PATH} already exists"
    assert texts[5] == "Error: Path /memories/../../etc/passwd would escape /memories directory"
    assert texts[6].endswith("     1\tMax prefers pixi.\n     2\tHe lives in Riga.\n     3\t")
    assert "Traceback" not in json.dumps(results)
    assert (folder / "memories/preferences.md").read_text("utf-8") == "Max prefers pixi.\nHe lives in Riga.\n"


def text(block: dict[str, Any]) -> str:
    content = block["content"]
    return content if isinstance(content, str) else content[0]["text"]


def test_mt_1_the_tool_runs_in_the_sdk(make: Make, messages: Messages, folder: Path) -> None:
    """View, create, str_replace … end_turn; what is refused goes back with ``is_error``."""
    tool = make(cache_control={"type": "ephemeral"})
    with anthropic.Anthropic(api_key="none", base_url=messages.url, max_retries=0) as client:
        last = client.beta.messages.tool_runner(**asked(tool.for_runner())).until_done()
    assert last.content[0].text == "Noted."
    assert messages.requests[0]["tools"] == [
        {"type": "memory_20250818", "name": "memory", "cache_control": {"type": "ephemeral"}}
    ]
    check(messages, folder)


def test_mt_1_the_tool_runs_in_the_asynchronous_sdk(make: Make, messages: Messages, folder: Path) -> None:
    async def talk() -> None:
        async with anthropic.AsyncAnthropic(api_key="none", base_url=messages.url, max_retries=0) as client:
            await client.beta.messages.tool_runner(**asked(make().for_async_runner())).until_done()

    asyncio.run(talk())
    check(messages, folder)


def test_mt_4b_an_image_goes_back_as_a_block(make: Make, folder: Path) -> None:
    tool = make(images=True)
    (folder / "memories/a.png").write_bytes(b"\x89PNG\r\n\x1a\nrest")
    server = Messages([{"command": "view", "path": "/memories/a.png"}])
    try:
        with anthropic.Anthropic(api_key="none", base_url=server.url, max_retries=0) as client:
            client.beta.messages.tool_runner(**asked(tool.for_runner())).until_done()
        image = server.results[0]["content"][1]
    finally:
        server.close()
    assert image == {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgpyZXN0"},
    }


def test_mt_2_the_methods_of_the_abstract_tool_work_alone(make: Make) -> None:
    """Programs call them with the SDK's own models."""
    from anthropic.types.beta import BetaMemoryTool20250818CreateCommand, BetaMemoryTool20250818ViewCommand

    runnable = make().for_runner()
    create = BetaMemoryTool20250818CreateCommand(command="create", path="/memories/a.md", file_text="x")
    assert runnable.create(create) == "File created successfully at: /memories/a.md"
    view = BetaMemoryTool20250818ViewCommand(command="view", path="/memories/a.md", view_range=[1, 1])
    assert runnable.view(view).endswith("     1\tx")
    assert runnable.execute(view) == runnable.view(view)
    assert runnable.clear_all_memory() == "All memory cleared"
    with pytest.raises(anthropic.lib.tools.ToolError, match="does not exist"):
        runnable.view(view)
    assert runnable.name == "memory"


def test_mt_1_keys_of_the_definition_are_passed_through(folder: Path) -> None:
    keys: dict[str, Any] = {
        "cache_control": {"type": "ephemeral"},
        "allowed_callers": ["direct"],
        "defer_loading": True,
        "input_examples": [{"command": "view", "path": "/memories"}],
        "strict": True,
    }
    assert MemoryTool(folder).to_dict() == {"type": "memory_20250818", "name": "memory"}
    assert MemoryTool(folder, **keys).to_dict() == {"type": "memory_20250818", "name": "memory", **keys}
    with pytest.raises(BadInput, match="colour"):
        MemoryTool(folder, colour="blue")


def test_without_the_sdk_the_tool_says_what_to_install(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anthropic.lib", None)
    monkeypatch.setitem(sys.modules, "anthropic.lib.tools", None)
    with pytest.raises(Unavailable, match="pip install anthropic"):
        make().for_runner()


def test_a_result_makes_its_own_block(make: Make) -> None:
    tool = make()
    assert tool.result({"command": "create", "path": "/memories/a", "file_text": ""}).block("t1") == {
        "type": "tool_result",
        "tool_use_id": "t1",
        "content": "File created successfully at: /memories/a",
    }
    assert tool.result({"command": "delete", "path": "/memories"}).block("t2")["is_error"] is True
