"""Whether what a memory names is still there (CC-F5, F93)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from scrubjay.operations.notebook import tree as trees
from scrubjay.operations.notebook.claims import MOST_CLAIMS, Claim, check, checked, claims, standing
from scrubjay.operations.notebook.tree import Tree

FILES = {
    "src/shop/cart.py": "def total_of(items):\n    return sum(items)\n\n\nclass ShoppingCart:\n    pass\n",
    "src/shop/cli.py": 'add("--dry-run")\nparse(max_items=3)\nlimit = environ["SHOP_LIMIT"]\n',
    "src/shop/old_prices.py": "def price_of_thing():\n    return 1\n",
    "README.md": "Use it. `never_in_code()` is only told here.\n",
    "node_modules/x/gone.js": "function hidden_one() {}\n",
}


def fill(root: Path) -> None:
    for path, text in FILES.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def git(root: Path, *words: str) -> None:
    names = ["-c", "user.name=Ada", "-c", "user.email=ada@localhost", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(root), *names, *words], check=True, capture_output=True)


def commit(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Change")


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A folder without git."""
    fill(tmp_path)
    return tmp_path


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit; node_modules is ignored."""
    fill(tmp_path)
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("node_modules/\nlocal_notes.toml\n", encoding="utf-8")
    commit(tmp_path)
    return tmp_path


def of(text: str, root: Path, **options: object) -> str:
    return standing(checked(text, Tree(root, seconds=60, **options)))  # type: ignore[arg-type]


@pytest.fixture(params=["plain", "repository"])
def either(request: pytest.FixtureRequest) -> Path:
    root: Path = request.getfixturevalue(request.param)
    return root


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("See `src/shop/cart.py`.", "FRESH"),
        ("See `cart.py:12`.", "FRESH"),
        ("See `shop/cart.py`, from another folder.", "FRESH"),
        ("See src/shop/cart.py.", "FRESH"),
        ("All of `src/shop/` is ours.", "FRESH"),
        ("В файле `src/shop/cart.py` функция `total_of()`.", "FRESH"),
        ("文件在src/shop/cart.py里。", "FRESH"),
        ("The class `ShoppingCart`.", "FRESH"),
        ("`src/shop/cart.py::total_of` sums.", "FRESH"),
        ("`src/shop/cart.py::sum_of_all` sums.", "STALE"),
        ("Run `shop --dry-run`, pass `--max-items`.", "FRESH"),
        ("Set `SHOP_LIMIT`.", "FRESH"),
        ("Run `shop --no-such-flag`, set `SHOP_COLOUR`.", "UNVERIFIABLE"),
        ("`other/place/thing.py` of another repository", "UNVERIFIABLE"),
        ("`basket.py` somewhere", "UNVERIFIABLE"),
        ("`src/shop/dist/bundle.min.js`, `src/shop/run.log`, `src/shop/cache.db`", "UNVERIFIABLE"),
        ("`~/.ssh/config.old` and `/etc/passwd.bak`", "UNVERIFIABLE"),
        ("https://example.com/src/shop/gone.py", "UNVERIFIABLE"),
        ("`sum_of()`, `json.dumps()`, `print()`", "UNVERIFIABLE"),
        ("`never_in_code()` is only in prose", "UNVERIFIABLE"),
        ("no claims at all", "UNVERIFIABLE"),
        ("`../../etc/passwd.txt`", "UNVERIFIABLE"),
        ("We deleted `src/shop/basket.py`.", "UNVERIFIABLE"),
    ],
)
def test_cc_f5_claims_are_checked_against_the_tree(either: Path, text: str, wanted: str) -> None:
    assert of(text, either) == wanted


@pytest.mark.parametrize(
    "text", ["The sums are in `src/shop/cart.py`.", "Суммы в src/shop/cart.py.", "见 `src/shop/cart.py`。"]
)
def test_f93_a_renamed_file_makes_the_memory_stale(either: Path, text: str) -> None:
    assert of(text, either) == "FRESH"
    (either / "src/shop/cart.py").rename(either / "src/shop/basket.py")
    assert of(text, either) == "STALE"


def test_f93_a_rename_that_is_committed_is_known_with_its_new_place(repository: Path) -> None:
    git(repository, "mv", "src/shop/old_prices.py", "src/shop/prices.py")
    commit(repository)
    wanted = Claim(kind="file", text="src/shop/old_prices.py", standing="STALE", now="src/shop/prices.py")
    assert checked("See `src/shop/old_prices.py`.", Tree(repository, seconds=60)) == (wanted,)
    assert of("See `old_prices.py`.", repository) == "STALE"
    assert of("See `shop/old_prices.py`.", repository) == "STALE"


def test_f93_what_was_taken_out_of_the_code_is_stale_when_git_remembers(repository: Path) -> None:
    text = "`price_of_thing()`, `ShoppingCart`, `--dry-run`, `SHOP_LIMIT`"
    assert {one.standing for one in checked(text, Tree(repository, seconds=60))} == {"FRESH"}
    for name in ("cart", "cli", "old_prices"):
        (repository / f"src/shop/{name}.py").write_text("pass\n", encoding="utf-8")
    for _ in range(2):  # before it is committed, and after
        found = checked(text, Tree(repository, seconds=60))
        assert [(one.text, one.standing) for one in found] == [
            ("price_of_thing", "STALE"), ("ShoppingCart", "STALE"), ("--dry-run", "STALE"), ("SHOP_LIMIT", "STALE"),
        ]  # fmt: skip
        git(repository, "add", "-A")
        git(repository, "commit", "-q", "--allow-empty", "-m", "Less")


def test_a_symbol_of_a_file_that_only_ends_so_may_be_of_another(either: Path) -> None:
    (found, symbol) = checked("`cart.py::sum_of_all` sums.", Tree(either, seconds=60))
    assert (found.standing, symbol.standing) == ("FRESH", "UNVERIFIABLE")


def test_a_part_of_a_repository_is_a_tree_too(repository: Path) -> None:
    git(repository, "mv", "src/shop/old_prices.py", "src/shop/prices.py")
    commit(repository)
    (found,) = checked("See `shop/old_prices.py`.", Tree(repository / "src", seconds=60))
    assert (found.standing, found.now) == ("STALE", "shop/prices.py")
    (repository / "src/other.py").write_text("x = 1\n", encoding="utf-8")
    git(repository, "mv", "README.md", "OLD.md")
    commit(repository)
    assert of("See `README.md`.", repository / "src") == "UNVERIFIABLE"


def test_part_of_a_longer_name_was_never_there(repository: Path) -> None:
    (repository / "src/shop/cart.py").write_text("pass\n", encoding="utf-8")
    commit(repository)
    assert of("`Shopping_cart_total`, `price_of()`, `total_of_items()`, `ShoppingCa`", repository) == "UNVERIFIABLE"


def test_a_folder_whose_files_are_all_gone_is_stale(repository: Path) -> None:
    git(repository, "mv", "src/shop", "src/store")
    commit(repository)
    assert of("All of `src/shop/` is ours.", repository) == "STALE"
    assert of("All of `src/store/` is ours.", repository) == "FRESH"


def test_a_file_that_moved_to_another_folder_is_no_false_alarm(either: Path) -> None:
    (either / "lib/src/shop").mkdir(parents=True)
    (either / "src/shop/cart.py").rename(either / "lib/src/shop/cart.py")
    assert of("`src/shop/cart.py`", either) == "FRESH"


def test_what_git_ignores_is_on_some_machines_only(repository: Path) -> None:
    (repository / "local_notes.toml").write_text("a = 1\n", encoding="utf-8")
    git(repository, "add", "-f", "local_notes.toml")
    commit(repository)
    git(repository, "rm", "-q", "--cached", "local_notes.toml")
    commit(repository)
    assert of("`local_notes.toml`", repository) == "FRESH"
    (repository / "local_notes.toml").unlink()
    assert of("`local_notes.toml`", repository) == "UNVERIFIABLE"


def test_memories_inside_the_tree_prove_nothing(repository: Path) -> None:
    memory = repository / ".claude/memory"
    memory.mkdir(parents=True)
    (memory / "note.md").write_text("`--never-made`, `NEVER_MADE`\n", encoding="utf-8")
    assert of("`--never-made`, `NEVER_MADE`", repository, memory=memory) == "UNVERIFIABLE"


def test_f112_links_are_not_followed(either: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.py").write_text("def secret_name(): ...\n", encoding="utf-8")
    (either / "link").symlink_to(outside)
    (either / "secret_link.py").symlink_to(outside / "secret.py")
    for text in ("`link/secret.py`", "`secret_link.py`", "`secret_name()`"):
        assert of(text, either) == "UNVERIFIABLE"


def test_f112_a_folder_that_became_a_link_is_not_read(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The index of a hostile clone may list files below what is a link on the disk."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "cart.py").write_text("def secret_name(): ...\n", encoding="utf-8")
    (repository / "src/shop").rename(repository / "src/was")
    (repository / "src/shop").symlink_to(outside)
    assert "src/shop/cart.py" in Tree(repository).files
    assert of("`secret_name()`", repository) == "UNVERIFIABLE"
    assert of("`src/shop/cart.py`", repository) != "FRESH"


def test_f112_git_runs_nothing_that_the_tree_brings(repository: Path) -> None:
    ran = repository / "ran"
    program = repository / "evil.sh"
    program.write_text(f"#!/bin/sh\ntouch '{ran}'\ncat\n", encoding="utf-8")
    program.chmod(0o755)
    for name in ("core.fsmonitor", "diff.evil.textconv", "diff.external", "core.pager", "gpg.program"):
        git(repository, "config", name, str(program))
    git(repository, "config", "log.showSignature", "true")
    (repository / ".gitattributes").write_text("*.py diff=evil\n", encoding="utf-8")
    (repository / "src/shop/cart.py").unlink()
    checked("`src/shop/cart.py`, `ShoppingCart`, `--never-made`", Tree(repository, seconds=60))
    assert not ran.exists()


def test_f112_words_of_a_memory_are_no_options_of_git(repository: Path) -> None:
    text = "`--output-of-evil`, `src/--upload-pack.py`, `:(top)x/y.py`, `-n/z.py`, `src/shop/-v.py`"
    assert of(text, repository) == "UNVERIFIABLE"
    assert sorted(os.listdir(repository)) == sorted([".git", ".gitignore", "README.md", "node_modules", "src"])


def test_without_time_nothing_is_called_gone(repository: Path) -> None:
    (repository / "src/shop/cart.py").unlink()
    ticks = iter(range(10_000))
    hurried = Tree(repository, seconds=0.5, clock=lambda: float(next(ticks)))
    assert (
        standing(checked("`src/shop/cart.py`, `ShoppingCart`, `src/shop/cli.py::gone_name`", hurried)) == "UNVERIFIABLE"
    )


@pytest.mark.parametrize(("bound", "value"), [("MOST_READ", 0), ("MOST_FILES", 2)])
def test_what_was_not_read_is_not_called_gone(
    plain: Path, monkeypatch: pytest.MonkeyPatch, bound: str, value: int
) -> None:
    monkeypatch.setattr(trees, bound, value)
    assert [one.standing for one in checked("`src/shop/cart.py::sum_of_all`", Tree(plain))][1:] == ["UNVERIFIABLE"]


def test_claims_of_a_memory_are_bounded_and_said_in_order(plain: Path) -> None:
    many = " ".join(f"`a/b{number}.py`" for number in range(1000))
    assert len(claims(many)) == MOST_CLAIMS
    first, second = check(["`src/shop/cart.py`", "`SHOP_LIMIT` in `cli.py`"], Tree(plain))
    assert [one.text for one in first] == ["src/shop/cart.py"]
    assert [(one.kind, one.standing) for one in second] == [("setting", "FRESH"), ("file", "FRESH")]


def test_without_a_tree_nothing_is_verified(tmp_path: Path) -> None:
    for none in (None, Tree(tmp_path / "nowhere")):
        assert standing(checked("`src/shop/cart.py`", none)) == "UNVERIFIABLE"


def test_cc_f5_memories_of_another_project_raise_no_alarm(shared_data: Path) -> None:
    """The largest notebook at hand, with its sources absent, and then against the wrong tree: nothing is stale."""
    folder = shared_data / "vaults/XAIHT+Tlamatini/.claude/memory"
    if not folder.is_dir():
        pytest.skip("the shared notebook is not here")
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.glob("*.md"))]
    absent = check(texts, Tree(folder.parents[1], memory=folder, seconds=60))
    assert {one.standing for each in absent for one in each} == {"UNVERIFIABLE"}
    wrong = check(texts, Tree(Path(__file__).parents[4] / "src", seconds=60))
    assert [one for each in wrong for one in each if one.standing == "STALE"] == []


def test_cc_f5_the_pages_of_this_repository_raise_no_alarm() -> None:
    root = Path(__file__).parents[4]
    pages = [path.read_text(encoding="utf-8") for path in sorted((root / "docs").glob("*.md"))]
    found = [one for each in check(pages, Tree(root, seconds=60)) for one in each]
    assert [one for one in found if one.standing == "STALE"] == []
    assert sum(one.standing == "FRESH" for one in found) > 100
