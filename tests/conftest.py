"""What every test may use: a home of its own, a memory without a model, the shared data where it exists."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from scrubjay import Memory

# No test asserts on time: on a busy machine an example may take as long as it takes.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

SHARED = Path(__file__).resolve().parents[1].parent / "shared" / "data"


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing that a test does reaches the real home, its settings or its git configuration."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("SCRUBJAY_HOME", str(home / ".scrubjay"))
    for name in ("XDG_CONFIG_HOME", "GIT_DIR", "GIT_WORK_TREE", *filter(_of_an_agent, os.environ)):
        monkeypatch.delenv(name, raising=False)
    return home


def _of_an_agent(name: str) -> bool:
    """Whether a variable tells where a coding agent keeps its memory: tests may be run by one."""
    return name.startswith(("CLAUDE_CONFIG_", "CLAUDE_CODE_", "CLAUDE_COWORK_"))


@pytest.fixture
def shared_data() -> Path:
    """The folder of real data beside the checkout; the test is skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the shared data folder is not here")
    return SHARED


@pytest.fixture
def open_memory(tmp_path: Path) -> Iterator[Callable[..., Memory]]:
    """Opens memories over ``tmp_path/vault`` without a model and closes them afterwards."""
    opened: list[Memory] = []

    def open_(path: Path | None = None, **options: object) -> Memory:
        settings = {"models.embedder": "none", "models.reranker": "none", **options.pop("settings", {})}  # type: ignore[dict-item]
        options.setdefault("background", False)
        memory = Memory.open(path or tmp_path / "vault", settings=settings, **options)  # type: ignore[arg-type]
        opened.append(memory)
        return memory

    yield open_
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory: Callable[..., Memory]) -> Memory:
    """A memory over an empty vault, searched by words only."""
    return open_memory()
