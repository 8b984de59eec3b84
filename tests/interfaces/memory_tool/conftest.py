"""A memory tool over an empty folder, without a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from scrubjay import MemoryTool
from scrubjay.interfaces.memory_tool import ToolResult


class Make(Protocol):
    def __call__(self, **options: Any) -> MemoryTool: ...


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "agent"


@pytest.fixture
def make(folder: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Makes tools over ``folder`` and closes them afterwards."""
    monkeypatch.setenv("SCRUBJAY_MODELS_EMBEDDER", "none")
    monkeypatch.setenv("SCRUBJAY_MODELS_RERANKER", "none")
    made: list[MemoryTool] = []

    def make_(at: Path | None = None, **options: Any) -> MemoryTool:
        made.append(MemoryTool(at or folder, **options))
        return made[-1]

    yield make_
    for tool in made:
        tool.close()


@pytest.fixture
def tool(make: Make) -> MemoryTool:
    return make()


@pytest.fixture
def ask(tool: MemoryTool) -> Callable[..., ToolResult]:
    """Calls the tool: ``ask("view", path="/memories")``."""

    def ask_(command: str, **fields: object) -> ToolResult:
        return tool.result({"command": command, **fields})

    return ask_
