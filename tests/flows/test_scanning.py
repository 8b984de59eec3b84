"""``scan``: secrets that lie on the disk already are named by place and rule, never shown (CC-T2, SEC-2)."""

from __future__ import annotations

import io
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.errors import BadInput, NotFound
from scrubjay.operations import scanning
from tests.flows.secret_keys import github_pat, password, places_of


def written(tmp_path: Path, path: str, text: str | bytes) -> Path:
    place = tmp_path / "vault" / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text if isinstance(text, bytes) else text.encode())
    return place


def where(report: scanning.ScanReport) -> list[tuple[str, int, str, str]]:
    return [(leak.path, leak.line, leak.rule, leak.where) for leak in report.found]


def test_a_clean_vault_is_clean(memory: Memory) -> None:
    memory.note("Keys", "Set API_KEY=$API_KEY; the password is <your password>.")
    report = memory.scan()
    assert report.clean and report.files > 0


def test_documents_other_files_and_the_trash_are_looked_through(memory: Memory, tmp_path: Path) -> None:
    made = github_pat()
    written(tmp_path, "10-Memories/MEM-bot.md", f"# Bot\n\nIt has {made}.\n")
    written(tmp_path, "notes.txt", f"密钥{made}。")
    written(tmp_path, "90-Trash/01ABC/10-Memories/MEM-old.md", f"{made}\n")
    memory.sync()
    report = memory.scan()
    assert sorted(where(report)) == [
        ("10-Memories/MEM-bot.md", 3, "github-pat", "document"),
        ("90-Trash/01ABC/10-Memories/MEM-old.md", 1, "github-pat", "trash"),
        ("memory-index.json", 7, "github-pat", "overview"),
        ("notes.txt", 1, "github-pat", "file"),
    ]
    assert made not in repr(report)


def test_redacting_changes_documents_and_says_where_the_secret_still_is(memory: Memory, tmp_path: Path) -> None:
    made = github_pat()
    place = written(tmp_path, "10-Memories/MEM-bot.md", f"---\ntitle: Bot\n---\n\nIt has\r\n{made} too.\r\n")
    memory.sync()
    report = memory.scan(redact=True)
    assert place.read_bytes().decode() == "---\ntitle: Bot\n---\n\nIt has\r\n‹redacted:github-pat› too.\r\n"
    assert report.redacted == ["10-Memories/MEM-bot.md"]
    [kept] = report.kept
    assert all(found.startswith(kept) for found in places_of(made, tmp_path))
    assert [leak.where for leak in memory.scan().found] == ["trash"]
    memory.undo()
    assert made in place.read_text("utf-8")


def test_a_conversation_keeps_its_messages_when_it_is_redacted(memory: Memory, tmp_path: Path) -> None:
    """F11: the same file again adds nothing."""
    made = password()
    log = tmp_path / "talk.jsonl"
    log.write_text('{"id": "m1", "role": "user", "text": "Where is the walrus?"}\n', "utf-8")
    path = memory.ingest(log).sessions[0].path
    place = tmp_path / "vault" / path
    place.write_text(place.read_text("utf-8") + f"\npassword = {made}\n", "utf-8")
    memory.sync()
    memory.scan(redact=True)
    assert made not in place.read_text("utf-8")
    assert memory.ingest(log).added == 0


def test_what_cannot_be_rewritten_is_named_and_left(memory: Memory, tmp_path: Path) -> None:
    made = github_pat()
    data = f"# Bot\n\nIt has {made}.\n".encode("utf-16")
    place = written(tmp_path, "10-Memories/MEM-bot.md", data)
    memory.sync()
    report = memory.scan(redact=True)
    assert place.read_bytes() == data
    assert (report.redacted, [one.path for one in report.skipped]) == ([], ["10-Memories/MEM-bot.md"])


def test_git_history_is_looked_through(memory: Memory, tmp_path: Path) -> None:
    made = github_pat()
    place = written(tmp_path, "10-Memories/MEM-bot.md", f"one\n{made}\n")

    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(tmp_path / "vault"), *words], check=True, capture_output=True)

    git("init", "-q")
    git("config", "user.email", "max@example.org")
    git("config", "user.name", "Max")
    git("add", "-A")
    git("commit", "-qm", "first")
    place.write_text("clean\n", "utf-8")
    git("commit", "-qam", "second")
    memory.sync()
    report = memory.scan()
    assert where(report) == [("10-Memories/MEM-bot.md", 2, "github-pat", "history")]
    assert len(report.found[0].commit) == 40


def test_a_folder_or_file_that_is_named(memory: Memory, tmp_path: Path) -> None:
    made = github_pat()
    folder = tmp_path / "logs"
    (folder / "tool-results").mkdir(parents=True)
    (folder / "tool-results" / "out.log").write_text(f"ok\nok\n{made}\n", "utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG\0\0" + made.encode())
    (folder / f"{made}.md").write_text("nothing", "utf-8")
    os.symlink(tmp_path / "vault", folder / "link")
    report = memory.scan(folder)
    assert [(leak.line, leak.rule) for leak in report.found] == [(0, "github-pat"), (3, "github-pat")]
    assert made not in repr(report)
    assert report.binary == 1
    assert memory.scan(folder / "tool-results" / "out.log").found[0].line == 3
    with pytest.raises(NotFound):
        memory.scan(tmp_path / "nowhere")
    with pytest.raises(BadInput):
        memory.scan(folder, redact=True)


@pytest.mark.parametrize("before", [0, 4 * 1024 * 1024 - 20, 16 * 1024 * 1024 + 4 * 1024 * 1024 - 20])
def test_a_large_file_is_read_in_blocks_and_lines_stay_right(before: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "AT_ONCE", 1 << 20)
    made = github_pat()
    filler = b"x" * 79 + b"\n"
    head = filler * (before // len(filler))
    data = head + f"a {made} b\n".encode() + filler * 60_000
    found = list(scanning._located(io.BytesIO(data), "big.log"))
    assert [(line, finding.rule) for line, finding in found] == [(head.count(b"\n") + 1, "github-pat")]


def test_every_vault_is_looked_through(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    memory = open_memory()
    written(tmp_path, "10-Memories/MEM-bot.md", github_pat())
    memory.sync()
    [leak] = [one for one in memory.scan().found if one.where == "document"]
    assert (leak.scope, leak.vault) == ("user", str(tmp_path / "vault"))
