"""``scrubjay scan`` on the command line, and what the answers of other commands say of secrets (SEC-2, CC-T2)."""

from __future__ import annotations

from pathlib import Path

from tests.flows.secret_keys import github_pat
from tests.interfaces.conftest import Jay


def test_nothing_found_is_code_0(jay: Jay) -> None:
    done = jay("scan")
    assert done.code == 0
    assert done.out.startswith("No secret was found in ")
    assert jay("--json", "scan").json["clean"] is True


def test_what_is_found_is_code_5_and_never_shown(jay: Jay, tmp_path: Path) -> None:
    made = github_pat()
    (tmp_path / "log.txt").write_text(f"one\n{made}\n", "utf-8")
    done = jay("scan", "log.txt")
    assert done.code == 5
    assert "log.txt:2: github-pat" in done.out
    assert "First of all replace each secret" in done.out
    assert made not in done.out + done.err
    answer = jay("--json", "scan", "log.txt").json
    assert [(one["path"], one["line"], one["rule"], one["where"]) for one in answer["found"]] == [
        ("log.txt", 2, "github-pat", "file")
    ]
    assert answer["advice"]


def test_redact_says_how_to_purge(jay: Jay, own_home: Path) -> None:
    made = github_pat()
    place = own_home / ".scrubjay" / "vault" / "10-Memories" / "MEM-bot.md"
    place.parent.mkdir(parents=True)
    place.write_text(f"# Bot\n\n{made}\n", "utf-8")
    done = jay("scan", "--redact")
    assert done.code == 5
    assert "Took them out of 1 document." in done.out
    assert "rm -r -- " in done.out and "90-Trash" in done.out
    assert made not in place.read_text("utf-8")
    assert jay("scan", "--redact", "x").code == 2


def test_remember_and_note_say_in_one_line_what_was_taken_out(jay: Jay) -> None:
    made = github_pat()
    done = jay("remember", f"The bot uses {made}.")
    assert "Took out 1 secret: github-pat in text, line 1." in done.out
    assert made not in done.out + done.err
    value = jay("--json", "note", "Bot", f"It has\n{made}").json
    assert value["redacted"] == [{"rule": "github-pat", "label": "Github Pat", "place": "body", "line": 2}]
    refused = jay("remember", made)
    assert refused.code == 5
    assert made not in refused.out + refused.err


def test_learn_says_it_too(jay: Jay, tmp_path: Path) -> None:
    made = github_pat()
    (tmp_path / "guide.md").write_text(f"# Bot\n\nIt signs in with {made}.\n", "utf-8")
    done = jay("learn", "guide.md", "--keep")
    assert "Took out 1 secret: github-pat in guide.md, line 3." in done.out
    done = jay("inbox", "accept", "1", "--title", f"Bot {made}")
    assert "github-pat in decision" in done.out
    assert made not in done.out + done.err
