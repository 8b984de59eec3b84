"""A team that shares a memory through a git remote, two and three members as users (CC-P6; F6, F29, F37, F106 …)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scrubjay.errors import Refused, Unavailable
from scrubjay.operations.editing import undo
from scrubjay.operations.gate import applying, inbox
from scrubjay.operations.share import conflicts
from scrubjay.vaults.shared_repository import SharedRepository
from tests.flows.team import KEY, Member, bare, committed, git, join, remote_files, topic


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return bare(tmp_path / "remote.git")


@pytest.fixture
def member(tmp_path: Path, remote: Path) -> Iterator[Callable[[str], Member]]:
    members: list[Member] = []

    def member_(name: str) -> Member:
        members.append(join(tmp_path / name, remote))
        return members[-1]

    yield member_
    for one in members:
        one.store.index.close()


@pytest.fixture
def ada(member: Callable[[str], Member]) -> Member:
    return member("ada")


@pytest.fixture
def bob(member: Callable[[str], Member]) -> Member:
    return member("bob")


def together(*members: Member) -> None:
    """Everybody syncs until nobody has anything left to say."""
    for _ in range(4):
        for one in members:
            one.sync()


def test_a_memory_goes_from_one_to_the_other(ada: Member, bob: Member, remote: Path) -> None:
    ada.put("build.md", topic("build"))
    ada.put("deep/er.md", topic("er"))
    first = ada.sync()
    assert first.sent == ["build.md", "deep/er.md"]
    assert bob.sync().taken == ["build.md", "deep/er.md"]
    assert bob.text("build.md") == topic("build")
    assert (
        bob.text("MEMORY.md")
        == ada.text("MEMORY.md")
        == "- [build](build.md) — about build\n- [er](deep/er.md) — about er\n"
    )
    assert sorted(remote_files(remote)) == ["MEMORY.md", "build.md", "deep/er.md"]
    assert bob.store.index.document("build.md") is not None
    again = [ada.sync(), bob.sync()]
    assert not any(report.anything for report in again)
    assert git(remote, "rev-list", "--count", "main") == "1"


def test_nothing_of_git_lies_in_the_hosts_folder(ada: Member, bob: Member) -> None:
    ada.put("build.md", topic("build"))
    ada.sync()
    bob.sync()
    for one in (ada, bob):
        assert [path for path in one.folder.rglob("*") if path.name.startswith(".git")] == [] or (
            sorted(path.name for path in one.folder.rglob(".git*")) == [".gitignore"]
        )


def test_different_documents_that_both_changed_are_both_taken(ada: Member, bob: Member) -> None:
    ada.put("a.md", topic("a"))
    ada.put("b.md", topic("b"))
    together(ada, bob)
    ada.put("a.md", topic("a", "From Ada."))
    bob.put("b.md", topic("b", "From Bob."))
    together(ada, bob)
    assert ada.text("a.md") == bob.text("a.md") == topic("a", "From Ada.")
    assert ada.text("b.md") == bob.text("b.md") == topic("b", "From Bob.")


def test_different_sections_of_one_document_are_merged(ada: Member, bob: Member) -> None:
    ada.put("a.md", topic("a", "Intro.\n\n## One\n\n1\n\n## Two\n\n2"))
    together(ada, bob)
    ada.put("a.md", topic("a", "Intro.\n\n## One\n\nby Ada\n\n## Two\n\n2"))
    bob.put("a.md", topic("a", "Intro.\n\n## One\n\n1\n\n## Two\n\nby Bob", about="all of a"))
    ada.sync()
    report = bob.sync()
    assert (report.merged, report.sent, report.conflicts) == (["a.md"], ["a.md"], [])
    ada.sync()
    assert ada.text("a.md") == bob.text("a.md")
    for part in ("by Ada", "by Bob", "all of a"):
        assert part in ada.text("a.md")
    undone = undo(bob.store, next(op for op in bob.store.index.operations(9) if op.id == report.operations[0]))
    assert undone.changes
    assert "by Ada" not in bob.text("a.md")


def test_two_wordings_of_one_sentence_are_both_kept(ada: Member, bob: Member, remote: Path) -> None:
    ada.put("a.md", topic("a", "We use npm."))
    together(ada, bob)
    ada.put("a.md", topic("a", "We use pnpm."))
    bob.put("a.md", topic("a", "We use yarn."))
    ada.sync()
    report = bob.sync()
    assert report.conflicts == ["a.md"]
    assert report.proposals == bob.inbox
    assert bob.text("a.md") == topic("a", "We use pnpm.")
    (waiting,) = inbox.waiting(bob.store)
    assert waiting.action == "REPLACE"
    assert "We use yarn." in waiting.body
    assert not bob.sync().anything
    assert remote_files(remote)["a.md"] == topic("a", "We use pnpm.")
    plan = inbox.as_plan(bob.store, [waiting])
    applied = applying.apply(
        bob.store, plan.decide("recommended"), rematch=lambda one: conflicts.rematch(bob.store, one)
    )
    assert [done.action for done in applied.done] == ["REPLACE"], applied
    together(bob, ada)
    assert ada.text("a.md") == topic("a", "We use yarn.")
    assert bob.inbox == []


def test_a_proposal_whose_document_changed_meanwhile_waits_on(ada: Member, bob: Member) -> None:
    ada.put("a.md", topic("a", "We use npm."))
    together(ada, bob)
    ada.put("a.md", topic("a", "We use pnpm."))
    bob.put("a.md", topic("a", "We use yarn."))
    together(ada, bob)
    bob.put("a.md", topic("a", "We use bun."))
    (waiting,) = inbox.waiting(bob.store)
    plan = inbox.as_plan(bob.store, [waiting]).decide("recommended")
    applied = applying.apply(bob.store, plan, rematch=lambda one: conflicts.rematch(bob.store, one))
    assert [one.key for one in applied.stale] == [waiting.key]
    assert "We use bun." in bob.text("a.md")


def test_the_same_document_made_by_two_is_a_conflict_and_not_an_overwrite(ada: Member, bob: Member) -> None:
    """F108"""
    ada.put("a.md", topic("a", "Ada's."))
    bob.put("a.md", topic("a", "Bob's."))
    ada.sync()
    assert bob.sync().conflicts == ["a.md"]
    assert "Bob's." in bob.text(bob.inbox[0])


def test_f106_each_of_three_adds_a_file_and_every_row_is_there_once(member: Callable[[str], Member]) -> None:
    members = [member(name) for name in ("ada", "bob", "eve")]
    members[0].put("MEMORY.md", "# Team\n\n- [base](base.md) — about base\n")
    members[0].put("base.md", topic("base"))
    together(*members)
    for number, one in enumerate(members):
        one.put(f"n{number}.md", topic(f"n{number}"))
        one.put("MEMORY.md", f"{one.text('MEMORY.md')}- [n{number}](n{number}.md) — by member {number}\n")
    together(*members)
    text = members[0].text("MEMORY.md")
    assert text.startswith("# Team\n\n- [base](base.md)")
    assert [text.count(f"](n{number}.md) — by member {number}\n") for number in range(3)] == [1, 1, 1]
    assert {one.text("MEMORY.md") for one in members} == {text}


def test_f37_a_deletion_wins_everywhere_and_does_not_come_back(member: Callable[[str], Member]) -> None:
    ada, bob, eve = (member(name) for name in ("ada", "bob", "eve"))
    ada.put("a.md", topic("a"))
    ada.put("b.md", topic("b"))
    together(ada, bob, eve)
    ada.remove("a.md")
    assert ada.sync().withdrawn == ["a.md"]
    eve.put("b.md", topic("b", "by Eve"))
    assert eve.sync().removed == ["a.md"]
    together(ada, bob, eve)
    for one in (ada, bob, eve):
        assert one.files == ["MEMORY.md", "b.md"]
        assert "a.md" not in one.text("MEMORY.md")
        assert one.store.index.document("a.md") is None


def test_f37_what_was_changed_since_stays(ada: Member, bob: Member) -> None:
    ada.put("a.md", topic("a"))
    together(ada, bob)
    ada.remove("a.md")
    bob.put("a.md", topic("a", "More."))
    ada.sync()
    assert bob.sync().kept == ["a.md"]
    assert ada.sync().taken == ["a.md"]
    assert ada.text("a.md") == topic("a", "More.")


def test_f37_a_copy_from_before_does_not_bring_back_what_was_deleted(
    ada: Member, bob: Member, member: Callable[[str], Member]
) -> None:
    """F108: an old copy of the folder, without what was agreed on, is no change."""
    ada.put("a.md", topic("a"))
    ada.put("b.md", topic("b"))
    together(ada, bob)
    bob.remove("a.md")
    bob.put("b.md", topic("b", "New."))
    bob.sync()
    old = member("old")
    old.put("a.md", topic("a"))
    old.put("b.md", topic("b"))
    report = old.sync()
    assert (report.removed, report.taken, report.conflicts) == (["a.md"], ["b.md"], [])
    assert old.files == ["MEMORY.md", "b.md"]


def test_a_folder_that_is_gone_deletes_nothing_for_others(ada: Member, bob: Member, remote: Path) -> None:
    for number in range(3):
        ada.put(f"n{number}.md", topic(f"n{number}"))
    together(ada, bob)
    for path in list(ada.files):
        ada.remove(path)
    assert ada.sync().taken == ["n0.md", "n1.md", "n2.md"]
    assert len(remote_files(remote)) == 4


def test_most_of_a_memory_is_not_deleted_by_accident(ada: Member, remote: Path) -> None:
    for number in range(15):
        ada.put(f"n{number}.md", topic(f"n{number}"))
    ada.sync()
    for number in range(12):
        ada.remove(f"n{number}.md")
    with pytest.raises(Refused, match="12 of 15"):
        ada.sync()
    assert len(remote_files(remote)) == 16
    assert len(ada.sync(deletions=True).withdrawn) == 12
    assert len(remote_files(remote)) == 4


def test_f29_a_rewritten_history_changes_nothing_and_is_rescued(ada: Member, bob: Member, remote: Path) -> None:
    ada.put("a.md", topic("a"))
    together(ada, bob)
    ada.put("a.md", topic("a", "New."))
    together(ada, bob)
    git(remote, "update-ref", "refs/heads/main", "main~1")
    for _ in range(2):
        with pytest.raises(Refused, match=r"rewritten.*refs/scrubjay/rescue/") as caught:
            bob.sync()
        assert "--anew" in caught.value.hint
    assert bob.text("a.md") == topic("a", "New.")
    assert remote_files(remote)["a.md"] == topic("a")
    bob.sync(anew=True)
    assert not bob.sync().anything
    assert "New." in bob.text("a.md") or "New." in bob.text(bob.inbox[0])


def test_f29_79_files_wiped_by_a_force_push_stay_here(ada: Member, remote: Path) -> None:
    for number in range(79):
        ada.put(f"n{number}.md", topic(f"n{number}"))
    ada.sync()
    committed(remote, {"README": "started over"}, parent=False)
    with pytest.raises(Refused, match="rewritten"):
        ada.sync()
    assert len(ada.files) == 80
    report = ada.sync(anew=True)
    assert len(report.sent) == 79
    assert len(ada.files) == 80
    assert len(remote_files(remote)) == 81


def test_f29_a_remote_that_lost_its_branch_is_not_taken_for_a_fresh_one(ada: Member, remote: Path) -> None:
    ada.put("a.md", topic("a"))
    ada.sync()
    git(remote, "update-ref", "-d", "refs/heads/main")
    with pytest.raises(Refused, match="rewritten"):
        ada.sync()


def test_f110_a_secret_stays_here_and_is_named_only(ada: Member, bob: Member, remote: Path) -> None:
    ada.put("good.md", topic("good"))
    ada.put("bad.md", topic("bad", f"密钥{KEY}"))
    ada.put("MEMORY.md", f"- [good](good.md)\n- [bad](bad.md) — {KEY}\n")
    report = ada.sync()
    assert report.sent == ["good.md"]
    assert [(one.path, one.rule, one.label) for one in report.skipped] == [("bad.md", "github-pat", "Github Pat")]
    everything = subprocess.run(
        ["git", "-C", str(remote), "cat-file", "--batch-all-objects", "--batch"], capture_output=True, check=True
    ).stdout
    assert KEY.encode() not in everything
    assert "bad" not in remote_files(remote)["MEMORY.md"]
    assert "bad.md" in ada.text("MEMORY.md")
    assert KEY not in repr(report)
    assert bob.sync().taken == ["good.md"]
    assert not ada.sync().anything
    ada.put("bad.md", topic("bad", "No more."))
    assert ada.sync().sent == ["bad.md"]


def test_f110_a_secret_that_came_into_a_shared_document_is_not_sent_and_nothing_is_undone(
    ada: Member, bob: Member
) -> None:
    ada.put("a.md", topic("a"))
    together(ada, bob)
    ada.put("a.md", topic("a", KEY))
    bob.put("a.md", topic("a", "Bob's."))
    bob.sync()
    for _ in range(2):
        report = ada.sync()
        assert [one.path for one in report.skipped] == ["a.md"]
        assert KEY in ada.text("a.md")
        assert not report.anything
    assert "Bob's." in bob.text("a.md")


def test_f110_a_secret_of_the_team_is_not_taken_in(ada: Member, bob: Member, remote: Path) -> None:
    ada.put("a.md", topic("a"))
    together(ada, bob)
    bad = {name: topic(name[0], KEY) for name in ("a.md", "c.md")}
    committed(remote, {**remote_files(remote), **bad, "d.md": topic("d")})
    for taken in (["d.md"], []):
        report = ada.sync()
        assert report.taken == taken
        assert {one.path for one in report.skipped} == {"a.md", "c.md"}
        assert ada.text("a.md") == topic("a")
    ada.put("e.md", topic("e"))
    assert ada.sync().sent == ["e.md"]
    assert KEY in remote_files(remote)["c.md"]
    committed(remote, {**remote_files(remote), "a.md": topic("a", "Mended."), "c.md": topic("c", "Mended.")})
    assert ada.sync().taken == ["a.md", "c.md"]


def test_f110_what_looks_like_a_secret_is_told(ada: Member) -> None:
    ada.put("a.md", topic("a", 'password = "hK3!vQ9zLp"'))
    report = ada.sync()
    assert report.sent == ["a.md"]
    assert [one.path for one in report.doubtful] == ["a.md"]


def test_f108_markers_of_a_merge_are_an_error_that_names_file_and_line(ada: Member, bob: Member, remote: Path) -> None:
    ada.put("a.md", topic("a"))
    together(ada, bob)
    ada.put("a.md", topic("a", "<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> x"))
    report = ada.sync()
    assert [(one.path, one.line) for one in report.refused] == [("a.md", 7)]
    assert "conflict" in report.refused[0].message
    assert not report.anything
    committed(remote, {**remote_files(remote), "b.md": "---\n<<<<<<< HEAD\nname: x\n---\n"})
    assert [(one.path, one.line) for one in bob.sync().refused] == [("b.md", 2)]
    assert "b.md" not in bob.files


def test_a_document_that_is_read_only_keeps_no_other_away(ada: Member, bob: Member) -> None:
    ada.put("a.md", topic("a"))
    ada.put("b.md", topic("b"))
    together(ada, bob)
    (bob.folder / "a.md").chmod(0o400)
    ada.put("a.md", topic("a", "New."))
    ada.put("b.md", topic("b", "New."))
    ada.sync()
    report = bob.sync()
    assert (report.taken, [one.path for one in report.refused]) == (["b.md"], ["a.md"])
    assert "read-only" in report.refused[0].message
    assert [one.path for one in bob.sync().refused] == ["a.md"]
    assert bob.text("a.md") == topic("a")
    (bob.folder / "a.md").chmod(0o600)
    assert bob.sync().taken == ["a.md"]
    assert bob.text("a.md") == topic("a", "New.")


def test_a_race_to_the_remote_is_run_again(ada: Member, bob: Member, monkeypatch: pytest.MonkeyPatch) -> None:
    ada.put("a.md", topic("a"))
    together(ada, bob)
    ada.put("b.md", topic("b"))
    push = SharedRepository.push
    raced: list[bool] = []

    def slow(self: SharedRepository, address: str, commit: str, *, parent: str) -> object:
        if self is ada.repository and not raced:
            raced.append(True)
            bob.put("c.md", topic("c"))
            bob.sync()
        return push(self, address, commit, parent=parent)

    monkeypatch.setattr(SharedRepository, "push", slow)
    report = ada.sync()
    assert (report.sent, report.taken) == (["b.md"], ["c.md"])
    bob.sync()
    assert ada.files == bob.files == ["MEMORY.md", "a.md", "b.md", "c.md"]


def test_races_end(ada: Member, monkeypatch: pytest.MonkeyPatch) -> None:
    ada.put("a.md", topic("a"))
    monkeypatch.setattr(SharedRepository, "push", lambda *_, **__: type("Lost", (), {"done": False})())
    with pytest.raises(Unavailable, match="all the time"):
        ada.sync()


def test_somebody_who_may_only_read_gets_what_is_new(
    ada: Member, bob: Member, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada.put("a.md", topic("a"))
    together(ada, bob)
    ada.put("a.md", topic("a", "New."))
    ada.sync()
    bob.put("b.md", topic("b"))

    def refused(self: SharedRepository, address: str, commit: str, *, parent: str) -> object:
        raise Unavailable("git push failed: the remote said no.")

    with monkeypatch.context() as patched:
        patched.setattr(SharedRepository, "push", refused)
        for _ in range(2):
            with pytest.raises(Unavailable, match="said no"):
                bob.sync()
    assert bob.text("a.md") == topic("a", "New.")
    assert bob.sync().sent == ["b.md"]


def test_an_empty_document_and_line_ends_and_bytes_travel_as_they_are(ada: Member, bob: Member) -> None:
    """F109"""
    ada.put("empty.md", b"")
    ada.put("crlf.md", "---\r\nname: c\r\n---\r\n\r\nline\r\n")
    ada.put("bom.md", b"\xef\xbb\xbf" + topic("bom").encode())
    ada.put("Jānis/太郎.md", topic("太郎", "emoji 🎉\u2028 and more"))
    together(ada, bob)
    for path in ada.files:
        assert (ada.folder / path).read_bytes() == (bob.folder / path).read_bytes()
    assert "Jānis/太郎.md" in bob.files


def test_f33_a_move_is_a_move_for_others(ada: Member, bob: Member) -> None:
    ada.put("a.md", topic("a"))
    together(ada, bob)
    (ada.folder / "a.md").rename(ada.folder / "b.md")
    together(ada, bob)
    assert bob.files == ["MEMORY.md", "b.md"]
    assert bob.text("MEMORY.md").count("(b.md)") == 1


def test_what_is_no_memory_stays_in_the_remote_and_is_not_brought_here(ada: Member, remote: Path) -> None:
    committed(remote, {"README.txt": "hello", "pictures/x.png": "png", ".github/w.yml": "on: push", "a.md": topic("a")})
    assert ada.sync().taken == ["a.md"]
    ada.put("b.md", topic("b"))
    ada.sync()
    assert sorted(remote_files(remote)) == [
        ".github/w.yml",
        "MEMORY.md",
        "README.txt",
        "a.md",
        "b.md",
        "pictures/x.png",
    ]
    assert sorted(str(path.relative_to(ada.folder)) for path in ada.folder.rglob("*.md") if "90-" not in str(path)) == [
        "MEMORY.md",
        "a.md",
        "b.md",
    ]


def test_taking_back_what_the_team_did_is_not_taken_back_for_others(ada: Member, bob: Member, remote: Path) -> None:
    ada.put("a.md", topic("a"))
    together(ada, bob)
    ada.put("a.md", topic("a", "New."))
    ada.put("b.md", topic("b"))
    ada.sync()
    report = bob.sync()
    undo(bob.store, next(one for one in bob.store.index.operations() if one.id == report.operations[0]))
    before = remote_files(remote)
    for _ in range(2):
        assert sorted(one.path for one in bob.sync().refused) == ["a.md", "b.md"]
        assert bob.files == ["MEMORY.md", "a.md"]
        assert bob.text("a.md") == topic("a")
        assert remote_files(remote) == before
    ada.put("a.md", topic("a", "Newer."))
    ada.sync()
    bob.sync()
    assert "Newer." in bob.text("a.md") or "Newer." in bob.text(bob.inbox[0])
    assert bob.sync(deletions=True).withdrawn == ["b.md"]


MANY = """
import sys
from scrubjay import Memory
settings = {"models.embedder": "none", "models.reranker": "none"}
for number in range(4):
    with Memory.open(sys.argv[1], home=sys.argv[2], settings=settings, background=False) as memory:
        memory.share_sync(sys.argv[3])
"""


def test_several_processes_may_share_one_memory_at_once(ada: Member, bob: Member, remote: Path, tmp_path: Path) -> None:
    for number in range(5):
        ada.put(f"a{number}.md", topic(f"a{number}"))
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    command = [sys.executable, "-c", MANY, str(ada.folder), str(tmp_path / "home"), str(remote)]
    running = [subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) for _ in range(3)]
    for number in range(5):
        bob.put(f"b{number}.md", topic(f"b{number}"))
        bob.sync()
    for one in running:
        with one:
            assert one.stderr is not None
            complaint = one.stderr.read().decode()
        assert one.returncode == 0, complaint
    bob.sync()
    subprocess.run(command, env=environment, check=True)
    names = [f"{who}{number}.md" for who in "ab" for number in range(5)]
    assert bob.files == ["MEMORY.md", *names]
    assert [path for path in ada.files if path != "MEMORY.md"] == names


KILLED = """
import sys
from pathlib import Path
from tests.flows.team import join
import os, signal
from scrubjay.vaults.shared_repository import SharedRepository
from scrubjay.operations.share import syncing

place, remote, where = sys.argv[1:]

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def after(function):
    def wrapped(*args, **kwargs):
        function(*args, **kwargs)
        die()
    return wrapped

match where:
    case "before taking in": syncing._take_in = die
    case "after taking in": syncing._settle = die
    case "after agreeing": syncing._send = die
    case "before sending": SharedRepository.push = die
    case "after sending": SharedRepository.push = after(SharedRepository.push)
join(Path(place), remote).sync()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize(
    "where", ["before taking in", "after taking in", "after agreeing", "before sending", "after sending"]
)
def test_whoever_is_killed_goes_on_where_it_was(
    where: str, ada: Member, bob: Member, remote: Path, tmp_path: Path
) -> None:
    """Nothing is lost, deleted, doubled or left half done, wherever it was."""
    body = "Intro.\n\n## One\n\n1\n\n## Two\n\n2"
    for name in ("a", "b", "c", "d"):
        ada.put(f"{name}.md", topic(name, body))
    together(ada, bob)
    ada.put("a.md", topic("a", body.replace("\n1\n", "\nAda's\n")))
    ada.remove("c.md")
    ada.put("new.md", topic("new"))
    ada.put("d.md", topic("d", body.replace("2", "Ada's words")))
    ada.sync()
    bob.put("a.md", topic("a", body.replace("2", "Bob's")))
    bob.put("mine.md", topic("mine"))
    bob.put("d.md", topic("d", body.replace("2", "Bob's words")))
    bob.remove("b.md")
    bob.store.index.close()
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"}
    command = [sys.executable, "-c", KILLED, str(tmp_path / "bob"), str(remote), where]
    assert subprocess.run(command, env=environment, check=False, capture_output=True).returncode == -9
    again = join(tmp_path / "bob", remote)
    together(again, ada)
    try:
        assert again.files == ada.files == ["MEMORY.md", "a.md", "d.md", "mine.md", "new.md"]
        for path in ada.files:
            assert again.text(path) == ada.text(path)
        assert "Ada's" in ada.text("a.md")
        assert "Bob's" in ada.text("a.md")
        assert ada.text("a.md").count("## Two") == 1
        waiting = inbox.waiting(again.store)
        assert ["Bob's words" in one.body for one in waiting] == [True]
        assert "Ada's words" in ada.text("d.md")
    finally:
        again.store.index.close()
