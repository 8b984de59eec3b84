"""Every way to fail: one sentence, a hint, the right exit code, the same as JSON."""

from __future__ import annotations

import pytest

from scrubjay import Memory
from scrubjay.errors import BadInput, BadSetting, Conflict, Corrupt, NotFound, Refused, ScrubjayError, Unavailable

ERRORS = [ScrubjayError, BadInput, BadSetting, NotFound, Conflict, Refused, Unavailable, Corrupt]


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(self: Memory, **options: object) -> None:
        raise error

    monkeypatch.setattr(Memory, "facts", fail)


@pytest.mark.parametrize("kind", ERRORS)
def test_each_error_has_its_exit_code(jay, monkeypatch: pytest.MonkeyPatch, kind: type[ScrubjayError]) -> None:
    failing(monkeypatch, kind("note.md:3: it broke.", hint="Run `scrubjay sync`."))
    done = jay("facts")
    assert (done.code, done.out, done.err) == (
        kind.exit_code,
        "",
        "Error: note.md:3: it broke.\nRun `scrubjay sync`.\n",
    )
    done = jay("facts", "--json")
    assert (done.code, done.err) == (kind.exit_code, "")
    assert done.json == {
        "error": {"code": kind.code, "message": "note.md:3: it broke.", "hint": "Run `scrubjay sync`."}
    }


@pytest.mark.parametrize(
    "args",
    [
        ("remember",),
        ("nonsense",),
        ("search", "q", "--limit", "0"),
        ("search", "q", "--layer", "dreams"),
        ("search", "q", "--since", "yesterdayish"),
        ("facts", "--nonsense"),
        ("remember", "x", "--confidence", "2"),
        ("remember", "x", "--valid-from", "2026", "--valid-to", "2025"),
        ("remember", " "),
        ("completion", "powershell"),
    ],
)
def test_bad_input_is_2(jay, args: tuple[str, ...]) -> None:
    done = jay(*args)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("Error: ")
    assert "Traceback" not in done.err
    done = jay(*args, "--json")
    assert done.code == 2
    assert done.json["error"]["code"] == "bad_input"


def test_usage_errors_point_to_the_help(jay) -> None:
    assert "Try `scrubjay search --help`." in jay("search", "q", "--limit", "0").err


def test_a_misspelt_name_gets_the_nearest_one(jay) -> None:
    assert (
        jay("serach", "q").err
        == "Error: There is no command 'serach'. Did you mean 'search'?\nTry `scrubjay --help`.\n"
    )
    assert jay("zzz").err.startswith("Error: There is no command 'zzz'.\n")


def test_no_command_shows_the_help(jay) -> None:
    done = jay()
    assert done.code == 2
    assert "Commands:" in done.err


@pytest.mark.parametrize("command", ["history", "retract", "show", "forget", "undo"])
def test_what_is_not_there_is_3(jay, command: str) -> None:
    assert jay(command, "01KB9Y0Q3V7ZJ8S4T2M6N5P1RX").code == 3


def test_a_bad_setting_is_2_and_names_it(jay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBJAY_RECALL_LIMIT", "many")
    done = jay("facts", "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "bad_setting")


def test_settings_that_were_ignored_are_named(jay, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shop").mkdir()
    jay("init", "shop")
    (tmp_path / "shop/.memory/config.toml").write_text('[models]\nembedder = "evil"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path / "shop")
    done = jay("facts", "--json")
    assert done.json == {"facts": []}
    assert "config.toml" in done.err


def test_an_unexpected_error_is_one_sentence(jay, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, RuntimeError("boom\nand more"))
    done = jay("facts")
    assert done.code == 1
    assert done.err == (
        "Error: Unexpected RuntimeError: boom\nRun it again with --debug to see where, and please report it.\n"
    )
    done = jay("facts", "--debug")
    assert done.code == 1
    assert "Traceback (most recent call last)" in done.err
    assert jay("facts", "--json").json["error"]["code"] == "error"


def test_ctrl_c_is_130_and_one_line(jay, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, KeyboardInterrupt())
    done = jay("facts")
    assert (done.code, done.out, done.err) == (130, "", "Stopped. What was done so far is kept.\n")


def test_json_after_two_dashes_is_text(jay) -> None:
    assert jay("remember", "--", "--json").out.startswith("Remembered")


def test_a_hostile_name_in_an_error_is_harmless(jay) -> None:
    done = jay("show", "\x1b[31mred\u202e")
    assert done.code == 3
    assert "\x1b" not in done.err
    assert "\u202e" not in done.err


def test_forgetting_asks_on_a_terminal(jay, monkeypatch: pytest.MonkeyPatch) -> None:
    from scrubjay.interfaces.cli import console

    monkeypatch.setattr(console, "asks", lambda: True)
    jay("note", "Secret", "The cake is a lie.")
    assert jay("forget", "MEM-secret", stdin=b"n\n").code == 5
    assert jay("show", "MEM-secret").code == 0
    assert jay("forget", "MEM-secret", "--yes").code == 0
    jay("undo")
    done = jay("forget", "MEM-secret", "--json", stdin=b"y\n")
    assert done.code == 0
    assert done.json["verb"] == "forget"
    jay("undo")
    assert jay("forget", "MEM-secret", stdin=b"").code == 130
