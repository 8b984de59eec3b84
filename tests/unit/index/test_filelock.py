"""The lock between processes: real exclusion, released by the death of its holder."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from scrubjay.errors import Unavailable
from scrubjay.index.sqlite.filelock import exclusive


def test_one_holder_at_a_time_even_among_threads_of_one_process(tmp_path: Path) -> None:
    """F56."""
    with (
        exclusive(tmp_path / "lock", wait_seconds=1),
        pytest.raises(Unavailable, match="rebuilding"),
        exclusive(tmp_path / "lock", wait_seconds=0),
    ):
        pass
    with exclusive(tmp_path / "lock", wait_seconds=0):
        pass


def test_a_dead_holder_holds_nothing(tmp_path: Path, start: Callable[..., subprocess.Popen[str]]) -> None:
    """F53: no pid files, nothing to time out."""
    program = """
from pathlib import Path
from scrubjay.index.sqlite.filelock import exclusive
with exclusive(Path(sys.argv[1]), wait_seconds=1):
    print("held", flush=True)
    sys.stdin.readline()
"""
    process = start(program, tmp_path / "lock")
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    with pytest.raises(Unavailable), exclusive(tmp_path / "lock", wait_seconds=0):
        pass
    process.kill()
    process.wait()
    with exclusive(tmp_path / "lock", wait_seconds=0):
        pass
