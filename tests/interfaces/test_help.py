"""Help is behaviour (F68): every command exists, explains itself, is documented, and its examples run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import click
import pytest

from scrubjay.interfaces.cli.group import COMMANDS, cli
from scrubjay.interfaces.cli.options import global_options

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"^      (.*scrubjay .*)$", re.MULTILINE)


def command(name: str) -> click.Command:
    found = cli.get_command(click.Context(cli), name)
    assert found is not None
    return found


def section(name: str) -> str:
    start = PAGE.index(f"\n## {name}\n")
    return PAGE[start : PAGE.find("\n## ", start + 4)]


def own_options(name: str) -> set[str]:
    everywhere = {option for param in global_options() for option in param.opts}
    return {option for param in command(name).params for option in param.opts if option.startswith("--")} - everywhere


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(jay, name: str) -> None:
    done = jay(name, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: scrubjay {name} ")
    assert "Examples:" in done.out
    assert jay(name, "-h").out == done.out
    # The list of commands tells the same as the command itself.
    assert (command(name).help or "").split("\n", 1)[0] == COMMANDS[name]
    assert command(name).name == name


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_does(name: str) -> None:
    for param in command(name).params:
        if isinstance(param, click.Option):
            assert param.help, param.name
            assert param.help[0].isupper(), param.help


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_documented(name: str) -> None:
    """F68: what the documentation tells of a command is what the command has."""
    text = section(name)
    assert f"$ scrubjay {name}" in text
    assert {option for option in own_options(name) if f"`{option}" not in text} == set()
    told = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)) - {
        option for param in global_options() for option in param.opts
    }
    assert told - own_options(name) == set()


def test_the_documentation_tells_of_nothing_else() -> None:
    sections = set(re.findall(r"^## ([a-z]+)$", PAGE, re.MULTILINE))
    assert sections == set(COMMANDS)
    common = PAGE[: PAGE.index("\n## init\n")]
    for param in global_options():
        assert f"`{param.opts[0]}" in common


def test_the_list_of_commands_is_that_of_the_help(jay) -> None:
    out = jay("--help").out
    listed = re.findall(r"^  ([a-z]+)  +\S", out[out.index("Commands:") :], re.MULTILINE)
    assert listed == list(COMMANDS)


def test_version(jay) -> None:
    import scrubjay

    assert jay("--version").out == f"scrubjay {scrubjay.__version__}\n"


def examples() -> list[str]:
    return [line for name in COMMANDS for line in EXAMPLE.findall((command(name).help or "").replace("\b", ""))]


def test_examples_are_found() -> None:
    assert len(examples()) > len(COMMANDS)


# A server takes over its process, and a hook ends it: their examples run in tests/interfaces/{mcp,hook}.
@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in {"completion", "mcp", "hook", "serve"}])
def test_the_examples_of_the_help_run(jay, name: str, tmp_path: Path, own_home: Path) -> None:
    """F68: an example that does not run teaches nothing. Ids stand for one that exists."""
    (own_home / "code/shop").mkdir(parents=True)
    (own_home / ".claude/projects").mkdir(parents=True)
    (tmp_path / "notes.md").write_text("Nothing secret.\n", encoding="utf-8")
    for file in ("chat", "monday", "tuesday"):
        (tmp_path / f"{file}.jsonl").write_text('{"role": "user", "text": "Hello."}\n', encoding="utf-8")
    (tmp_path / "release.md").write_text("Tag, build, publish.\n", encoding="utf-8")
    _things_to_learn_from(tmp_path, own_home)
    for line in EXAMPLE.findall((command(name).help or "").replace("\b", "")):
        id = jay("remember", f"Something to work on, for {len(line)}.", "--json").json["id"]
        jay("note", "Retry policy", "Back off.", "--topic", "http")
        if name == "inbox":
            jay("learn", "notes/", "--keep")
            jay("learn", "docs/", "--keep")
            jay("learn", "Something else to keep about pools.", "--keep")
            jay("learn", "A fourth thing, this one about queues.", "--keep")
            os.environ["EDITOR"] = "true"
        if name == "learn" and "--apply" in line:
            jay("learn", "notes/", "--plan", "plan.json")
        if name == "diff":
            jay("supersede", id, "Something else to work on.")
        if name == "import":
            jay("export", "memory.zip", "--home", "other")
        if name in ("notebook", "dream", "install", "uninstall"):
            subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
        if name == "dream":
            jay("notebook", "save", "tea", "It steeps.", "-d", "Tea")
        if name == "uninstall":
            jay("install", "claude-code", "--yes")
            jay("install", "cursor", "--scope", "project", "--yes")
        if name == "share":
            _a_team(jay, tmp_path)
            line = line.replace("git@example.org:team/memory.git", "./memory.git")  # noqa: PLW2901
        _, pipe, after = line.rpartition(" | ")
        stdin = b"Something from a pipe." if pipe else b""
        if name == "ingest" and pipe:
            stdin = (tmp_path / "chat.jsonl").read_bytes()
        words = shlex.split(re.sub(r"01[0-9A-Z]{24}", id, after if pipe else line))
        words = [word.replace("~", str(own_home), 1) if word.startswith("~/") else word for word in words]
        assert words[0] == "scrubjay"
        done = jay(*words[1:], stdin=stdin)
        assert done.code == 0, f"{line}\n{done.out}{done.err}"


def _a_team(jay, folder: Path) -> None:
    """A folder that a team shares, a remote, and what a colleague exported."""
    if not (folder / "team").exists():
        subprocess.run(["git", "init", "-q", "--bare", str(folder / "memory.git")], check=True)
        (folder / "team").mkdir()
        (folder / "team" / "build.md").write_text("We build with make.\n", encoding="utf-8")
        jay("share", "export", "from-ada.zip", "--vault", "team")


def _things_to_learn_from(folder: Path, home: Path) -> None:
    """Files, a task and waiting proposals for the examples of the gate."""
    (home / ".scrubjay").mkdir(exist_ok=True)
    (home / ".scrubjay" / "config.toml").write_text("[harvest]\nenabled = true\n", encoding="utf-8")
    for name in ("docs/deployment.md", "notes/one.md", "specs/012_pools/reports/01_pools.md"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(f"# {Path(name).stem.title()}\n\nWhat was learned.\n", encoding="utf-8")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_for_both_names(jay, shell: str) -> None:
    out = jay("completion", shell).out
    assert "_scrubjay_completion" in out
    assert "_jay_completion" in out
    assert out.count(f"_SCRUBJAY_COMPLETE={shell}_complete") == 2
    assert jay("completion", shell, "--json").json["script"] + "\n" == out
