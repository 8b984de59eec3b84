"""Field cases 1: data loss, consolidation, duplicates. What was acknowledged is there, once; nothing goes quietly."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from scrubjay import Memory, Message, Session
from scrubjay.errors import BadInput, NotFound, ScrubjayError, Unavailable
from scrubjay.testing import HashEmbedder
from scrubjay.vaults.folder import FolderVault


def found(memory: Memory, question: str, **options: object) -> list[str]:
    return [hit.text for hit in memory.search(question, abstain=False, **options).hits]  # type: ignore[arg-type]


def is_shown(memory: Memory, id: str) -> bool:
    try:
        memory.show(id)
    except NotFound:
        return False
    return True


def long_talk(count: int, id: str = "long") -> Session:
    messages = [Message(id=f"m{n}", role="user", text=f"Remark {n} on the harbour.") for n in range(count)]
    return Session(id=id, messages=messages)


def test_lists_search_and_look_up_agree_about_every_id(memory: Memory, tmp_path: Path) -> None:
    """F3: what is removed leaves an entry in the journal and its bytes in the trash; no path to it is forgotten."""
    mirror = {memory.remember(f"Shelf {n} holds item{n}.").id: f"item{n}." for n in range(45)}
    for id in list(mirror)[::3]:
        memory.forget(id)
    left = {id for place, id in enumerate(mirror) if place % 3}
    by_search = {
        hit.id
        for word in mirror.values()
        for hit in memory.search(word, abstain=False).hits
        if word in hit.text.split()
    }
    assert {fact.id for fact in memory.facts(include_superseded=True)} == by_search == left
    assert {id for id in mirror if is_shown(memory, id)} == left
    removals = [operation for operation in memory.operations(1000) if operation.verb == "forget"]
    assert len(removals) == len(mirror) - len(left)
    for operation in removals:
        assert all((tmp_path / "vault" / change.kept).is_file() for change in operation.changes)


STEPS = "\n".join(f"{n}. Step {n} of the release." for n in range(1, 13))


@pytest.mark.parametrize(
    "gap",
    [
        "[rest unchanged…]",
        "# ... existing code ...",
        "... (rest of the steps as before)",
        "<!-- remaining steps omitted -->",
        "[остальное без изменений]",
        "（其余不变）",
    ],
)
def test_a_shortened_rewrite_is_refused(memory: Memory, gap: str) -> None:
    """F5: a placeholder is not the text it stands for."""
    old = memory.remember(STEPS)
    with pytest.raises(BadInput, match="leaves out"):
        memory.supersede(old.id, f"1. Step 1 of the release, twice.\n{gap}")
    assert [(fact.id, fact.text) for fact in memory.facts()] == [(old.id, STEPS)]


@pytest.mark.parametrize(
    "text", ["Wait...", "The rest of the team is unchanged.", STEPS + "\n...", "[existing users](list.md) log in again"]
)
def test_a_whole_rewrite_with_dots_is_not_refused(memory: Memory, text: str) -> None:
    """F5: only what says that something is missing is refused."""
    assert memory.supersede(memory.remember(STEPS).id, text).text == text


def test_a_placeholder_in_a_short_fact_is_a_text_like_any_other(memory: Memory) -> None:
    """F5."""
    old = memory.remember("The log says [rest unchanged].")
    assert memory.supersede(old.id, "[rest unchanged…]").action == "superseded"


def test_a_failing_writer_claims_nothing(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """F14: a disk that fills up in the middle: an error, and the counts are those of what is there."""
    real = FolderVault.write
    written: list[str] = []

    def full(self: FolderVault, path: str, text: str, *, expected: str | None) -> object:
        if len(written) == 2:
            raise Unavailable("The disk is full.")
        written.append(path)
        return real(self, path, text, expected=expected)

    monkeypatch.setattr(FolderVault, "write", full)
    with pytest.raises(Unavailable, match="disk is full"):
        memory.ingest([long_talk(3, id=str(n)) for n in range(4)])
    monkeypatch.undo()
    assert (memory.status()[0].coverage.documents, memory.operations()) == (0, [])
    assert found(memory, "remark harbour") == []
    assert memory.ingest([long_talk(3, id=str(n)) for n in range(4)]).added == 12


def test_rewrites_are_shown_beside_and_never_overwrite(open_memory: Callable[..., Memory]) -> None:
    """F19: no threshold tells a rewrite from a neighbour, so like facts are named and both stay."""
    memory = open_memory(embedder=HashEmbedder())
    hosts = [memory.remember(f"The backup of host{n} runs every night at {n % 24} o'clock.") for n in range(40)]
    memory.drain()
    first = hosts[0]
    near = memory.remember("The backup of host0 runs every night at 0 o'clock sharp.")
    far = memory.remember("Nightly, the archive of that machine is made.")
    assert (near.action, far.action) == ("created", "created")
    assert first.id in near.similar
    assert far.similar == ()
    assert len(memory.facts()) == 42


@pytest.mark.parametrize("again", ["Deploy", "  Deploy "])
def test_an_identical_note_is_known(memory: Memory, again: str) -> None:
    """F22: the same note three times is one file and one hit; another text under that title is another note."""
    first = memory.note("Deploy", "Run the script twice.", tags=["ops"])
    for _ in range(2):
        assert memory.note(again, "Run the script twice.\n", tags=["ops"]).path == first.path
    assert len(memory.operations()) == 1
    assert len(memory.search("run the script", abstain=False).hits) == 1
    other = memory.note("Deploy", "Run the script once.", tags=["ops"])
    assert memory.note("Deploy", "Run the script once.", tags=["ops"]).path == other.path != first.path


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("The cache lives for an hour.", "known"),
        ("The cache lives for an hour", "created"),
        ("The cache lives for two hours.", "created"),
        ("The cache never lives for an hour.", "superseded"),
        ("Something else altogether.", "created"),
    ],
)
def test_every_write_has_one_outcome(memory: Memory, text: str, action: str) -> None:
    """F23: one matcher decides; what it answers is there afterwards under the id that it names."""
    memory.remember("The cache lives for an hour.")
    stored = memory.remember(text)
    assert stored.action == action
    assert stored.id in {fact.id for fact in memory.facts()}


def test_forgetting_all_of_a_conversation_leaves_nothing(memory: Memory) -> None:
    """F26: 250 messages, no page of them stays."""
    memory.ingest([long_talk(250), long_talk(3, id="other")])
    path = memory.search("harbour", abstain=False).hits[0].path
    paths = {path, *(hit.path for hit in memory.search("remark 2 harbour", limit=300, abstain=False).hits)}
    for path in paths:
        memory.forget(path)
    assert memory.status()[0].coverage.records == 0
    assert found(memory, "harbour", limit=300) == []


def test_what_is_forgotten_is_gone_from_vectors_too(open_memory: Callable[..., Memory]) -> None:
    """F28: words, vectors and their cache; undo brings back all three."""
    memory = open_memory(embedder=HashEmbedder())
    fact = memory.remember("The alarm code is on the fridge.")
    memory.remember("Bread is baked on Sundays.")
    memory.drain()
    assert fact.id in {hit.id for hit in memory.search("alarm code", abstain=False).hits}
    memory.forget(fact.id)
    hits = memory.search("the alarm code is on the fridge", abstain=False, include_superseded=True, explain=True)
    assert fact.id not in {hit.id for hit in hits.hits}
    assert fact.id not in {item.id for item in hits.suppressed}
    assert "alarm" not in hits.text
    assert memory.status()[0].coverage.vectors == 1
    memory.undo()
    memory.drain()
    assert memory.search("the alarm code is on the fridge", abstain=False).hits[0].ranks["dense"] == 1


BROKEN = {
    "an unclosed quote": ("category:", 'note: "unclosed\ncategory:'),
    "a merge": ("category:", "<<<<<<< HEAD\ncategory:"),
    "no end": ("\n---\n", "\n--\n"),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_fact_with_broken_frontmatter_is_left_as_it_is(memory: Memory, tmp_path: Path, how: str) -> None:
    """F30: what cannot be understood is reported; no verb writes over it."""
    fact = memory.remember("The gate opens at six.")
    path = tmp_path / "vault" / fact.path
    old, new = BROKEN[how]
    text = path.read_text("utf-8")
    assert old in text
    head, _, tail = text[4:].partition(old)
    path.write_text(text[:4] + head + new + tail, "utf-8")
    before = path.read_bytes()
    memory.sync()
    verbs: list[Callable[[], object]] = [
        lambda: memory.supersede(fact.id, "The gate opens at seven."),
        lambda: memory.retract(fact.id),
    ]
    for verb in verbs:
        try:
            verb()
        except ScrubjayError:
            assert path.read_bytes() == before
        else:
            assert set(before.split(b"\n")) <= set(path.read_bytes().split(b"\n"))
            memory.undo()
            assert path.read_bytes() == before
    assert fact.path in {problem.path for problem in memory.status()[0].problems}


def test_what_a_person_added_to_a_fact_survives_superseding(memory: Memory, tmp_path: Path) -> None:
    """F30: comments, `a #b`, unknown keys, their order and the text below: only our own lines change."""
    fact = memory.remember("The gate opens at six.")
    path = tmp_path / "vault" / fact.path
    added = ["# a comment of mine", "title: a #b", "when: 'six # sharp'   # really", "weird:   [ a,b ]"]
    text = path.read_text("utf-8").replace("\ncategory:", "\n" + "\n".join(added) + "\ncategory:", 1)
    path.write_text(text + "\n---\n\nand a rule below  \n", "utf-8")
    before = path.read_text("utf-8").split("\n")
    memory.sync()
    memory.supersede(fact.id, "The gate opens at seven.")
    after = path.read_text("utf-8").split("\n")
    assert [line for line in after if line in set(before)] == before
    assert all(line in after for line in added)


@pytest.mark.parametrize("torn", [b"", b"{", b'{"a": ', b"\x00\x00"])
def test_a_torn_table_of_ours_stops_nobody(
    tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch, torn: bytes
) -> None:
    """F31: whatever we keep beside the vault may be half-written; the memory opens and has everything."""
    import subprocess

    project = tmp_path / "project"
    project.mkdir()
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    monkeypatch.chdir(project)
    settings = {"models.embedder": "none", "models.reranker": "none"}
    with Memory.open(settings=settings, background=False) as memory:
        memory.remember("The gate opens at six.")
    ours = own_home / ".scrubjay"
    for path in (ours / "projects" / "aliases.json", *(ours / "state").rglob("current")):
        assert path.is_file()
        path.write_bytes(torn)
    with Memory.open(settings=settings, background=False) as memory:
        assert found(memory, "when does the gate open") == ["The gate opens at six."]
        assert memory.remember("The gate closes at nine.").action == "created"


def test_a_half_written_file_is_never_a_memory(memory: Memory, tmp_path: Path) -> None:
    """F31: what a killed writer left behind is neither read nor in the way."""
    fact = memory.remember("The gate opens at six.")
    folder = (tmp_path / "vault" / fact.path).parent
    (folder / ".scrubjay-abc.tmp").write_text("The gate opens at", "utf-8")
    os.utime(folder / ".scrubjay-abc.tmp", (1, 1))
    memory.sync()
    assert found(memory, "gate") == ["The gate opens at six."]
    memory.doctor(repair=True)
    assert not (folder / ".scrubjay-abc.tmp").exists()
