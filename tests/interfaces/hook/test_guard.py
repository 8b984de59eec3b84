"""Whatever happens to the work of a hook, the host gets what came in time and exit code 0 (HK-7, F62, F80)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SRC = str(Path(__file__).resolve().parents[3] / "src")
LINE = b'{"hookSpecificOutput": {}}'
WORK = {
    "hangs": ("b''.join(iter(lambda: __import__('time').sleep(60) or b'', 1)); yield b''", b""),
    "says something, then hangs": (f"yield {LINE!r}\n    __import__('time').sleep(60)", LINE + b"\n"),
    "says more and more": (f"yield b'part'\n    yield {LINE!r}", LINE + b"\n"),
    "breaks off": ("import os\n    os.write(6, b'{\"half')\n    os._exit(0)\n    yield b''", b""),
    "crashes": (f"import os\n    yield {LINE!r}\n    os.abort()", LINE + b"\n"),
    "raises": ("raise SystemExit(2)\n    yield b''", b""),
    "is out of memory": ("raise MemoryError\n    yield b''", b""),
    "has nothing to say": ("return\n    yield b''", b""),
    "fills both streams": ("print('x' * 100000)\n    import sys\n    print('y', file=sys.stderr)\n    yield b''", b""),
}


@pytest.mark.parametrize("what", WORK)
def test_hk7_the_answer_in_time_or_none(what: str) -> None:
    body, expected = WORK[what]
    script = (
        f"import sys\nfrom scrubjay.interfaces import hook\nfrom scrubjay.interfaces.hook import handling\n"
        f"def answers(named):\n    {body}\nhandling.answers = answers\nhook.main(['SessionStart'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=b"{}",
        capture_output=True,
        env={**os.environ, "PYTHONPATH": SRC},
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, b"")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full"])
def test_hk7_streams_that_are_closed_or_full_break_nothing(closed: str) -> None:
    line = f"'{sys.executable}' -P -m scrubjay hook SessionStart {closed}"
    done = subprocess.run(["sh", "-c", line], env={**os.environ, "PYTHONPATH": SRC}, timeout=30, check=False)
    assert done.returncode == 0
