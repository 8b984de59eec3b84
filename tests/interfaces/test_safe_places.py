"""What comes with a clone, an odd environment or odd bytes: refused or understood, never half done."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

POSIX = pytest.mark.skipif(os.name != "posix", reason="needs POSIX links, time zones or folders")
DEMO = Path(__file__).parents[2] / "scripts/demo.py"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A project whose ``.memory`` leads to ``victim``."""
    (tmp_path / "victim").mkdir()
    (tmp_path / "clone/.git").mkdir(parents=True)
    (tmp_path / "clone/.memory").symlink_to(tmp_path / "victim")
    return tmp_path / "clone"


@POSIX
@pytest.mark.parametrize(
    "words",
    [
        ("init", "clone"),
        ("init", "--vault", "clone/.memory"),
        ("--vault", "clone", "remember", "Max likes tea.", "--scope", "project"),
        ("--vault", "clone/.memory", "facts"),
    ],
)
def test_a_link_out_of_a_clone_is_not_followed(jay, clone: Path, words: tuple[str, ...]) -> None:
    """SEC-1."""
    done = jay(*words)
    assert (done.code, done.out) == (5, "")
    assert "Remove the link." in done.err
    assert list((clone.parent / "victim").iterdir()) == []


def test_a_shared_vault_is_written_only_when_that_was_said(jay, tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    jay("init", "shop")
    chat = tmp_path / "chat.jsonl"
    chat.write_text('{"role": "user", "text": "Secret."}\n', encoding="utf-8")
    for words in (("remember", "Secret."), ("note", "One", "Secret."), ("ingest", str(chat), "--no-embed")):
        done = jay("--vault", "shop", *words)
        assert done.code == 5
        assert "--scope project" in done.err
    assert jay("--vault", "shop", "facts", "--json").json == {"facts": []}
    assert jay("--vault", "shop", "remember", "Known to all.", "--scope", "project").code == 0


@pytest.mark.parametrize("data", [b"half\xff\x00\x01", b"%PDF-1.4 \xff\xfe\x80", b"a\0b", bytes(range(256))])
def test_what_is_not_text_is_not_stored(jay, tmp_path: Path, data: bytes) -> None:
    """F109."""
    (tmp_path / "body").write_bytes(data)
    assert jay("remember", "-", stdin=data).code == 2
    assert jay("note", "One", "--file", "body").code == 2
    assert jay("facts", "--json").json == {"facts": []}
    assert jay("show", "MEM-one").code == 3


def test_a_file_in_an_old_encoding_is_read(jay, tmp_path: Path) -> None:
    """F109."""
    (tmp_path / "latin1.txt").write_bytes("Das Café öffnet um neun.".encode("latin-1"))
    assert "Das Café öffnet um neun." in jay("note", "One", "--file", "latin1.txt", "--json").json["body"]


def test_bytes_of_another_encoding_on_the_command_line_are_read(jay) -> None:
    """F109."""
    typed = b"caf\xe9 latte".decode("utf-8", "surrogateescape")
    assert jay("remember", typed, "--tag", typed, "--json").json["text"] == "café latte"
    assert jay("remember", "half \ud800").code == 2


def test_a_damaged_bundle_is_7(jay, tmp_path: Path) -> None:
    jay("remember", "Max likes tea.")
    jay("export", "good.zip")
    with zipfile.ZipFile("good.zip") as good, zipfile.ZipFile("bad.zip", "w") as bad:
        for name in good.namelist():
            bad.writestr(name, good.read(name) + (b"more" if name.startswith("documents/") else b""))
    done = jay("import", "bad.zip", "--home", "elsewhere")
    assert done.code == 7
    assert "into user" in done.out


@POSIX
def test_a_deleted_current_folder_is_6(jay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for words in (("facts",), ("init",), ("--vault", "notes", "facts")):
        done = jay(*words)
        assert (done.code, done.err.splitlines()[0]) == (6, "Error: The current folder does not exist any more.")
    assert jay("--vault", str(tmp_path / "notes"), "facts").code == 0


@POSIX
def test_an_impossible_time_zone_is_utc(jay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC+25")
    time.tzset()
    try:
        assert jay("facts").code == 0
    finally:
        monkeypatch.setenv("TZ", "UTC")
        time.tzset()


@pytest.mark.parametrize("words", [("--vault", ""), ("--home", "")])
def test_an_empty_place_is_2(jay, words: tuple[str, ...]) -> None:
    assert jay(*words, "facts").code == 2


def test_a_bundle_does_not_go_to_a_file_called_dash(jay, tmp_path: Path) -> None:
    assert jay("export", "-").code == 2
    assert not (tmp_path / "-").exists()


def test_warnings_of_a_clone_take_one_line(jay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F112."""
    (tmp_path / "shop").mkdir()
    jay("init", "shop")
    lines = "\n".join(f"evil{number} = 1" for number in range(8))
    (tmp_path / "shop/.memory/config.toml").write_text(f"[models]\n{lines}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "shop")
    done = jay("facts")
    assert len(done.err.splitlines()) == 1
    assert "7 more warnings" in done.err
    assert len(jay("facts", "--debug").err.splitlines()) == 8
    assert len(jay("status").err.splitlines()) == 8


def test_a_bad_variable_is_named_in_the_hint(jay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBJAY_RECALL_LIMIT", "many")
    assert "SCRUBJAY_RECALL_LIMIT=8" in jay("facts").err


def test_a_block_that_does_not_fit_says_so(jay) -> None:
    jay("remember", "The walrus sleeps on the pier.")
    done = jay("search", "walrus pier", "--all", "--text", "--budget", "1")
    assert (done.code, done.out) == (0, "")
    assert "--budget" in done.err


@POSIX
@pytest.mark.parametrize(
    ("words", "code"),
    [(("nowhere",), 3), (("file.md",), 3), (("notes", "bad.jsonl"), 2), (("--help",), 0), (("notes",), 0)],
)
def test_the_demo_never_shows_a_traceback(jay, tmp_path: Path, words: tuple[str, ...], code: int) -> None:
    (tmp_path / "file.md").write_text("# One\n", encoding="utf-8")
    (tmp_path / "bad.jsonl").write_bytes(b"{bad\n\0")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/one.md").write_text("# One\n", encoding="utf-8")
    (tmp_path / "notes/link.md").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "notes/pipe.md")
    command = [sys.executable, str(DEMO), str(tmp_path), *words]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert "conversation.jsonl" not in done.stdout or words == ("--help",)
    assert words != ("notes",) or "Remembered 1 documents" in done.stdout
