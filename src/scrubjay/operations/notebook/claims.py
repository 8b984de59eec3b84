"""Whether what a memory names is still there: files, symbols, flags and settings against the tree (CC-F5, F93).

``FRESH``: the tree has it. ``STALE``: the tree had it and has it no more, as git remembers, or as the folder shows in
which it is missing where there is no git. ``UNVERIFIABLE``: everything else. A warning that is wrong does more harm
than none: what was never seen here, what is generated or ignored, what the memory itself says is gone, and whatever
could not be looked up in time is never called stale.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from scrubjay.operations.notebook.tree import Tree
from scrubjay.text.claims import Kind, Named, named

Standing = Literal["FRESH", "STALE", "UNVERIFIABLE"]

MOST_CLAIMS = 40
"""Claims of one memory that are checked."""

_GENERATED = re.compile(
    r"(?:^|/)(?:\.?cache|bin|build|coverage|data|dist|downloads?|env|generated|htmlcov|installer|logs?|models?|node_modules"
    r"|obj|out|outputs?|pkg|releases?|reports?|runs?|site|target|te?mp|uploads?|vendor|\.?venv|__pycache__|\.[\w-]+)/"
    r"|\.(?:bin|csv|db|env|jsonl|lock|log|pid|spec|sqlite3?|tmp|txt|wasm)$|(?:^|/)(?:config|settings)\.local\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Something that a memory names, and how it stands with it. ``now`` is where it is today, where that is known."""

    kind: Kind
    text: str
    standing: Standing = "UNVERIFIABLE"
    now: str = ""


def claims(text: str) -> tuple[Claim, ...]:
    """What ``text`` names, in order, each once, nothing of it checked."""
    return checked(text, None)


def checked(text: str, tree: Tree | None) -> tuple[Claim, ...]:
    """The claims of ``text`` with their standing in ``tree``."""
    return check([text], tree)[0]


def check(texts: Sequence[str], tree: Tree | None) -> list[tuple[Claim, ...]]:
    """The claims of each of ``texts``, held against ``tree``, which is read once for all; all are unverifiable
    without one."""
    found = [list(islice(named(text), MOST_CLAIMS)) for text in texts]
    if tree is None or not any(found) or not tree.files:
        return [tuple(Claim(kind=one.kind, text=one.name) for one in each) for each in found]
    known = _Checked(tree, [one for each in found for one in each])
    return [tuple(map(known.claim, each)) for each in found]


def standing(claims: Sequence[Claim]) -> Standing:
    """What to say of a memory as a whole: stale if a claim is, fresh if one is and none is stale."""
    kinds = {claim.standing for claim in claims}
    return "STALE" if "STALE" in kinds else "FRESH" if "FRESH" in kinds else "UNVERIFIABLE"


class _Checked:
    """The names of several memories, looked up together, so that the tree is read once."""

    def __init__(self, tree: Tree, names: Sequence[Named]) -> None:
        self._tree = tree
        self._places = {one.name: tree.find(one.name) for one in names if one.kind == "file"}
        symbols = {one.name for one in names if one.kind == "symbol"}
        others = {word for one in names if one.kind in ("flag", "setting") for word in _spellings(one)}
        self._code, self._all_code = tree.holding(symbols, code=True) if symbols else (set(), True)
        self._text, self._all_text = tree.holding(others, code=False) if others else (set(), True)
        missing = [one.name for one in names if one.kind == "file" and one.telling and not self._places[one.name]]
        self._deleted = tree.deleted([path for path in dict.fromkeys(missing) if not _GENERATED.search(path)])

    def claim(self, one: Named) -> Claim:
        """``one`` with its standing."""
        if one.kind == "file":
            return self._file(one)
        words = (one.name,) if one.kind == "symbol" else _spellings(one)
        known, complete = (self._code, self._all_code) if one.kind == "symbol" else (self._text, self._all_text)
        if known.intersection(words):
            return Claim(kind=one.kind, text=one.name, standing="FRESH")
        stale = complete and one.telling and self._is_past(one)
        return Claim(kind=one.kind, text=one.name, standing="STALE" if stale else "UNVERIFIABLE")

    def _file(self, one: Named) -> Claim:
        if self._places[one.name]:
            return Claim(kind="file", text=one.name, standing="FRESH")
        if one.telling and (one.name in self._deleted or self._is_missing(one.name)):
            return Claim(kind="file", text=one.name, standing="STALE", now=self._tree.moved_to(one.name))
        return Claim(kind="file", text=one.name)

    def _is_missing(self, path: str) -> bool:
        """Without git: whether the folder in which ``path`` should be is there, and no file of its name is anywhere."""
        folder, _, name = path.rstrip("/").rpartition("/")
        if not folder or self._tree.is_git or not self._tree.complete or _GENERATED.search(path):
            return False
        return self._tree.find(f"{folder}/") != "" and name.casefold() not in self._tree.names

    def _is_past(self, one: Named) -> bool:
        if one.inside and self._places.get(one.inside) == one.inside:
            return True  # the very file is there, and nowhere what the memory says stands in it
        return self._tree.had(one.name)


def _spellings(one: Named) -> tuple[str, ...]:
    """How a flag or a setting may stand in code: ``--dry-run`` is also ``dry_run``, ``dry-run`` and ``dryRun``."""
    if one.kind == "setting":
        return (one.name,)
    words = re.split("[-_]", one.name.removeprefix("--"))
    if len(words) == 1:
        return (one.name,)
    camel = words[0] + "".join(word.capitalize() for word in words[1:])
    return (one.name, "_".join(words), "-".join(words), camel, camel[:1].upper() + camel[1:])
