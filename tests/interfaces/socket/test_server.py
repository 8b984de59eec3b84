"""A warm server behind a socket: who may ask it, and what it bears (SEC-4, F53, F62, F64)."""

from __future__ import annotations

import os
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import scrubjay
from scrubjay import Memory
from scrubjay.errors import Refused, Unavailable
from scrubjay.interfaces.socket import client, place, wire
from scrubjay.interfaces.socket import server as servers
from scrubjay.interfaces.socket.memories import Memories
from scrubjay.interfaces.socket.server import Server

OFF = {"models.embedder": "none", "models.reranker": "none"}
SECONDS = 20.0


@pytest.fixture
def home() -> Iterator[Path]:
    """A short path: a socket's may have no more than a hundred bytes."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="jay") as folder:
        yield Path(folder)


def memories(home: Path) -> Memories:
    return Memories(lambda cwd: Memory.open(home=home, cwd=cwd, settings=OFF, sync=False, background=False))


@pytest.fixture
def start(home: Path) -> Iterator[Callable[..., Server]]:
    running: list[tuple[Server, threading.Thread]] = []

    def begin(idle: float = 0) -> Server:
        ready = threading.Event()
        server = Server(str(home), memories(home), idle=idle)
        thread = threading.Thread(target=server.serve, args=[ready.set])
        thread.start()
        assert ready.wait(SECONDS)
        running.append((server, thread))
        return server

    yield begin
    for server, thread in running:
        server.end()
        thread.join(SECONDS)
        assert not thread.is_alive()


def ask(home: Path, **request: Any) -> dict[str, Any] | None:
    return client.ask(str(home), request, seconds=SECONDS)


def connected(home: Path) -> socket.socket:
    other = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    other.settimeout(SECONDS)
    other.connect(wire.path(str(home)))
    assert other.recv(1000).endswith(b"\n"), "the greeting"
    return other


def test_hk16_a_server_answers_by_the_memory_of_the_asking_folder(start: Any, home: Path, tmp_path: Path) -> None:
    with Memory.open(home=home, cwd=tmp_path, settings=OFF, background=False) as memory:
        fact = memory.remember("The staging database runs PostgreSQL 16 on port 5433.")
        for other in (
            "Max prefers uv over pip for new Python projects.",
            "Releases are cut on Tuesdays.",
            "Alice is on parental leave until the end of March.",
            "The kitchen gets a coffee machine.",
        ):
            memory.remember(other)
    start()
    question = "On which port does the staging database listen?"
    found = client.recall(str(home), question, cwd=str(tmp_path), limit=5, seconds=SECONDS)
    assert found is not None and found[0] == [fact.id] and "5433" in found[1][0]
    again = client.recall(str(home), question, cwd=str(tmp_path), limit=5, leaving_out=[fact.id], seconds=SECONDS)
    assert again == ([], [])


def test_sec4_socket_and_folder_are_their_owners(start: Any, home: Path) -> None:
    (home / "state").mkdir(mode=0o755)
    start()
    assert stat.S_IMODE(os.stat(wire.path(str(home))).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(home / "state").st_mode) == 0o700


def test_sec4_the_system_says_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX)
    with ours, theirs:
        assert place.is_same_user(ours)
        other = os.getuid() + 1
        monkeypatch.setattr(os, "getuid", lambda: other)
        assert not place.is_same_user(ours)


@pytest.mark.parametrize(
    "line",
    [
        b"not json\n",
        b"[]\n",
        b"{}\n",
        b"\xff\xfe\n",
        b'{"ask": "nothing"}\n',
        b'{"ask": ["ping"]}\n',
        b'{"ask": "recall"}\n',
        b'{"ask": "recall", "prompt": 1, "cwd": "/", "limit": 1}\n',
        b'{"ask": "recall", "prompt": "x", "cwd": "relative", "limit": 1}\n',
        b'{"ask": "recall", "prompt": "x", "cwd": "/\\u0000", "limit": 1}\n',
        b'{"ask": "recall", "prompt": "x", "cwd": "/", "limit": true}\n',
        b'{"ask": "recall", "prompt": "x", "cwd": "/", "limit": 1, "without": [1]}\n',
        b"[" * 50_000 + b"\n",
    ],
)
def test_a_bad_request_is_answered_and_the_next_one_too(start: Any, home: Path, line: bytes) -> None:
    start()
    with connected(home) as other:
        other.sendall(line)
        assert b'"error"' in other.recv(10_000)
        other.sendall(b'{"ask": "ping"}\n')
        assert b'"ok"' in other.recv(10_000)


def test_too_long_a_line_and_a_slow_client_end_only_themselves(
    start: Any, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "LINE_SECONDS", 0.05)
    start()
    with connected(home) as slow:
        slow.sendall(b'{"ask"')
        assert slow.recv(10) == b"", "its time is over"
    monkeypatch.setattr(servers, "LINE_SECONDS", SECONDS)
    with connected(home) as loud:
        try:
            while True:
                loud.sendall(b"x" * 65_536)
        except OSError:
            pass
    answer = ask(home, ask="ping")
    assert answer is not None and answer["ok"]


def test_f64_a_server_of_an_older_version_is_told_to_end(
    start: Any, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = start()
    with monkeypatch.context() as older:
        # The greeting of the server and what the client is read the same name; the client's is moved on.
        told = wire.parsed

        def parsed(line: bytes) -> dict[str, Any] | None:
            message = told(line)
            return {**message, "scrubjay": "0.0.1"} if message and "scrubjay" in message else message

        older.setattr(wire, "parsed", parsed)
        assert ask(home, ask="ping") is None
        assert server._ending.wait(SECONDS)


def test_f64_a_newer_server_is_left_alone(start: Any, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = start()
    told = wire.parsed
    newer = {"scrubjay": "999.0", "protocol": wire.PROTOCOL}
    monkeypatch.setattr(wire, "parsed", lambda line: newer if b"protocol" in line else told(line))
    assert ask(home, ask="ping") is None
    assert not server._ending.is_set()


@pytest.mark.parametrize(("one", "other", "later"), [("0.2.0", "0.1.9", True), ("0.1.0", "0.1.0", False)])
def test_f64_versions_are_compared_as_numbers(one: str, other: str, later: bool) -> None:
    assert wire.newer(one, other) is later
    assert not wire.newer("nonsense", scrubjay.__version__)


def test_f53_the_socket_of_a_dead_server_is_taken_over_and_a_living_one_is_not(start: Any, home: Path) -> None:
    (home / "state").mkdir(mode=0o700)
    dead = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    dead.bind(wire.path(str(home)))
    dead.close()  # the file stays, as after kill -9
    assert ask(home, ask="ping") is None
    start()
    assert ask(home, ask="ping") is not None
    with pytest.raises(Unavailable, match="already"), place.listening(str(home)):
        pass
    assert ask(home, ask="ping") is not None


def test_sec4_what_is_no_socket_is_not_taken_away(home: Path) -> None:
    (home / "state").mkdir(mode=0o700)
    file = Path(wire.path(str(home)))
    file.write_text("kept", encoding="utf-8")
    with pytest.raises(Refused), place.listening(str(home)):
        pass
    assert file.read_text(encoding="utf-8") == "kept"
    assert ask(home, ask="ping") is None


def test_f62_a_server_that_says_nothing_is_not_waited_for(home: Path) -> None:
    (home / "state").mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as silent:
        silent.bind(wire.path(str(home)))
        silent.listen()
        assert client.ask(str(home), {"ask": "ping"}, seconds=0.05) is None


def test_a_server_that_nobody_asks_ends_by_itself_and_leaves_nothing(home: Path) -> None:
    Server(str(home), memories(home), idle=0.05).serve()
    assert not os.path.lexists(wire.path(str(home)))


def test_end_ends_it(start: Any, home: Path) -> None:
    server = start()
    assert ask(home, ask="end") == {"ok": True}
    assert server._ending.wait(SECONDS)
