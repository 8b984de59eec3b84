"""A real process: what it loads, what it says on odd consoles, how it stops (F60, F109)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
POSIX = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals, pipes or terminals")


@pytest.fixture
def variables(own_home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SCRUBJAY_", "PYTHONIO"))}
    return {
        **kept,
        "SCRUBJAY_HOME": str(own_home / ".scrubjay"),
        "SCRUBJAY_MODELS_EMBEDDER": "none",
        "SCRUBJAY_MODELS_RERANKER": "none",
        "PYTHONPATH": str(SOURCE),
        "TERM": "xterm",
        "COLUMNS": "80",
    }


def scrubjay(*args: str, env: dict[str, str], cwd: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-W", "error", "-m", "scrubjay", *args]
    return subprocess.run(command, env=env, cwd=cwd, input=stdin, capture_output=True, check=False)


LOADED = """
import sys
from scrubjay.interfaces.cli import main
try:
    main(sys.argv[1:])
except SystemExit as end:
    assert not end.code, end.code
print("\\nLOADED " + " ".join(sys.modules), file=sys.stderr)
"""


def loaded(*args: str, env: dict[str, str], cwd: Path) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *args],
        env=env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return set(done.stderr.rpartition("LOADED ")[2].split())


def test_help_loads_click_and_our_own_few_modules(variables: dict[str, str], tmp_path: Path) -> None:
    modules = loaded("--help", env=variables, cwd=tmp_path)
    ours = {name for name in modules if name.startswith("scrubjay")}
    assert not {name for name in ours if not name.startswith(("scrubjay.interfaces", "scrubjay.errors"))} - {"scrubjay"}
    assert not any(name.startswith("scrubjay.interfaces.cli.commands") for name in ours)
    assert modules & {"json", "rich", "dataclasses", "numpy", "apsw", "asyncio", "logging"} == set()


@pytest.mark.parametrize(
    "args", [("remember", "Max likes tea."), ("note", "One", "Body."), ("facts",), ("status",), ("undo", "--list")]
)
def test_a_command_without_a_question_loads_no_model(
    variables: dict[str, str], tmp_path: Path, args: tuple[str, ...]
) -> None:
    """F60: writing is quick; the packaged model stays on the disk."""
    packaged = {name: value for name, value in variables.items() if not name.startswith("SCRUBJAY_MODELS")}
    modules = loaded(*args, env=packaged, cwd=tmp_path)
    assert modules & {"onnxruntime", "tokenizers", "rich", "httpx2", "tree_sitter"} == set()


def test_python_dash_m(variables: dict[str, str], tmp_path: Path) -> None:
    done = scrubjay("--version", env=variables, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"scrubjay ")


@pytest.mark.parametrize("encoding", ["cp1252:strict", "gbk", "ascii"])
def test_no_console_encoding_crashes_a_command(variables: dict[str, str], tmp_path: Path, encoding: str) -> None:
    """F109."""
    variables["PYTHONIOENCODING"] = encoding
    text = "✓ Jānis 太郎 👩‍👩‍👧 → §"
    done = scrubjay("remember", "-", env=variables, cwd=tmp_path, stdin=text.encode())
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"Remembered")
    done = scrubjay("facts", "--json", env=variables, cwd=tmp_path)
    assert done.returncode == 0
    assert json.loads(done.stdout.decode("utf-8"))["facts"][0]["text"] == text
    assert scrubjay("show", "✗太", env=variables, cwd=tmp_path).returncode == 3


@POSIX
def test_an_undecodable_argument_is_no_crash(variables: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scrubjay", "remember", os.fsdecode(b"bad \xff byte")]
    done = subprocess.run(command, env=variables, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode in (0, 2), done.stderr
    assert b"Traceback" not in done.stderr
    assert b"Unexpected" not in done.stderr


INTERRUPTED = """
import os, signal, sys
from scrubjay.interfaces.cli import console, main

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what it starts behind it ignore Ctrl-C

def read_stdin():
    os.kill(os.getpid(), signal.SIGINT)  # as a terminal does it, while the command waits for its input
    return sys.stdin.buffer.read().decode()

console.read_stdin = read_stdin
main(sys.argv[1:])
"""


@POSIX
def test_ctrl_c_ends_with_130_and_one_line(variables: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-c", INTERRUPTED, "remember", "-"]
    with subprocess.Popen(
        command, env=variables, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        out, err = process.communicate()
    assert (process.returncode, out, err) == (130, b"", b"Stopped. What was done so far is kept.\n")


@POSIX
@pytest.mark.parametrize("args", [("--help",), ("facts",), ("facts", "--json"), ("completion", "bash")])
def test_a_reader_that_left_is_no_news(variables: dict[str, str], tmp_path: Path, args: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = [sys.executable, "-m", "scrubjay", *args]
        done = subprocess.run(command, env=variables, cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_sentence(variables: dict[str, str], tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "scrubjay", "facts"]
        done = subprocess.run(command, env=variables, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(b"Error: ")
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


@POSIX
def test_closed_streams_are_no_crash(variables: dict[str, str], tmp_path: Path) -> None:
    command = f'exec "{sys.executable}" -m scrubjay remember "Max likes tea." <&- >&- 2>&-'
    assert subprocess.run(["sh", "-c", command], env=variables, cwd=tmp_path, check=False).returncode == 0


def on_a_terminal(*args: str, env: dict[str, str], cwd: Path) -> bytes:
    import pty

    leader, follower = pty.openpty()
    try:
        command = [sys.executable, "-m", "scrubjay", *args]
        process = subprocess.Popen(command, env=env, cwd=cwd, stdin=follower, stdout=follower, stderr=follower)
        os.close(follower)
        parts = []
        try:
            while data := os.read(leader, 65536):
                parts.append(data)
        except OSError:
            pass  # the end of a terminal on Linux
        process.wait()
        return b"".join(parts)
    finally:
        os.close(leader)


@POSIX
def test_colours_on_a_terminal_unless_unwanted(variables: dict[str, str], tmp_path: Path) -> None:
    variables.pop("NO_COLOR", None)
    variables.pop("FORCE_COLOR", None)
    assert b"\x1b[1m" in on_a_terminal("remember", "Max likes \x1b[31mtea.", env=variables, cwd=tmp_path)
    assert b"\x1b[31m" not in on_a_terminal("facts", env=variables, cwd=tmp_path)
    for plain in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert b"\x1b[" not in on_a_terminal("facts", env={**variables, **plain}, cwd=tmp_path)
    assert b"\x1b" not in scrubjay("facts", env=variables, cwd=tmp_path).stdout


@POSIX
def test_long_work_draws_a_bar_on_a_terminal_only(variables: dict[str, str], tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(150):
        (notes / f"{number}.md").write_text(f"# Note {number}\n\nText.\n", encoding="utf-8")
    shown = on_a_terminal("sync", "--vault", "notes", env=variables, cwd=tmp_path)
    assert b"Reading" in shown
    assert b"150 added" in shown
    done = scrubjay("sync", "--vault", "notes", "--home", "other", env=variables, cwd=tmp_path)
    assert done.stderr == b""
    assert b"Reading" not in done.stdout


@POSIX
def test_shells_get_completions(variables: dict[str, str], tmp_path: Path) -> None:
    variables |= {"_SCRUBJAY_COMPLETE": "bash_complete", "COMP_WORDS": "scrubjay se", "COMP_CWORD": "1"}
    assert scrubjay(env=variables, cwd=tmp_path).stdout.split() == [b"plain,search", b"plain,serve"]
    variables |= {"COMP_WORDS": "scrubjay search --exp", "COMP_CWORD": "2"}
    assert scrubjay(env=variables, cwd=tmp_path).stdout.split() == [b"plain,--explain"]
