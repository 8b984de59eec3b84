"""What a memory said before is never answered as what it says now (SM-5, SM-27, SM-47; F82)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.temporal import now

DAY = datetime(2026, 3, 15, tzinfo=UTC)

NOTE = """\
---
title: "Ports of the services"
created: 2026-01-10
tags: [CONFIG]
topic: "ops/ports"
modified: 2026-05-20
---

# Ports of the services

The gateway listens on port 9443.

## History

### Previous Version (2026-03-01)

The gateway listens on port 8443, behind the walrus.

#### Zebra

The zebra port is 17.

### Previous Version (2026-01-10)

The gateway listens on port 80, behind the ostrich.

## Connections
- [[MEM-other]] shares the certificate of the pelican
"""


@pytest.fixture
def vault(memory: Memory, tmp_path: Path) -> Path:
    folder = tmp_path / "vault" / "10-Memories"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _put(memory: Memory, vault: Path, text: str = NOTE) -> None:
    (vault / "MEM-ports.md").write_text(text, "utf-8")
    memory.sync()


def _texts(memory: Memory, question: str, **more: object) -> str:
    return "\n".join(hit.text for hit in memory.search(question, abstain=False, limit=20, **more).hits)  # type: ignore[arg-type]


def test_an_older_version_answers_nothing(memory: Memory, vault: Path) -> None:
    _put(memory, vault)
    assert "9443" in _texts(memory, "which port does the gateway listen on")
    for question in ("which port does the gateway listen on", "walrus", "zebra port", "ostrich", "History"):
        found = _texts(memory, question)
        assert not any(old in found for old in ("8443", "port 80", "walrus", "ostrich", "zebra"))
    assert "pelican" in _texts(memory, "pelican certificate")


def test_it_is_found_when_asked_for_and_marked(memory: Memory, vault: Path) -> None:
    _put(memory, vault)
    hits = memory.search("walrus gateway", include_superseded=True, abstain=False).hits
    old = next(hit for hit in hits if "walrus" in hit.text)
    assert old.note == "older version of the note"
    assert old.record.line == 13 and "### Previous Version (2026-03-01)" in old.text
    assert all(hit.note == "" for hit in hits if "9443" in hit.text)


def test_as_of_asks_what_it_said_then(memory: Memory, vault: Path) -> None:
    """F82: each version answers for its own time."""
    _put(memory, vault)
    for when, port in ((datetime(2026, 2, 1, tzinfo=UTC), "port 80,"), (DAY, "8443"), (now(), "9443")):
        found = _texts(memory, "port of the gateway", as_of=when)
        assert port in found
        assert not any(other in found for other in {"port 80,", "8443", "9443"} - {port})


def test_what_was_left_out_is_explained(memory: Memory, vault: Path) -> None:
    _put(memory, vault)
    left_out = memory.search("gateway walrus", explain=True, abstain=False).suppressed
    assert {one.reason for one in left_out if "walrus" in one.text} == {"older version of the note"}


@pytest.mark.parametrize("modified", ["", "soon", "2999-01-01", "0000-00-00", "2026-05-20"])
@pytest.mark.parametrize("written", ["2026-03-01", "undated", "2999-01-01", "9999-99-99", "2026-03-01, 2"])
def test_no_date_lets_an_older_version_pass_for_current(
    memory: Memory, vault: Path, modified: str, written: str
) -> None:
    text = NOTE.replace("modified: 2026-05-20", f"modified: {modified}").replace("(2026-03-01)", f"({written})")
    _put(memory, vault, text.replace("created: 2026-01-10", "created:"))
    found = _texts(memory, "which port does the gateway listen on, walrus, ostrich")
    assert "9443" in found and "8443" not in found and "ostrich" not in found


def test_a_note_dated_ahead_of_the_clock_is_found(memory: Memory, vault: Path) -> None:
    """People east of Greenwich date their notes before UTC gets there, and years are mistyped."""
    tomorrow = f"{now() + timedelta(days=1):%Y-%m-%d}"
    _put(memory, vault, f"---\ncreated: {tomorrow}\nmodified: 2999-01-01\n---\n\nThe gateway is green.\n")
    assert "green" in _texts(memory, "gateway")


def test_an_update_makes_the_old_text_old(memory: Memory, vault: Path) -> None:
    _put(memory, vault, NOTE[: NOTE.index("## History")])
    plan = memory.learn("The gateway listens on port 1111 now.", category="CONFIG")
    key = plan.proposals[0].key
    from scrubjay import Decision

    memory.apply(plan.decide({key: Decision(action="UPDATE", target="MEM-ports")}))
    found = _texts(memory, "which port does the gateway listen on")
    assert "1111" in found and "9443" not in found
    yesterday = now() - timedelta(days=1)
    assert "9443" in (vault / "MEM-ports.md").read_text("utf-8")
    assert "9443" in _texts(memory, "which port does the gateway listen on", as_of=yesterday)


def test_what_another_program_left_unnested_is_old_and_what_it_added_is_not(memory: Memory, vault: Path) -> None:
    """Programs of the family put the old body below History as it was, and extensions below that (SM-28)."""
    extension = "## Extension (2026-05-20)\n\n**Source**: user input\n\nThe flamingo port is 22.\n\n"
    text = NOTE.replace("#### Zebra", "## Zebra").replace("## Connections", f"{extension}## Connections")
    _put(memory, vault, text)
    found = _texts(memory, "zebra flamingo port")
    assert "flamingo" in found and "zebra" not in found


def test_a_history_of_the_world_is_no_history_of_the_note(memory: Memory, vault: Path) -> None:
    text = "# Rome\n\nA city.\n\n## History\n\nFounded by Romulus.\n\n### Republic\n\nTwo consuls ruled.\n"
    _put(memory, vault, text)
    assert "Romulus" in _texts(memory, "Romulus") and "consuls" in _texts(memory, "consuls")


def test_an_older_version_waits_for_no_vector(memory: Memory, vault: Path) -> None:
    store = next(iter(memory._stores))
    _put(memory, vault, NOTE[: NOTE.index("## History")])
    before = store.index.pending_count("any")
    _put(memory, vault, NOTE[: NOTE.index("## Connections")])
    assert store.index.pending_count("any") == before == 1


def test_recall_gives_a_memory_without_its_older_versions(memory: Memory, vault: Path) -> None:
    """The keyword rule gives the whole file, as SM-37 says; our own way gives what holds."""
    _put(memory, vault, NOTE.replace("tags:", "keywords: [gateway, port]\ntags:"))
    by_recall = memory.retrieve("which port does the gateway listen on", mode="recall").text
    assert "9443" in by_recall and "pelican" in by_recall and "8443" not in by_recall and "ostrich" not in by_recall
    assert "8443" in memory.retrieve("which port does the gateway listen on").text


def test_sec3_a_note_of_low_trust_is_marked(memory: Memory, vault: Path) -> None:
    _put(memory, vault, "---\ntitle: Ports\ntrust: Low\n---\n\nThe gateway listens on port 1.\n")
    (vault / "MEM-nested.md").write_text("---\nname: N\nmetadata:\n  trust: low\n---\n\nThe gateway is red.\n", "utf-8")
    memory.sync()
    found = memory.search("gateway", abstain=False)
    assert [hit.note for hit in found.hits] == ["low trust", "low trust"]
    assert "(low trust)" in found.text


def test_every_section_stands_where_its_record_says(memory: Memory, vault: Path) -> None:
    _put(memory, vault)
    text = (vault / "MEM-ports.md").read_text("utf-8")
    hits = memory.search("port gateway certificate", include_superseded=True, abstain=False, limit=20).hits
    assert len(hits) == 4
    for record in (hit.record for hit in hits):
        assert text[record.start : record.end] == record.text
        assert text.count("\n", 0, record.start) + 1 == record.line
        assert text.count("\n", 0, record.end) + 1 == record.last_line


def test_what_a_note_is_called_is_not_multiplied_without_end(memory: Memory, vault: Path) -> None:
    """Each section carries title, tags and headings; a hostile megabyte of them would fill the disk and take hours."""
    tags = ", ".join(f"t{number}" for number in range(5_000))
    front = f'---\ntitle: "{"word " * 5_000}"\ntags: [{tags}]\ntopic: {"a/" * 5_000}\ntype: {"x" * 5_000}\n---\n'
    _put(memory, vault, f"{front}\n# {'long ' * 5_000}\n\nThe gateway.\n\n## Deep {'er' * 5_000}\n\nThe gate.\n")
    record = memory.search("gate gateway", abstain=False).hits[0].record
    assert max(map(len, (record.title, record.topic, record.category, *record.headings, *record.tags))) <= 300
    assert len(record.tags) == 50


def test_a_note_is_found_by_its_aliases(memory: Memory, vault: Path) -> None:
    _put(memory, vault, "---\ntitle: Ports\naliases: [Harbours, Havens]\n---\n\nThe gateway.\n")
    assert "gateway" in _texts(memory, "havens")
