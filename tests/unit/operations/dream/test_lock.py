"""One dream at a time, by the host's convention (CC-D2, F53, F56, F57)."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scrubjay.operations.dream import lock
from scrubjay.operations.dream.lock import DreamLock, HeldError, alive, last
from scrubjay.vaults.dialects.claude_memory import host


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / host.LOCK_NAME


def test_cc_d2_the_time_of_the_file_is_the_end_of_the_last_dream(tmp_path: Path, file: Path) -> None:
    assert last(tmp_path) is None
    with DreamLock(tmp_path) as held:
        assert file.read_text(encoding="utf-8").split()[0] == str(os.getpid())
        held.done()
    found = last(tmp_path)
    assert found is not None and abs(found.timestamp() - time.time()) < 60
    assert file.stat().st_mode & 0o777 == 0o600


def test_cc_d2_a_dream_that_fails_puts_the_time_back(tmp_path: Path, file: Path) -> None:
    with pytest.raises(KeyError), DreamLock(tmp_path) as held:
        {}[held.done()]
    assert not file.exists()
    file.write_text("", encoding="utf-8")
    os.utime(file, (1000, 1000))
    with DreamLock(tmp_path):
        pass
    assert file.stat().st_mtime == 1000


def test_cc_d2_one_that_is_held_is_not_taken(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom pathlib import Path\nfrom scrubjay.operations.dream.lock import DreamLock\n"
        "with DreamLock(Path(sys.argv[1])):\n    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"held\n"
        with pytest.raises(HeldError), DreamLock(tmp_path):
            pass
        other.kill()
    with DreamLock(tmp_path) as held:  # F53: a dead holder keeps nobody out
        held.done()


def test_cc_d2_an_hour_without_a_heartbeat_is_stale_and_a_used_number_is_not_the_process(
    tmp_path: Path, file: Path
) -> None:
    file.write_text(f"{os.getppid()}", encoding="utf-8")
    with pytest.raises(HeldError), DreamLock(tmp_path):
        pass
    os.utime(file, (time.time() - 3601, time.time() - 3601))
    with DreamLock(tmp_path):
        pass
    file.write_text(f"{os.getppid()} 1", encoding="utf-8")  # F56: the number of a process that started otherwise
    assert not alive(f"{os.getppid()} 1")
    with DreamLock(tmp_path):
        pass


def test_f57_the_heart_beats_while_it_is_held(tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "BEAT_SECONDS", 0.01)
    with DreamLock(tmp_path):
        os.utime(file, (1000, 1000))
        deadline = time.monotonic() + 30
        while file.stat().st_mtime == 1000 and time.monotonic() < deadline:
            pass
        assert file.stat().st_mtime != 1000


@pytest.mark.parametrize("holder", ["", "x", "-1", "0", "99999999999", "abc 1"])
def test_what_is_no_process_is_not_alive(holder: str) -> None:
    assert not alive(holder)


def test_f112_a_link_is_not_followed(tmp_path: Path, file: Path) -> None:
    (tmp_path / "precious").write_text("precious", encoding="utf-8")
    file.symlink_to(tmp_path / "precious")
    with pytest.raises(Exception, match="no file of ours"), DreamLock(tmp_path):
        pass
    assert (tmp_path / "precious").read_text(encoding="utf-8") == "precious"
