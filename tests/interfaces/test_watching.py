"""``ingest --watch`` as a real process: live sessions are followed, and Ctrl-C ends it with the counts (TR-0)."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.flows.secret_keys import github_pat, places_of

SOURCE = Path(__file__).parents[2] / "src"
PATIENCE = 60.0
ID = "3f2a9c1d-8e7b-4a5f-8c3d-2e1f0a9b8c7d"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")


def record(number: int, text: str, session: str = ID) -> str:
    role = "user" if number % 2 else "assistant"
    values = {
        "type": role,
        "uuid": f"{session[:8]}-0000-4000-8000-{number:012}",
        "parentUuid": f"{session[:8]}-0000-4000-8000-{number - 1:012}" if number > 1 else None,
        "sessionId": session,
        "timestamp": f"2026-11-30T10:{number:02}:00.000Z",
        "message": {"role": role, "content": text},
    }
    return json.dumps(values) + "\n"


class Watching:
    """A running ``scrubjay --json ingest --watch``, and what it says."""

    def __init__(self, env: dict[str, str], cwd: Path, *args: str) -> None:
        command = [sys.executable, "-W", "error", "-m", "scrubjay", "--json", "ingest", "--watch", "--no-embed", *args]
        self.process = subprocess.Popen(
            command, env=env, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
        )
        self._said: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._said.put(line)

    def next(self) -> dict[str, Any]:
        """The next thing it says."""
        answer: dict[str, Any] = json.loads(self._said.get(timeout=PATIENCE))
        return answer

    def added(self, messages: int) -> None:
        """Waits until as many messages were added."""
        while messages > 0:
            messages -= self.next()["added"]
        assert messages == 0

    def end(self, number: int = signal.SIGINT) -> tuple[int, dict[str, Any], str]:
        """Its exit code, the last thing it said, and its complaints."""
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        assert self.process.stderr is not None
        complaints = self.process.stderr.read()
        last: dict[str, Any] = {}
        while not self._said.empty():
            last = json.loads(self._said.get())
        return code, last, complaints


@pytest.fixture
def env(own_home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SCRUBJAY_")}
    return {
        **kept,
        "SCRUBJAY_HOME": str(own_home / ".scrubjay"),
        "SCRUBJAY_MODELS_EMBEDDER": "none",
        "SCRUBJAY_MODELS_RERANKER": "none",
        "PYTHONPATH": str(SOURCE),
    }


@pytest.fixture
def folder(own_home: Path) -> Path:
    """Where Claude Code keeps its transcripts, with one of them."""
    place = own_home / ".claude" / "projects" / "-home-max-shop"
    place.mkdir(parents=True)
    (place / f"{ID}.jsonl").write_text(record(1, "Which database?") + record(2, "PostgreSQL."), "utf-8")
    return place


@pytest.fixture
def started(env: dict[str, str], tmp_path: Path) -> Iterator[Any]:
    running: list[Watching] = []

    def start(*args: str) -> Watching:
        running.append(Watching(env, tmp_path, *args))
        return running[-1]

    yield start
    for one in running:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()
        for stream in (one.process.stdout, one.process.stderr):
            if stream is not None:
                stream.close()


def told(home: Path) -> str:
    """All transcripts of the vault, without what the trash keeps of them."""
    found = (home / ".scrubjay").rglob("*.transcript.md")
    return "".join(path.read_text("utf-8") for path in found if "90-Trash" not in path.parts)


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def test_live_sessions_are_followed_and_ctrl_c_ends_with_the_counts(
    started: Any, folder: Path, own_home: Path, tmp_path: Path
) -> None:
    secret, elsewhere = github_pat(), github_pat()
    path = folder / f"{ID}.jsonl"
    watching = started("--discover")
    assert watching.next()["added"] == 2
    append(path, record(3, f"The token is {secret}."))
    change = watching.next()
    assert (change["added"], change["redacted"], change["changed"]) == (1, 1, [str(path.resolve())])

    half = record(4, "Written in two halves.")
    append(path, half[:40])
    other = folder / "9f2a9c1d-8e7b-4a5f-8c3d-2e1f0a9b8c7d.jsonl"
    (folder / "settings.json").write_text(json.dumps({"token": elsewhere}), "utf-8")
    other.write_text(record(1, "A new session.", other.stem), "utf-8")
    watching.added(1)
    append(path, half[40:])
    watching.added(1)

    # Rotated: another file under the name, with what was there and more. Then it vanishes.
    again = path.with_name("new")
    again.write_text(path.read_text("utf-8") + record(5, "After rotation."), "utf-8")
    os.replace(again, path)
    watching.added(1)
    path.unlink()
    append(other, record(2, "It goes on.", other.stem))
    watching.added(1)

    code, last, complaints = watching.end()
    assert (code, complaints) == (0, "")
    assert (last["ended"], last["added"], last["redacted"]) == (True, 7, 1)
    for made in (secret, elsewhere):
        assert places_of(made, own_home / ".scrubjay") == []
    kept = told(own_home)
    assert kept.count("Written in two halves.") == kept.count("PostgreSQL.") == kept.count("After rotation.") == 1


def test_one_file_is_followed_and_its_neighbours_are_not(started: Any, folder: Path, own_home: Path) -> None:
    path = folder / f"{ID}.jsonl"
    watching = started(str(path))
    assert watching.next()["added"] == 2
    other = folder / "9f2a9c1d-8e7b-4a5f-8c3d-2e1f0a9b8c7d.jsonl"
    other.write_text(record(1, "Nobody asked for this one.", other.stem), "utf-8")
    append(path, record(3, "Go on."))
    watching.added(1)
    code, last, _ = watching.end(signal.SIGTERM)
    assert (code, last["added"]) == (0, 3)
    kept = told(own_home)
    assert "Nobody asked" not in kept


def test_a_later_run_goes_on_where_the_last_one_ended(started: Any, folder: Path) -> None:
    first = started(str(folder))
    first.added(2)
    first.end()
    append(folder / f"{ID}.jsonl", record(3, "Meanwhile."))
    second = started(str(folder))
    change = second.next()
    assert (change["added"], change["known"]) == (1, 0)
    assert second.end()[1]["added"] == 1


def test_what_cannot_be_watched_is_said_at_once(started: Any, tmp_path: Path) -> None:
    watching = started(str(tmp_path / "nowhere"))
    assert watching.process.wait(PATIENCE) == 3
