"""Transcripts of agents into memory: once, completely, without secrets, read on from where they ended (TR-*, SEC-2)."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable
from pathlib import Path

import pytest

from scrubjay import Memory

SESSION = "3f2a9c1d-8e7b-4a5f-8c3d-2e1f0a9b8c7d"


def record(number: int, role: str, content: object, *, parent: int | None = None, **more: object) -> dict[str, object]:
    return {
        "type": role,
        "uuid": f"00000000-0000-4000-8000-{number:012}",
        "parentUuid": None if parent is None else f"00000000-0000-4000-8000-{parent:012}",
        "sessionId": SESSION,
        "timestamp": f"2026-11-30T10:{number:02}:00.000Z",
        "cwd": "/home/max/shop",
        "gitBranch": "main",
        "message": {"role": role, "content": content, **({"id": f"msg_{number}"} if role == "assistant" else {})},
        **more,
    }


def lines(*records: object) -> str:
    return "".join(json.dumps(one) + "\n" for one in records)


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / "projects" / "-home-max-shop" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(
        lines(
            record(1, "user", "Which database do we use for the orders?"),
            record(2, "assistant", [{"type": "text", "text": "PostgreSQL 16, decided in May."}], parent=1),
        ),
        "utf-8",
    )
    return path


def test_an_agents_transcript_is_found_and_searched(memory: Memory, transcript: Path) -> None:
    report = memory.ingest(transcript)
    assert (report.format, report.added, report.unusable) == ("claude-code", 2, 0)
    [hit] = memory.search("which database for the orders", abstain=False, limit=1).hits
    assert hit.layer == "chunks" and hit.message_ids
    document, _ = memory.show(report.sessions[0].path)
    assert "cwd: /home/max/shop" in document.text.replace('"', "")


def test_a_second_run_reads_nothing_and_a_grown_file_gives_only_what_is_new(memory: Memory, transcript: Path) -> None:
    memory.ingest(transcript)
    again = memory.ingest(transcript.parent)
    assert (again.added, again.known) == (0, 2)
    unchanged = memory.ingest(transcript.parent)
    assert (unchanged.files, unchanged.unchanged, unchanged.added, unchanged.known) == (1, 1, 0, 0)
    with transcript.open("a", encoding="utf-8") as file:
        file.write(lines(record(3, "user", "And the cache?", parent=2)))
        file.write('{"type": "user", "half')
    grown = memory.ingest(transcript.parent)
    assert (grown.added, grown.unusable) == (1, 0)


def test_a_fork_repeats_nothing(memory: Memory, transcript: Path) -> None:
    """TR-9: a resumed session copies earlier records into a new file."""
    memory.ingest(transcript)
    other = transcript.with_name("9f2a9c1d-8e7b-4a5f-8c3d-2e1f0a9b8c7d.jsonl")
    copied = [json.loads(line) for line in transcript.read_text("utf-8").splitlines()]
    for one in copied:
        one["forkedFrom"] = {"sessionId": SESSION, "messageUuid": one["uuid"]}
        one["sessionId"] = other.stem
    other.write_text(lines(*copied, {**record(9, "user", "Only here.", parent=2), "sessionId": other.stem}), "utf-8")
    report = memory.ingest(other)
    assert report.added == 1
    assert len(memory.search("orders database", abstain=False).hits) == len(
        {hit.text for hit in memory.search("orders database", abstain=False).hits}
    )


def test_sec2_a_secret_is_taken_out_before_anything_is_stored(memory: Memory, transcript: Path, tmp_path: Path) -> None:
    """F110: neither the vault nor the index holds it, whatever language stands around it."""
    chance = random.Random(5)
    secret = "ghp_" + "".join(chance.choice(string.ascii_letters + string.digits) for _ in range(36))
    with transcript.open("a", encoding="utf-8") as file:
        file.write(lines(record(3, "user", f"密钥{secret}，请保存", parent=2)))
    report = memory.ingest(transcript)
    assert report.redacted == 1
    memory.close()
    for path in tmp_path.rglob("*"):
        if path.is_file() and path != transcript:
            assert secret.encode() not in path.read_bytes(), path
    assert any("‹redacted:github-pat›" in path.read_text("utf-8") for path in (tmp_path / "vault").rglob("*.md"))


def test_f105_what_we_recalled_is_not_ingested_again(memory: Memory, transcript: Path) -> None:
    with transcript.open("a", encoding="utf-8") as file:
        text = "<memory-context>\nZebras are striped.\n</memory-context>\nWhat about giraffes?"
        file.write(lines(record(3, "user", text, parent=2)))
    memory.ingest(transcript)
    assert memory.search("giraffes", abstain=False).hits
    assert not any("Zebras" in hit.text for hit in memory.search("zebras striped", abstain=False).hits)


def test_tool_output_is_kept_by_its_head_and_tail(memory: Memory, transcript: Path) -> None:
    output = "first words " + "x" * 100_000 + " last words"
    with transcript.open("a", encoding="utf-8") as file:
        use = [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make"}}]
        file.write(lines(record(3, "assistant", use, parent=2)))
        result = [{"type": "tool_result", "tool_use_id": "t1", "content": output}]
        file.write(lines(record(4, "user", result, parent=3)))
    report = memory.ingest(transcript)
    text = memory.show(report.sessions[0].path)[0].text
    assert "first words" in text and "last words" in text and "characters left out" in text
    assert len(text) < 6_000


def test_tr10_a_summary_of_the_host_becomes_an_episode(memory: Memory, transcript: Path) -> None:
    with transcript.open("a", encoding="utf-8") as file:
        file.write(lines(record(3, "user", "Summary: walruses were discussed.", parent=2, isCompactSummary=True)))
    memory.ingest(transcript)
    [hit] = [hit for hit in memory.search("walruses", abstain=False).hits if "walruses" in hit.text]
    assert hit.layer == "episodes"
    assert memory.ingest(transcript.parent).sessions[0].summaries == 0


def test_a_reply_that_was_read_while_it_was_written_is_completed(memory: Memory, transcript: Path) -> None:
    reply = [{"type": "text", "text": "First part."}], [{"type": "text", "text": "Second part."}]
    first = record(3, "assistant", reply[0], parent=2)
    first["message"]["id"] = "msg_shared"  # type: ignore[index]
    with transcript.open("a", encoding="utf-8") as file:
        file.write(lines(first))
    memory.ingest(transcript)
    second = record(4, "assistant", reply[1], parent=3)
    second["message"]["id"] = "msg_shared"  # type: ignore[index]
    with transcript.open("a", encoding="utf-8") as file:
        file.write(lines(second))
    report = memory.ingest(transcript)
    text = memory.show(report.sessions[0].path)[0].text
    assert text.count("First part.") == 1 and text.count("Second part.") == 1


def test_the_index_can_be_lost_without_doubling_anything(
    memory: Memory, transcript: Path, own_home: Path, open_memory: Callable[..., Memory]
) -> None:
    import shutil

    memory.ingest(transcript)
    memory.close()
    shutil.rmtree(own_home / ".scrubjay" / "state")
    report = open_memory().ingest(transcript)
    assert (report.added, report.known) == (0, 2)


def test_real_transcripts_are_taken_in_once(open_memory: Callable[..., Memory], shared_data: Path) -> None:
    memory = open_memory()
    folder = shared_data / "transcripts" / "claude-code-viewer"
    report = memory.ingest(folder)
    assert report.added > 50 and report.unusable == 0
    again = memory.ingest(folder)
    assert again.added == 0 and again.unchanged == again.files
