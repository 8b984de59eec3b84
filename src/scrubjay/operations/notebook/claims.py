"""Whether what a memory names is still there: files, functions and flags against the working tree (CC-F5, F93).

A claim is ``FRESH`` when the tree has it, ``STALE`` when the tree would have it and does not, ``UNVERIFIABLE`` in all
other cases. A false ``STALE`` does harm, so a file is stale only when its folder is there and no file of its name is
anywhere in the tree, and a symbol only when the memory ties it to a file that is there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

Standing = Literal["FRESH", "STALE", "UNVERIFIABLE"]
Kind = Literal["file", "symbol", "flag"]

MOST_CLAIMS = 12
MOST_FILES = 50_000
MOST_BYTES = 1 << 20
MOST_READ = 64 << 20
_SKIPPED = frozenset(
    {".git", ".hg", "node_modules", "__pycache__", ".venv", "venv", "dist", "build", "target", ".tox", ".mypy_cache"}
)
_GENERATED = re.compile(
    r"(?:^|/)(?:dist|build|target|out|tmp|temp|\.?cache|logs?|node_modules|\.?venv)/|\.(?:log|lock|tmp|pid)$"
)
_CODE = re.compile(r"`([^`\n]{2,200})`")
_FILE = re.compile(r"(?:\./)?(?:[\w.@+-]+/)*[\w.@+-]*\.[A-Za-z][A-Za-z0-9]{0,7}(?::\d+(?:-\d+)?)?")
_SYMBOL = re.compile(r"(?:[A-Za-z_]\w*(?:\.|::))*([A-Za-z_]\w{2,})\(\)")
_FLAG = re.compile(r"--[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
_TEXT = frozenset(
    ".py .pyi .js .jsx .mjs .cjs .ts .tsx .go .rs .java .kt .c .h .cc .cpp .hpp .cs .rb .php .lua .sh .bash .toml .yaml"
    " .yml .json .md .rst .txt .cfg .ini .html .css .sql .vue .svelte .swift .scala .ps1 .bat".split()
)


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that a memory names, as it names it."""

    kind: Kind
    text: str
    standing: Standing = "UNVERIFIABLE"


@dataclass(slots=True)
class _Budget:
    left: int = MOST_READ


@dataclass
class Tree:
    """A working tree, listed once and read as far as the budget goes; links are not followed."""

    root: Path
    _budget: _Budget = field(default_factory=_Budget)

    @cached_property
    def files(self) -> frozenset[str]:
        """The paths of its files, with ``/``; empty where there is no tree, or where it is too big to be listed."""
        found = []
        for path in _walk(str(self.root), ""):
            found.append(path)
            if len(found) > MOST_FILES:
                return frozenset()
        return frozenset(found)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of its files, lower-case."""
        return frozenset(path.rpartition("/")[2].casefold() for path in self.files)

    @cached_property
    def folders(self) -> frozenset[str]:
        """Its folders, with ``/``; the root is the empty one."""
        found = {""}
        for path in self.files:
            while path := path.rpartition("/")[0]:
                if path in found:
                    break
                found.add(path)
        return frozenset(found)

    def holds(self, word: str, paths: Sequence[str] = ()) -> bool | None:
        """Whether one of ``paths`` (or of all text files) holds ``word``; ``None`` if not all could be read."""
        wanted = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
        complete = True
        for path in paths or self.files:
            if os.path.splitext(path)[1].lower() not in _TEXT:
                continue
            text = self._read(path)
            if text is None:
                complete = False
            elif wanted.search(text):
                return True
        return False if complete else None

    def _read(self, path: str) -> str | None:
        if self._budget.left <= 0:
            return None
        try:
            with open(self.root / path, "rb") as stream:
                data = stream.read(MOST_BYTES + 1)
        except OSError:
            return None
        self._budget.left -= len(data)
        return None if len(data) > MOST_BYTES else data.decode("utf-8", "replace")


def claims(text: str) -> list[Claim]:
    """What ``text`` names in code marks, in order, each once: at most ``MOST_CLAIMS``."""
    found: dict[tuple[str, str], Claim] = {}
    for code in _CODE.finditer(text):
        for claim in _in_code(code.group(1).strip()):
            found.setdefault((claim.kind, claim.text), claim)
            if len(found) == MOST_CLAIMS:
                return list(found.values())
    return list(found.values())


def checked(text: str, tree: Tree | None) -> list[Claim]:
    """The claims of ``text`` with their standing in ``tree``."""
    found = claims(text)
    if tree is None or not tree.files:
        return found
    known = [claim for claim in found if claim.kind == "file"]
    present = [path for claim in known if (path := _path_in(tree, claim.text))]
    return [Claim(claim.kind, claim.text, _standing(claim, tree, present)) for claim in found]


def standing(found: Sequence[Claim]) -> Standing:
    """What to say of a memory with these claims: stale if one is, fresh if one is and none is stale."""
    kinds = {claim.standing for claim in found}
    return "STALE" if "STALE" in kinds else "FRESH" if "FRESH" in kinds else "UNVERIFIABLE"


def _in_code(code: str) -> Iterator[Claim]:
    if "://" in code or code.startswith(("~", "/", "$", "<")) or ".." in code or "*" in code:
        return
    if _FILE.fullmatch(code) and not re.fullmatch(r"v?\d[\w.]*", code):
        yield Claim("file", re.sub(r":\d+(?:-\d+)?$", "", code).removeprefix("./"))
    elif symbol := _SYMBOL.fullmatch(code):
        yield Claim("symbol", symbol.group(1))
    elif " " in code or code.startswith("--"):
        yield from (Claim("flag", flag) for flag in _FLAG.findall(code))


def _standing(claim: Claim, tree: Tree, present: Sequence[str]) -> Standing:
    if claim.kind == "file":
        if _path_in(tree, claim.text):
            return "FRESH"
        folder, _, name = claim.text.rpartition("/")
        gone = bool(folder) and folder in tree.folders and name.casefold() not in tree.names
        return "STALE" if gone and not _GENERATED.search(claim.text) else "UNVERIFIABLE"
    if tree.holds(claim.text, present) if present else tree.holds(claim.text):
        return "FRESH"
    if claim.kind == "symbol" and present and tree.holds(claim.text) is False:
        return "STALE"
    return "UNVERIFIABLE"


def _path_in(tree: Tree, named: str) -> str:
    """The file that ``named`` means: that path, or the one file whose path ends so."""
    if named in tree.files:
        return named
    ends = [path for path in tree.files if path.endswith(f"/{named}")]
    return ends[0] if ends else ""


def _walk(folder: str, prefix: str) -> Iterator[str]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_symlink():
            continue
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in _SKIPPED:
                yield from _walk(entry.path, f"{prefix}{entry.name}/")
        elif entry.is_file(follow_symlinks=False):
            yield prefix + entry.name
