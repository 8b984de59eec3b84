"""Commands that write: what they did, as it was read back, and the way back."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from scrubjay.interfaces.cli import console


def test_remember_says_what_was_read_back(jay, own_home: Path) -> None:
    """F14."""
    done = jay("remember", "Max prefers uv over pip.", "--category", "Preference", "--tag", "python")
    assert (done.code, done.err) == (0, "")
    assert done.shown == snapshot("""\
Remembered (user, Preference): Max prefers uv over pip.
  id    ID
  file  HOME/vault/40-Facts/preference/max-prefers-uv-over-pip.md
""")
    assert (own_home / ".scrubjay/vault/40-Facts/preference/max-prefers-uv-over-pip.md").is_file()


def test_remember_takes_words_and_stdin(jay) -> None:
    assert jay("remember", "two", "words", "--json").json["text"] == "two words"
    assert jay("remember", "-", "--json", stdin="Von Jānis 太郎.\n".encode()).json["text"] == "Von Jānis 太郎."


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("\ufeffmarked".encode(), "marked"),
        ("in two bytes".encode("utf-16"), "in two bytes"),
        (b"caf\xe9 latte", "caf\u00e9 latte"),
        (b"two\r\nlines", "two\nlines"),
    ],
)
def test_stdin_is_read_whatever_its_encoding(jay, data: bytes, text: str) -> None:
    """F109: decoding stdin drops nothing and breaks nothing."""
    done = jay("remember", "-", "--json", stdin=data)
    assert done.code == 0
    assert done.json["text"].replace("\r\n", "\n") == text


def test_remember_again_is_known(jay) -> None:
    jay("remember", "The build takes four minutes.")
    assert jay("remember", "The build takes four minutes.").shown == snapshot("""\
Already known (user, Fact): The build takes four minutes.
  id    ID
  file  HOME/vault/40-Facts/fact/the-build-takes-four-minutes.md
""")


def test_remember_names_what_it_supersedes(jay) -> None:
    jay("remember", "Max likes tabs.")
    assert jay("remember", "Max does not like tabs.").shown == snapshot("""\
Remembered (user, Fact): Max does not like tabs.
  id    ID
  file  HOME/vault/40-Facts/fact/max-does-not-like-tabs.md
Superseded ID: Max likes tabs.
""")


def test_remember_names_contradictions_and_its_advice_works(jay) -> None:
    """F7: every command that is printed does what it promises, when pasted."""
    triple = ("--subject", "Alice", "--predicate", "works at", "--object")
    jay("remember", "Alice works at Acme.", *triple, "Acme")
    done = jay("remember", "Alice works at Initech.", *triple, "Initech")
    assert done.shown == snapshot("""\
Remembered (user, Fact): Alice works at Initech.
  about Alice → works at → Initech
  id    ID
  file  HOME/vault/40-Facts/fact/alice-works-at-initech.md
It contradicts:
  ID  Alice works at Acme.
If it should take the place of one of them:
  scrubjay forget ID --yes
  scrubjay supersede ID 'Alice works at Initech.' --object Initech
""")
    for line in done.out.splitlines()[-2:]:
        assert jay(*shlex.split(line)[1:]).code == 0
    assert [fact["object"] for fact in jay("facts", "--json").json["facts"]] == ["Initech"]
    assert len(jay("history", "alice-works-at-acme", "--json").json["versions"]) == 2


def test_advice_keeps_to_the_vault_of_the_run(jay) -> None:
    """F7: advice that names another memory than the one at hand is wrong."""
    done = jay("--vault", "my notes", "note", "One", "Body")
    assert done.code == 0
    forgotten = jay("forget", "MEM-one", "--vault", "my notes")
    assert "undo" in forgotten.out
    assert "scrubjay --vault 'my notes' undo" in forgotten.out
    missing = jay("history", "nothing", "--vault", "my notes")
    assert "`scrubjay --vault 'my notes' facts`" in missing.err


def test_note_from_argument_stdin_and_file(jay, tmp_path: Path) -> None:
    assert jay("note", "Retry policy", "Back off.", "--topic", "http").shown == snapshot("""\
Wrote note (user): Retry policy
  id    MEM-http-retry-policy
  file  HOME/vault/10-Memories/MEM-http-retry-policy.md
""")
    assert "From a pipe." in jay("note", "Piped", "-", "--json", stdin=b"From a pipe.").json["body"]
    assert "From a pipe." in jay("note", "Also piped", "--json", stdin=b"From a pipe.").json["body"]
    (tmp_path / "body.md").write_text("From a file.\n", encoding="utf-8")
    assert "From a file." in jay("note", "Filed", "--file", "body.md", "--json").json["body"]
    assert jay("note", "Filed", "--file", "absent.md").code == 3
    assert jay("note", "Both", "Body", "--file", "body.md").code == 2


def test_supersede_and_history_by_the_file_name(jay) -> None:
    jay("remember", "Max prefers uv over pip.", "--category", "Preference", "--valid-from", "2024")
    done = jay("supersede", "max-prefers-uv-over-pip", "Max prefers pixi over uv.", "--valid-from", "2026-02-01")
    assert done.shown == snapshot("""\
Remembered (user, Preference): Max prefers pixi over uv.
  id    ID
  file  HOME/vault/40-Facts/preference/max-prefers-pixi-over-uv.md
Superseded ID: Max prefers uv over pip.
""")
    assert jay("history", "max-prefers-pixi-over-uv").shown == snapshot("""\
DATE  ID  superseded
  Max prefers uv over pip.
  true from DATE until DATE
  superseded on DATE
  40-Facts/preference/max-prefers-uv-over-pip.md
DATE  ID  current
  Max prefers pixi over uv.
  true from DATE
  40-Facts/preference/max-prefers-pixi-over-uv.md
""")
    versions = jay("history", "max-prefers-pixi-over-uv", "--json").json["versions"]
    assert [version["current"] for version in versions] == [False, True]
    assert jay("supersede", versions[0]["id"], "Again.").code == 4


def test_retract_leaves_answers_and_stays_in_history(jay) -> None:
    jay("remember", "The earth is flat.")
    assert jay("retract", "the-earth-is-flat").shown == snapshot("""\
Retracted: The earth is flat.
  take it back with scrubjay undo ID
""")
    assert jay("retract", jay("history", "the-earth-is-flat", "--json").json["versions"][0]["id"]).shown == snapshot(
        "Retracted already: The earth is flat.\n"
    )
    assert jay("facts").out == "No facts.\n"
    assert jay("undo").code == 0
    assert "The earth is flat." in jay("facts").out


def test_forget_says_where_it_went_and_undo_brings_it_back(jay, own_home: Path) -> None:
    jay("note", "Secret", "The cake is a lie.")
    done = jay("forget", "MEM-secret")
    assert done.shown == snapshot("""\
Forgot 10-Memories/MEM-secret.md.
  kept as 90-Trash/ID/10-Memories/MEM-secret.md
  get it back with scrubjay undo ID
""")
    kept = next(line.split("kept as ")[1] for line in done.out.splitlines() if "kept as" in line)
    assert "The cake" in (own_home / ".scrubjay/vault" / kept).read_text(encoding="utf-8")
    assert jay("show", "MEM-secret").code == 3
    assert jay("undo").shown == snapshot("""\
Undid: Forgot 10-Memories/MEM-secret.md
  take that back with scrubjay undo ID
""")
    assert "The cake" in jay("show", "MEM-secret").out
    assert jay("undo", "--list").shown == snapshot("""\
ID  DATE  Undid: Forgot 10-Memories/MEM-secret.md
ID  DATE  Forgot 10-Memories/MEM-secret.md  (undone)
ID  DATE  Wrote note: Secret
""")
    assert jay("undo", "some", "--list").code == 2


def test_undo_without_anything_done(jay) -> None:
    assert jay("undo").code == 3
    assert jay("undo", "--list").out == "Nothing was done yet.\n"
    assert jay("undo", "--list", "--json").json == {"operations": []}


def test_init_makes_what_is_missing_and_nothing_else(jay, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    done = jay("init", "shop")
    assert done.out.replace(str(tmp_path), "HERE") == snapshot("""\
Created the project's memory: HERE/shop/.memory
  13 files written, none changed
Next:
  scrubjay remember 'What everybody here should know.' --scope project
  and commit .memory/ to share it with everybody who has the project
""")
    readme = tmp_path / "shop/.memory/README.md"
    readme.write_text("Mine.", encoding="utf-8")
    again = jay("init", "shop", "--json")
    assert again.json == {"vault": str(tmp_path / "shop/.memory"), "scope": "project", "written": []}
    assert readme.read_text(encoding="utf-8") == "Mine."
    assert "is there already" in jay("init", "shop").out


def test_init_of_a_subfolder_means_its_project(jay, tmp_path: Path) -> None:
    (tmp_path / "shop/.memory").mkdir(parents=True)
    (tmp_path / "shop/src").mkdir()
    assert jay("init", "shop/src", "--json").json["vault"] == str(tmp_path / "shop/.memory")


def test_init_elsewhere(jay, own_home: Path, tmp_path: Path) -> None:
    assert jay("init", "--user", "--json").json["vault"] == str(own_home / ".scrubjay/vault")
    assert jay("init", "--vault", "notes", "--json").json["vault"] == str(tmp_path / "notes")
    assert jay("init", "absent").code == 3
    assert jay("init", str(own_home)).code == 5
    assert jay("init", ".", "--user").code == 2


def test_the_project_scope_needs_a_project(jay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F99: a scope that is not there never widens to another one."""
    assert jay("remember", "For all.", "--scope", "project").code == 2
    assert jay("facts", "--scope", "team").code == 2
    (tmp_path / "shop").mkdir()
    jay("init", "shop")
    monkeypatch.chdir(tmp_path / "shop")
    assert jay("remember", "For all.", "--scope", "project", "--json").json["scope"] == "project"
    assert jay("remember", "For me here.", "--json").json["scope"] == "local"
    assert jay("remember", "I am Max.", "--category", "Identity", "--json").json["scope"] == "user"
    assert {fact["scope"] for fact in jay("facts", "--json").json["facts"]} == {"user", "local", "project"}
    assert {fact["scope"] for fact in jay("facts", "--scope", "user", "--json").json["facts"]} == {"user"}


def test_a_note_is_written_in_the_editor(jay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = (
        "import pathlib, sys; path = pathlib.Path(sys.argv[1]); path.write_text('Written here.' + path.read_text())"
    )
    (tmp_path / "editor.py").write_text(program, encoding="utf-8")
    (tmp_path / "idle.py").write_text("", encoding="utf-8")
    monkeypatch.setattr(console, "is_terminal", lambda stream: stream is sys.stdin)
    monkeypatch.setenv("VISUAL", f"{sys.executable} {tmp_path / 'editor.py'}")
    body = jay("note", "Edited", "--json").json["body"]
    assert "Written here." in body
    assert "Lines above" not in body
    monkeypatch.setenv("VISUAL", f"{sys.executable} {tmp_path / 'idle.py'}")
    assert jay("note", "Untouched").code == 2
