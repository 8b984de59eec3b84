"""What is imported is declared, and what is declared is imported."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

OURS = frozenset({"scrubjay", "benchmarks", "conftest"})
# Development tools that are run, not imported.
TOOLS = frozenset({"import-linter", "mypy", "pytest-cov", "ruff", "types-pyyaml"})


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def names(requirements: Iterable[str]) -> set[str]:
    """The distributions that ``requirements`` name."""
    return {normal(re.split(r"[\s<>=!~;\[]", requirement, maxsplit=1)[0]) for requirement in requirements}


def imports(folder: Path) -> Iterator[str]:
    """The top-level modules that are imported below ``folder``, at whatever depth of the code."""
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield node.module.partition(".")[0]


def texts(folder: Path) -> set[str]:
    """Every string in the code below ``folder``; a module that is imported by name is among them."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in folder.rglob("*.py"))
    return {
        node.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def distributions(modules: Iterable[str]) -> set[str]:
    """The distributions that bring ``modules``; an unknown module stands for itself."""
    known = packages_distributions()
    outside = {module for module in modules if module not in sys.stdlib_module_names | OURS}
    return {normal(known.get(module, [module])[0]) for module in outside}


def extras() -> list[str]:
    """What the extras bring."""
    return [one for extra in PROJECT["project"]["optional-dependencies"].values() for one in extra]


def test_the_package_declares_what_it_imports_and_no_more() -> None:
    declared = names([*PROJECT["project"]["dependencies"], *extras()])
    imported = distributions(imports(ROOT / "src"))
    by_name = texts(ROOT / "src") & set(packages_distributions())
    assert imported - declared == set(), "imported, but not declared in pyproject.toml"
    assert declared - imported - distributions(by_name) == set(), "declared in pyproject.toml, but not imported"


def test_the_tests_need_only_what_a_developer_installs() -> None:
    declared = names(PROJECT["project"]["dependencies"]) | names(PROJECT["dependency-groups"]["dev"])
    folders = ("tests", "benchmarks", "scripts")
    imported = distributions(module for folder in folders for module in imports(ROOT / folder))
    assert imported - declared - set(folders) == set()
    assert names(extras()) - declared == set(), "what only an extra brings cannot be tested without it"
    imported |= names(extras())
    assert names(PROJECT["dependency-groups"]["dev"]) - imported - TOOLS == set()


def test_versions_have_floors_only() -> None:
    """A ceiling in a library is somebody else's conflict."""
    groups = [PROJECT["project"]["dependencies"], extras(), *PROJECT["dependency-groups"].values()]
    assert [one for group in groups for one in group if not re.fullmatch(r"[\w.-]+(\[[\w,]+\])?>=[\d.]+", one)] == []


def test_the_lock_file_names_the_public_index_only() -> None:
    lock = ROOT / "uv.lock"
    sources = set(re.findall(r'registry = "([^"]+)"', lock.read_text(encoding="utf-8")))
    assert sources == {"https://pypi.org/simple"}
