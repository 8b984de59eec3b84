"""The documentation is right: its examples run, its settings table is the program's, its links lead somewhere.

The convention is described in CONTRIBUTING.md. All fenced blocks of a page run in order, in one scratch folder:

    ```console            lines after "$ " are run; lines below, if any, are the expected output
    ```python             is run as a program
    ```toml file=a/b.md   (any language) is written to that file
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from scrubjay.config.sections import markdown

ROOT = Path(__file__).parents[2]
PAGES = {
    path.relative_to(ROOT).as_posix(): path for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
}

FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```\s*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]+\]\((?!https?:|mailto:|#)([^)#\s]+)")
TABLE = re.compile(r"(?<=<!-- settings -->\n).*?(?=<!-- end of settings -->)", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: what it is, what stands in it, on which line."""

    language: str
    file: str
    body: str
    line: int


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        language, _, rest = match["info"].strip().partition(" ")
        file = re.search(r"file=(\S+)", rest)
        yield Block(language, file[1] if file else "", match["body"], text.count("\n", 0, match.start()) + 1)


def commands(body: str) -> Iterator[tuple[str, str]]:
    """Each command of a console block, with the output expected below it."""
    command: list[str] = []
    output: list[str] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            if command:
                yield "\n".join(command), "\n".join(output)
            command, output = [line[2:]], []
        elif line.startswith("> ") and not output:
            command.append(line[2:])
        else:
            output.append(line)
    if command:
        yield "\n".join(command), "\n".join(output)


def matches(expected: str, actual: str) -> bool:
    """Whether ``actual`` is as ``expected``, where ``...`` stands for anything and blanks at line ends do not count."""
    plain = ["\n".join(line.rstrip() for line in text.strip().splitlines()) for text in (expected, actual)]
    pattern = ".*?".join(re.escape(part) for part in plain[0].split("..."))
    return re.fullmatch(pattern, plain[1], re.DOTALL) is not None


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A scratch home, and a ``scrubjay`` on the PATH that is the code under test."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("scrubjay", "jay"):
        (programs / name).write_text(
            f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m scrubjay "$@"\n', encoding="utf-8"
        )
        (programs / name).chmod(0o700)
    home = tmp_path / "home"
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SCRUBJAY_", "GIT_", "XDG_"))}
    return {
        **kept,
        "PATH": f"{programs}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "HOME": str(home),
        "SCRUBJAY_HOME": str(home / ".scrubjay"),
        "NO_COLOR": "1",
        "COLUMNS": "120",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }


def run(command: list[str], folder: Path, environment: dict[str, str], where: str) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, f"{where} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("name", PAGES)
def test_every_example_runs(name: str, tmp_path: Path, environment: dict[str, str]) -> None:
    folder = tmp_path / "scratch"
    folder.mkdir()
    for block in blocks(PAGES[name]):
        where = f"{name}, line {block.line}"
        if block.file:
            target = folder / block.file
            assert target.resolve().is_relative_to(folder.resolve()), where
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.body, encoding="utf-8")
        elif block.language == "python":
            run([sys.executable, "-W", "error", "-c", block.body], folder, environment, where)
        elif block.language == "console":
            for command, expected in commands(block.body):
                actual = run(["sh", "-c", command], folder, environment, f"{where}: {command}")
                assert not expected or matches(expected, actual), f"{where}: {command}\n{actual}"


@pytest.mark.parametrize("name", PAGES)
def test_every_link_to_a_file_leads_there(name: str) -> None:
    text = FENCE.sub("", PAGES[name].read_text(encoding="utf-8"))
    assert [link for link in LINK.findall(text) if not (PAGES[name].parent / link).exists()] == []


def test_the_settings_are_documented_as_they_are() -> None:
    """Run with UPDATE_DOCS=1 to write the table anew."""
    page = ROOT / "docs" / "configuration.md"
    text = page.read_text(encoding="utf-8")
    if os.environ.get("UPDATE_DOCS"):
        page.write_text(TABLE.sub(lambda _: markdown(), text), encoding="utf-8")
        text = page.read_text(encoding="utf-8")
    assert TABLE.findall(text) == [markdown()]


def test_the_comparison_of_output_is_loose_only_where_asked() -> None:
    assert matches("a ... c\n...", "a b c\nd\ne")
    assert matches("a", "a  \n")
    assert not matches("a", "a b")
    assert not matches("a ... c", "a b d")


def test_commands_are_found_with_their_output() -> None:
    body = "$ one\nout\n\nput\n$ two \\\n>   more\n$ three\n"
    assert list(commands(body)) == [("one", "out\n\nput"), ("two \\\n  more", ""), ("three", "")]
