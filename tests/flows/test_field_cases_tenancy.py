"""Field cases 8 and 9: scopes, users, worktrees. What is remembered here is read here, and nowhere else."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scrubjay import Memory, Message, Query, Session
from scrubjay.errors import BadInput, NotFound

SETTINGS = {"models.embedder": "none", "models.reranker": "none"}


def git(*args: str, cwd: Path) -> None:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *args], cwd=cwd, check=True, capture_output=True)


def a_project(folder: Path) -> Path:
    folder.mkdir(parents=True)
    git("init", "-q", cwd=folder)
    (folder / "main.py").write_text("print(1)\n", "utf-8")
    git("add", ".", cwd=folder)
    git("commit", "-qm", f"Begin {folder.name}", cwd=folder)
    return folder


@pytest.fixture
def open_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Memory]]:
    """Opens the memory that belongs to a folder, as the command line does."""
    opened: list[Memory] = []

    def open_(folder: Path, **options: object) -> Memory:
        monkeypatch.chdir(folder)
        opened.append(Memory.open(settings=SETTINGS, background=False, **options))  # type: ignore[arg-type]
        return opened[-1]

    yield open_
    for memory in opened:
        memory.close()


def texts(memory: Memory, question: str, **options: object) -> set[str]:
    return {hit.text for hit in memory.search(question, abstain=False, **options).hits}  # type: ignore[arg-type]


def test_another_users_memories_do_not_exist(open_in: Callable[..., Memory], tmp_path: Path) -> None:
    """F99: neither by search, list, id, path, history, export nor by being forgotten."""
    (tmp_path / "work").mkdir()
    hers = open_in(tmp_path / "work", home=tmp_path / "her-home")
    his = open_in(tmp_path / "work", home=tmp_path / "his-home")
    secret = hers.remember("The alarm code is 4711.")
    his.remember("The kettle is blue.")
    assert texts(his, "alarm code 4711 kettle") == {"The kettle is blue."}
    assert [fact.text for fact in his.facts(include_superseded=True)] == ["The kettle is blue."]
    for ask in (his.show, his.history, his.forget, his.retract):
        for name in (secret.id, secret.path):
            with pytest.raises(NotFound):
                ask(name)
    his.export(tmp_path / "his.zip")
    assert b"4711" not in (tmp_path / "his.zip").read_bytes()
    assert len(hers.facts()) == 1


def test_another_projects_memories_do_not_show(open_in: Callable[..., Memory], tmp_path: Path) -> None:
    """F99: what is private to one project is not seen from another, and what is the user's is seen from both."""
    one, other = a_project(tmp_path / "one"), a_project(tmp_path / "other")
    memory = open_in(one)
    memory.remember("The deploy key of one lies in the drawer.")
    memory.remember("Max likes the drawer tidy.", category="Preference")
    assert texts(open_in(other), "drawer") == {"Max likes the drawer tidy."}
    assert len(texts(open_in(one / ".git" / ".."), "drawer")) == 2


@pytest.mark.parametrize("scopes", [[], set(), ["team"], ["user", "team"], [None], [""], "", "userlocal", [1]])
def test_an_unknown_scope_never_means_all(open_in: Callable[..., Memory], tmp_path: Path, scopes: object) -> None:
    """F99: no user, an empty set, a typing mistake: refused, by every verb that takes scopes."""
    memory = open_in(a_project(tmp_path / "one"))
    memory.remember("The alarm code is 4711.")
    for ask in (
        lambda: memory.search("alarm", scopes=scopes),  # type: ignore[arg-type]
        lambda: memory.facts(scopes=scopes),  # type: ignore[arg-type]
        lambda: memory.export(tmp_path / "out.zip", scopes=scopes),  # type: ignore[arg-type]
    ):
        with pytest.raises(BadInput, match=r"no scope|must be a string"):
            ask()
    assert not (tmp_path / "out.zip").exists()
    with pytest.raises(BadInput):
        memory.search(Query(text="alarm", scopes=frozenset()))


def test_one_scope_is_asked_alone(open_in: Callable[..., Memory], tmp_path: Path) -> None:
    """F99, F95: each scope answers with its own, by name or in a list."""
    memory = open_in(a_project(tmp_path / "one"))
    memory.remember("The alarm of the project is loud.", scope="local")
    memory.remember("The alarm of the user is quiet.", scope="user")
    for scopes in ("local", ["local"], {"local"}):
        assert texts(memory, "alarm", scopes=scopes) == {"The alarm of the project is loud."}
    assert [fact.text for fact in memory.facts(scopes="user")] == ["The alarm of the user is quiet."]
    assert len(texts(memory, "alarm")) == 2


def test_forgetting_in_one_scope_leaves_the_other(open_in: Callable[..., Memory], tmp_path: Path) -> None:
    """F25: the same statement of two owners is two facts."""
    memory = open_in(a_project(tmp_path / "one"))
    mine = memory.remember("The alarm is loud.", scope="user")
    ours = memory.remember("The alarm is loud.", scope="local")
    assert (mine.action, ours.action) == ("created", "created")
    memory.forget(ours.id)
    assert [(fact.id, fact.scope) for fact in memory.facts()] == [(mine.id, "user")]
    memory.undo()
    assert len(memory.facts()) == 2


def test_a_name_in_two_scopes_is_never_guessed(open_in: Callable[..., Memory], tmp_path: Path) -> None:
    """F25: the same note and the same conversation in two vaults: refused with a way out that works."""
    memory = open_in(a_project(tmp_path / "one"))
    talk = Session(id="s", messages=[Message(id="m", role="user", text="The walrus sings.")])
    for scope in ("user", "local"):
        memory.note("Walrus", f"The walrus of {scope} sleeps.", scope=scope)
        memory.ingest(talk, scope=scope)
    hits = memory.search("walrus", abstain=False).hits
    for name in {hit.id for hit in hits} | {hit.path for hit in hits if hit.layer == "notes"} | {"MEM-walrus"}:
        with pytest.raises(BadInput, match="scopes user and local") as caught:
            memory.forget(name)
        assert f"--vault {memory.scopes['local']}" in caught.value.hint
    assert memory.operations()[0].verb != "forget"
    with Memory.open(memory.scopes["local"], settings=SETTINGS, background=False) as alone:
        alone.forget("MEM-walrus")
    left = texts(memory, "walrus sleeps", layers=["notes"])
    assert len(left) == 1
    assert "The walrus of user sleeps." in left.pop()


def test_a_worktrees_memory_outlives_it(open_in: Callable[..., Memory], tmp_path: Path) -> None:
    """F101: one project, whichever working tree: learnt there, the tree removed, known here."""
    main = a_project(tmp_path / "main")
    git("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "feature", cwd=main)
    there = open_in(tmp_path / "tree")
    there.remember("The feature flag is called heron.")
    vault = Path(there.scopes["local"])
    assert tmp_path / "tree" not in vault.parents
    there.close()
    git("worktree", "remove", "--force", str(tmp_path / "tree"), cwd=main)
    assert texts(open_in(main), "which feature flag") == {"The feature flag is called heron."}
    git("worktree", "add", "-q", str(tmp_path / "again"), "-b", "second", cwd=main)
    assert texts(open_in(tmp_path / "again"), "which feature flag") == {"The feature flag is called heron."}


def test_a_moved_project_keeps_its_memory(open_in: Callable[..., Memory], tmp_path: Path) -> None:
    """F101: the folder gets another name; the repository is the same."""
    project = a_project(tmp_path / "old-name")
    open_in(project).remember("The feature flag is called heron.")
    project.rename(tmp_path / "new-name")
    assert texts(open_in(tmp_path / "new-name"), "which feature flag") == {"The feature flag is called heron."}
