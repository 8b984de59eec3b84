"""How modules look: small, named for one idea, explained in their first line."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "scrubjay"
MODULES = {path.relative_to(ROOT).as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}

# Names that say nothing about what belongs inside.
BANNED = re.compile(r"(?:^|_)(?:utils?|helpers?|managers?|base|common|misc|core|stuff)(?:_|$)")
BANNED_CLASS = re.compile(r"(?:Util|Utils|Helper|Helpers|Manager|Base|Common|Misc)$|^Base[A-Z]")


@pytest.mark.parametrize("name", MODULES)
def test_a_module_is_small_and_has_a_docstring(name: str) -> None:
    """Nothing over 500 lines: by then it has two reasons to change."""
    text = MODULES[name].read_text(encoding="utf-8")
    assert text.count("\n") <= 500
    assert ast.get_docstring(ast.parse(text))


@pytest.mark.parametrize("name", MODULES)
def test_names_say_what_belongs_inside(name: str) -> None:
    path = MODULES[name]
    parts = [*path.relative_to(PACKAGE).parent.parts, path.stem]
    assert [part for part in parts if BANNED.search(part)] == []
    classes = [
        node.name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.ClassDef)
    ]
    assert [class_ for class_ in classes if BANNED_CLASS.search(class_)] == []


@pytest.mark.parametrize("name", MODULES)
def test_nobody_inside_goes_through_the_front_door(name: str) -> None:
    """``from scrubjay import Memory`` is for users; inside, a name is imported from where it lives."""
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == "scrubjay"]
    named = {alias.name for node in found for alias in node.names}
    assert named <= {"__version__"} | {path.stem for path in PACKAGE.iterdir() if path.stem != "__init__"}


def test_there_is_one_error_tree() -> None:
    """Every exception class of the package descends from ``ScrubjayError`` (``scrubjay.errors``)."""
    odd = []
    for name, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            bases = {ast.unparse(base) for base in node.bases} if isinstance(node, ast.ClassDef) else set()
            if bases & {"Exception", "BaseException", "ValueError", "RuntimeError", "OSError", "KeyError", "TypeError"}:
                odd.append(f"{name}: {ast.unparse(node).splitlines()[0]}")
    assert odd == ["src/scrubjay/errors.py: class ScrubjayError(Exception):"]
