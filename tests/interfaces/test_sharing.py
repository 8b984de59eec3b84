"""``scrubjay share`` as users type it (CC-P6, CC-T2; F29, F108, F110)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from scrubjay import Memory
from scrubjay.errors import BadInput, Refused
from tests.flows.team import KEY, committed, git, remote_files, topic


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(tmp_path / "memory.git")], check=True)
    return tmp_path / "memory.git"


def put(tmp_path: Path, path: str, text: str) -> None:
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text(text, encoding="utf-8")


def test_two_homes_share_one_memory(jay, tmp_path: Path, remote: Path) -> None:
    put(tmp_path, "ada/build.md", topic("build"))
    (tmp_path / "bob").mkdir()
    done = jay("share", "sync", "--remote", "./memory.git", "--vault", "ada", "--json")
    assert (done.code, done.json["sent"]) == (0, ["build.md"])
    assert done.json["remote"].endswith("memory.git")
    done = jay("share", "sync", "--remote", "./memory.git", "--vault", "bob", "--home", "bobs")
    assert (done.code, done.out.splitlines()[1:]) == (0, ["  taken in: build.md"])
    done = jay("search", "how is it with the text", "--vault", "bob", "--home", "bobs")
    assert done.code == 0
    done = jay("share", "sync", "--vault", "bob", "--home", "bobs")
    assert done.out.startswith("Nothing new with ")
    done = jay("undo", "--vault", "bob", "--home", "bobs")
    assert done.code == 0
    assert not (tmp_path / "bob" / "build.md").exists()


def test_status_tells_what_would_go_without_asking_anybody(jay, tmp_path: Path, remote: Path) -> None:
    put(tmp_path, "ada/a.md", topic("a"))
    put(tmp_path, "ada/b.md", topic("b"))
    assert jay("share", "status", "--vault", "ada").out.splitlines()[0].endswith("ada, shared nowhere yet")
    jay("share", "sync", "--remote", str(remote), "--vault", "ada")
    remote.rename(tmp_path / "elsewhere")
    put(tmp_path, "ada/a.md", topic("a", "New."))
    put(tmp_path, "ada/c.md", topic("c"))
    put(tmp_path, "ada/bad.md", KEY)
    put(tmp_path, "ada/torn.md", "<<<<<<< HEAD\n")
    (tmp_path / "ada" / "b.md").unlink()
    found = jay("share", "status", "--vault", "ada", "--json")
    assert found.code == 0
    assert (found.json["new"], found.json["changed"], found.json["deleted"]) == (["c.md"], ["a.md"], ["b.md"])
    assert found.json["skipped"] == [{"path": "bad.md", "ruleId": "github-pat", "label": "Github Pat"}]
    assert [(one["path"], one["line"]) for one in found.json["refused"]] == [("torn.md", 1)]
    assert found.json["synced"]
    text = jay("share", "status", "--vault", "ada").out
    assert "last sync: 20" in text
    assert KEY not in text + found.out


def test_f110_secrets_are_named_and_the_exit_code_tells(jay, tmp_path: Path, remote: Path) -> None:
    put(tmp_path, "ada/bad.md", f"密钥{KEY}")
    put(tmp_path, "ada/good.md", topic("good"))
    for words in (("sync", "--remote", "./memory.git"), ("export", "out.zip"), ("export", "out", "--folder")):
        done = jay("share", *words, "--vault", "ada", "--json")
        assert done.code == 5
        assert done.json["skipped"] == [{"path": "bad.md", "ruleId": "github-pat", "label": "Github Pat"}]
        assert KEY not in done.out + done.err
    assert "holds a secret, left out: bad.md (Github Pat)" in jay("share", "sync", "--vault", "ada").out
    assert list(remote_files(remote)) == ["good.md"]


def test_a_conflict_waits_in_the_inbox_and_is_decided_there(jay, tmp_path: Path, remote: Path) -> None:
    put(tmp_path, "ada/a.md", topic("a", "npm"))
    (tmp_path / "bob").mkdir()
    jay("share", "sync", "--remote", "./memory.git", "--vault", "ada")
    jay("share", "sync", "--remote", "./memory.git", "--vault", "bob")
    put(tmp_path, "ada/a.md", topic("a", "pnpm"))
    put(tmp_path, "bob/a.md", topic("a", "yarn"))
    jay("share", "sync", "--vault", "ada")
    done = jay("share", "sync", "--vault", "bob")
    assert done.code == 4
    assert "Decide with `scrubjay --vault bob inbox`." in done.out
    shown = jay("inbox", "show", "1", "--vault", "bob")
    assert "REPLACE" in shown.out
    assert "yarn" in shown.out
    assert jay("share", "status", "--vault", "bob", "--json").json["waiting"]
    done = jay("inbox", "accept", "1", "--vault", "bob")
    assert done.code == 0, done.err
    assert "yarn" in (tmp_path / "bob" / "a.md").read_text(encoding="utf-8")
    assert jay("share", "sync", "--vault", "bob", "--json").json["sent"] == ["a.md"]
    assert jay("undo", "--vault", "bob").code == 0


def test_f29_a_rewritten_history_is_said_in_a_sentence(jay, tmp_path: Path, remote: Path) -> None:
    put(tmp_path, "ada/a.md", topic("a"))
    jay("share", "sync", "--remote", "./memory.git", "--vault", "ada")
    committed(remote, {"README": "new"}, parent=False)
    done = jay("share", "sync", "--vault", "ada")
    assert done.code == 5
    assert "The history of the remote was rewritten" in done.err
    assert "`scrubjay --vault ada share sync --anew`" in done.err
    assert jay("share", "sync", "--vault", "ada", "--anew").code == 0
    assert "a.md" in remote_files(remote)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("sync",), 2, "Nobody said yet where"),
        (("sync", "--remote", "ext::sh -c true"), 5, "run a program"),
        (("sync", "--remote", "https://a:hunter2@example.org/x"), 5, "holds a secret"),
        (("sync", "--remote", "./nothing.git"), 2, "There is no folder"),
        (("sync", "--remote", "file:///nothing/at/all"), 6, "git ls-remote failed"),
        (("sync", "x"), 2, "What is 'x' for?"),
        (("export",), 2, "needs a file or a folder"),
        (("import",), 2, "needs a file or a folder"),
        (("import", "missing.zip"), 3, "There is no file or folder"),
        (("import", "x", "y"), 2, "What is 'y' for?"),
        (("status", "--anew"), 2, "--anew is for `share sync`"),
        (("export", "x.zip", "nothing"), 3, "nothing"),
        (("burn",), 2, "burn"),
    ],
)
def test_what_cannot_be_done_is_said(jay, tmp_path: Path, words: tuple[str, ...], code: int, said: str) -> None:
    put(tmp_path, "ada/a.md", topic("a"))
    done = jay("share", *words, "--vault", "ada")
    assert (done.code, said in done.err) == (code, True), done.err
    assert "hunter2" not in done.err


def test_a_personal_memory_is_not_shared(jay, tmp_path: Path, remote: Path) -> None:
    """CC-D3: nothing personal goes to a team, unless somebody names it."""
    jay("note", "Mine", "Private words.")
    for words in (("sync", "--remote", "./memory.git"), ("status",), ("export", "x.zip")):
        assert jay("share", *words).code == 2
    assert jay("share", "sync", "--scope", "user", "--remote", "./memory.git").code == 5
    assert jay("share", "export", "x.zip", "--scope", "user").code == 5
    assert git(remote, "for-each-ref") == ""
    done = jay("share", "export", "x.zip", "MEM-mine", "--scope", "user", "--json")
    assert (done.code, done.json["written"]) == (0, ["10-Memories/MEM-mine.md"])


def test_a_projects_memory_travels_with_its_own_git(jay, tmp_path: Path, remote: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    assert jay("init").code == 0
    jay("note", "Shared", "Words for all.", "--scope", "project")
    done = jay("share", "sync", "--scope", "project", "--remote", "./memory.git")
    assert (done.code, "own git" in done.err) == (5, True)
    assert jay("share", "export", "x.zip", "--scope", "project", "--json").json["written"] == [
        "10-Memories/MEM-shared.md"
    ]
    done = jay("share", "import", "x.zip", "--scope", "project", "--json")
    assert (done.code, done.json["known"]) == (0, ["10-Memories/MEM-shared.md"])


def test_f6_a_folder_with_a_git_repository_of_its_own_is_left_alone(jay, tmp_path: Path, remote: Path) -> None:
    put(tmp_path, "ada/a.md", topic("a"))
    subprocess.run(["git", "init", "-q"], cwd=tmp_path / "ada", check=True)
    done = jay("share", "sync", "--remote", "./memory.git", "--vault", "ada")
    assert (done.code, "left alone" in done.err) == (5, True)


def test_scan_finds_what_the_team_has_and_we_did_not_take(jay, tmp_path: Path, remote: Path) -> None:
    put(tmp_path, "ada/a.md", topic("a"))
    jay("share", "sync", "--remote", "./memory.git", "--vault", "ada")
    committed(remote, {**remote_files(remote), "bad.md": topic("bad", KEY)})
    assert jay("share", "sync", "--vault", "ada").code == 5
    done = jay("scan", "--vault", "ada", "--json")
    assert [(one["path"], one["rule"], one["where"]) for one in done.json["found"]] == [
        ("bad.md", "github-pat", "history")
    ]
    assert KEY not in done.out


def test_from_python_the_address_is_remembered_in_our_home_only(tmp_path: Path, remote: Path, own_home: Path) -> None:
    put(tmp_path, "ada/a.md", topic("a"))
    settings = {"models.embedder": "none", "models.reranker": "none"}
    with Memory.open(tmp_path / "ada", settings=settings, background=False) as memory:
        memory.share_sync(str(remote))
        assert memory.share_sync().remote == str(remote)
        assert memory.share_status().remote == str(remote)
        with pytest.raises(Refused):
            memory.share_sync("https://a:b@example.org/x")
        with pytest.raises(BadInput):
            memory.share_sync(3)  # type: ignore[arg-type]
        with pytest.raises(BadInput):
            memory.share_import("x.zip", scope="team")
    assert not [path for path in (tmp_path / "ada").rglob("*") if path.suffix == ".json"]
    assert [path.name for path in (own_home / ".scrubjay" / "share").rglob("remote.json")] == ["remote.json"]
