"""The memory behind a server: opened behind the handshake, in step with the disk, warm, cancelled, closed (F60)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from scrubjay import Memory
from scrubjay.errors import Unavailable
from scrubjay.interfaces.mcp import keeper as keeping
from scrubjay.interfaces.mcp.keeper import Keeper
from tests.interfaces.mcp.clients import Connect, run, text


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes on disk are looked for before every call."""
    monkeypatch.setattr(keeping, "AT_MOST_EVERY", 0.0)
    monkeypatch.setattr(keeping, "SHARE", 0)
    monkeypatch.setattr(keeping, "HEAD_START", 0.0)
    monkeypatch.setattr(keeping, "FIRST", 0.0)


def test_what_others_write_is_found(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    """Another process, and an editor: files written, changed and removed while the server runs."""
    keeper = Keeper(open_memory)
    keeper.start()
    assert keeper._warming is not None
    keeper._warming.join()
    note = tmp_path / "vault" / "tea.md"
    note.parent.mkdir()

    def found(words: str) -> list[str]:
        return [hit.text for hit in keeper.memory().search(words, abstain=False).hits]

    note.write_text("# Tea\n\nOolong steeps for four minutes.\n", encoding="utf-8")
    assert any("four minutes" in one for one in found("How long does oolong steep?"))
    note.write_text("# Tea\n\nOolong steeps for five whole minutes.\n", encoding="utf-8")
    assert any("five whole minutes" in one for one in found("How long does oolong steep?"))
    open_memory().remember("Sencha steeps for one minute.")
    assert any("Sencha" in one for one in found("How long does sencha steep?"))
    note.unlink()
    assert not any("Oolong" in one for one in found("How long does oolong steep?"))
    keeper.close()


def test_while_files_are_read_answers_say_so(open_memory: Callable[..., Memory], connect: Connect) -> None:
    """F60: the tools answer while the index is brought up to date, and say that something may be missing."""
    reading, go_on = threading.Event(), threading.Event()
    memory = open_memory()
    memory.note("Tea", "Oolong steeps for four minutes.")
    real = memory.sync

    def slowly(*, progress: Callable[[int, int], None] | None = None) -> object:
        if progress is not None:
            progress(10, 20_000)
        reading.set()
        go_on.wait(30)
        return real()

    memory.sync = slowly  # type: ignore[method-assign]
    slow = Keeper(lambda: memory)

    async def scenario() -> None:
        from mcp import Client

        from scrubjay.interfaces.mcp.server import Place, build

        async with Client(build(slow, Place(folder=None, inbox="")), mode="legacy") as client:
            await anyio.to_thread.run_sync(reading.wait)
            answer = await client.call_tool("search_memory", {"query": "How long does oolong steep?"})
            assert "four minutes" in text(answer)
            assert "10 of 20,000 files" in answer.structured_content["warnings"][0]
            go_on.set()

    run(scenario)


def test_what_cannot_be_opened_is_tried_again(open_memory: Callable[..., Memory]) -> None:
    attempts: list[int] = []

    def opening() -> Memory:
        attempts.append(1)
        if len(attempts) == 1:
            raise Unavailable("The disk is away.")
        return open_memory()

    keeper = Keeper(opening)
    with pytest.raises(Unavailable, match="away"):
        keeper.memory()
    assert keeper.memory() is keeper.memory()
    keeper.close()
    keeper.close()
    with pytest.raises(Unavailable, match="stopping"):
        keeper.memory()


def test_what_was_just_stored_gets_its_vector_before_the_search(tmp_path: Path) -> None:
    """Read your writes, by meaning too."""
    from scrubjay.testing import HashEmbedder

    keeper = Keeper(lambda: Memory.open(tmp_path / "vault", embedder=HashEmbedder(), background=False))
    memory = keeper.memory()
    memory.remember("Sencha steeps for one minute.")
    assert memory.waiting() == 1
    keeper.embed_few()
    assert memory.waiting() == 0
    keeper.close()


def test_learning_reports_progress_and_stops_when_cancelled(
    connect: Connect, keeper: Keeper, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long work tells how far it is; nothing is kept of what was cancelled."""
    for number in range(40):
        (project / f"note-{number}.md").write_text(f"# Note {number}\n\nText about thing {number}.\n", encoding="utf-8")
    seen: list[tuple[float, float | None]] = []

    async def scenario() -> None:
        monkeypatch.setattr("scrubjay.interfaces.mcp.threads.EVERY", 0.0)
        async with connect() as client:
            with anyio.CancelScope() as scope:

                async def stop(done: float, total: float | None, _message: str | None) -> None:
                    seen.append((done, total))
                    if done >= 3:
                        scope.cancel()

                await client.call_tool("learn", {"path": "."}, progress_callback=stop)
            assert scope.cancelled_caught
            assert (await client.call_tool("review", {})).structured_content["status"] == "empty"
            assert keeper.memory().inbox() == []

    run(scenario)
    assert seen[0] == (0.0, 40.0)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1][0] < 40
