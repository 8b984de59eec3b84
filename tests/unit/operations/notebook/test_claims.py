"""Whether what a memory names is still there (CC-F5, F93)."""

from __future__ import annotations

from pathlib import Path

import pytest

from scrubjay.operations.notebook.claims import Tree, checked, claims, standing


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    for path, text in {
        "src/shop/cart.py": "def total_of(items):\n    return sum(items)\n",
        "src/shop/cli.py": 'add("--dry-run")\n',
        "README.md": "Use it.\n",
        "node_modules/x/gone.js": "function hidden_one() {}\n",
    }.items():
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return Tree(tmp_path)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("See `src/shop/cart.py`.", "FRESH"),
        ("See `cart.py:12`.", "FRESH"),
        ("В файле `src/shop/cart.py` функция `total_of()`.", "FRESH"),
        ("文件 `src/shop/basket.py` 里的函数。", "STALE"),
        ("`src/shop/cart.py` has `sum_of()`.", "STALE"),
        ("`src/shop/cart.py` has `shop.cart.total_of()`.", "FRESH"),
        ("Run `shop --dry-run`.", "FRESH"),
        ("Run `shop --no-such-flag`.", "UNVERIFIABLE"),
        ("`other/place/thing.py` of another repository", "UNVERIFIABLE"),
        ("`basket.py` somewhere", "UNVERIFIABLE"),
        ("`src/shop/dist/bundle.min.js` is generated", "UNVERIFIABLE"),
        ("`src/shop/run.log` is written", "UNVERIFIABLE"),
        ("`~/.ssh/config.old` and `/etc/passwd.bak` are no files of the project", "UNVERIFIABLE"),
        ("https://example.com/src/shop/gone.py and `https://example.com/a.py`", "UNVERIFIABLE"),
        ("version `1.2.3` of `v2.0`", "UNVERIFIABLE"),
        ("`sum_of()` without a file", "UNVERIFIABLE"),
        ("no claims at all", "UNVERIFIABLE"),
        ("`../../etc/passwd.txt`", "UNVERIFIABLE"),
    ],
)
def test_cc_f5_claims_are_checked_against_the_tree(tree: Tree, text: str, wanted: str) -> None:
    assert standing(checked(text, tree)) == wanted


def test_f93_a_renamed_file_makes_the_memory_stale(tree: Tree) -> None:
    text = "The sums are in `src/shop/cart.py`."
    assert standing(checked(text, tree)) == "FRESH"
    (tree.root / "src/shop/cart.py").rename(tree.root / "src/shop/basket.py")
    assert standing(checked(text, Tree(tree.root))) == "STALE"


def test_a_file_that_was_moved_elsewhere_is_not_called_gone(tree: Tree) -> None:
    (tree.root / "lib").mkdir()
    (tree.root / "src/shop/cart.py").rename(tree.root / "lib/cart.py")
    assert standing(checked("`src/shop/cart.py`", Tree(tree.root))) == "UNVERIFIABLE"


def test_f112_links_are_not_followed_and_claims_are_bounded(
    tree: Tree, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.py").write_text("def secret_name(): ...\n", encoding="utf-8")
    (tree.root / "link").symlink_to(outside)
    assert "link/secret.py" not in Tree(tree.root).files
    assert standing(checked("`secret_name()`", Tree(tree.root))) == "UNVERIFIABLE"
    assert len(claims(" ".join(f"`a/b{number}.py`" for number in range(1000)))) == 12


def test_without_a_tree_nothing_is_verified(tmp_path: Path) -> None:
    for none in (None, Tree(tmp_path / "nowhere")):
        assert standing(checked("`src/shop/cart.py`", none)) == "UNVERIFIABLE"
