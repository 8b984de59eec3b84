"""Wired is not delivered: what is installed is started and heard (F63, F64)."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from scrubjay.interfaces.install import carrying, delivery, hosts, plans, record
from scrubjay.interfaces.install.hosts import Asked
from tests.interfaces.conftest import Jay

SRC = str(Path(__file__).resolve().parents[3] / "src")


def program(folder: Path, body: str) -> Path:
    file = folder / "scrubjay"
    file.write_text(f"#!{sys.executable} -P\n{body}\n", encoding="utf-8")
    file.chmod(0o755)
    return file


REAL = f"import sys\nsys.path.insert(0, {SRC!r})\nfrom scrubjay.interfaces.cli import main\nmain()"


def checked(tmp_path: Path, own_home: Path, body: str, host: str = "claude-code") -> dict[str, delivery.Delivery]:
    environ = {**os.environ, "HOME": str(own_home)}
    asked = Asked(scope="user", project=tmp_path, command=(str(program(tmp_path, body)),), environ=environ)
    ours = own_home / ".scrubjay"
    carrying.install(plans.plan(hosts.HOSTS[host], asked, None), ours)
    found = record.load(ours, host, asked)
    assert found is not None
    return {one.what: one for one in delivery.check(found, asked)}


def test_f63_hook_and_server_are_heard(tmp_path: Path, own_home: Path) -> None:
    found = checked(tmp_path, own_home, REAL)
    assert {name: one.state for name, one in found.items()} == {
        "hook SessionStart": "delivered",
        "MCP server scrubjay": "delivered",
    }


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ("print('plain text')", "shape"),
        ("print('{\"additionalContext\": \"x\"}')", "shape"),
        ("import sys, json; print(json.dumps({'hookSpecificOutput': {'hookEventName': 'SessionStart',"
         " 'additionalContext': 'old'}}))", "does not carry"),
        ("raise SystemExit(3)", "code 3"),
        ("", "shape"),
    ],
)  # fmt: skip
def test_f63_what_the_host_would_discard_is_named(tmp_path: Path, own_home: Path, body: str, word: str) -> None:
    found = checked(tmp_path, own_home, body)
    assert found["hook SessionStart"].state == "broken" and word in found["hook SessionStart"].reason
    assert found["MCP server"].state == "broken"


def test_f64_a_program_that_vanished_is_named(tmp_path: Path, own_home: Path) -> None:
    checked(tmp_path, own_home, REAL)
    asked = Asked(scope="user", project=tmp_path, command=("/x",), environ={**os.environ, "HOME": str(own_home)})
    found = record.load(own_home / ".scrubjay", "claude-code", asked)
    assert found is not None
    (tmp_path / "scrubjay").unlink()
    assert all("not there any more" in one.reason for one in delivery.check(found, asked))


def test_f63_doctor_says_what_somebody_took_out(jay: Jay, own_home: Path) -> None:
    assert jay("install", "gemini", "--yes").code == 0
    (own_home / ".gemini" / "settings.json").write_text("{}", encoding="utf-8")
    done = jay("doctor")
    assert done.code == 0 and "gemini: MCP server: It is not in" in done.out
    assert "scrubjay install gemini" in done.out
    assert json.loads(jay("doctor", "--json").out)["hosts"][0]["state"] == "broken"
