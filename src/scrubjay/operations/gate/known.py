"""Whether the vault says already what a decision would write: then nothing is written, however often (F21 … F23)."""

from __future__ import annotations

from collections.abc import Iterable

from scrubjay.errors import NotFound, ScrubjayError
from scrubjay.operations.gate import steps
from scrubjay.operations.gate.merging import Item
from scrubjay.operations.learn import differences
from scrubjay.operations.store import Store
from scrubjay.proposals import Decision, Done, Proposal
from scrubjay.text import frontmatter
from scrubjay.types import Document
from scrubjay.vaults.documents import revision
from scrubjay.vaults.layout import MEMORIES


class Contents:
    """What the memories of a vault say, read when it is first asked for.

    ``settled`` are memories that hold an answer of the same plan already: what an earlier answer of it put there may
    have been replaced by a later one.
    """

    def __init__(self, store: Store, items: Iterable[Item] = ()) -> None:
        self._store = store
        self._lines: dict[str, str] | None = None
        self._settled: frozenset[str] = frozenset()
        self._settled = frozenset(done.path for item in items if (done := self._known_or_none(item)))

    def known(self, proposal: Proposal, decision: Decision) -> Done | None:
        """The memory that says it already. ``None`` where there is none, and for what is no learning."""
        if decision.action == "CREATE":
            path = self._path_of(steps.body_of(proposal, decision))
        elif decision.action in ("UPDATE", "EXTEND"):
            path = self._path_of_target(proposal, decision)
        else:
            return None
        if not path:
            return None
        id = path.rpartition("/")[2].removesuffix(".md")
        return Done(action="SKIP", key=proposal.key, memory_id=id, path=path)

    def written(self, path: str) -> None:
        """Takes in that ``path`` was written by this batch."""
        if self._lines is not None:
            self._take_in(self._lines, path)

    def _known_or_none(self, item: Item) -> Done | None:
        try:
            return self.known(item.whole, item.decision)
        except ScrubjayError:
            return None

    def _path_of(self, body: str) -> str:
        new = differences.wording("", body)
        new_line = differences.in_one_line(body)
        if self._lines is None:
            self._lines = {}
            for path, indexed in self._store.index.documents().items():
                if path.startswith(f"{MEMORIES}/") and indexed.kind == "note":
                    self._take_in(self._lines, path)
        # A memory holds the text, or the text below a heading that became its title.
        alike = (path for path, line in self._lines.items() if new_line.endswith(line))
        return next((path for path in alike if new.same(_wording(self._store.vault.read(path)))), "")

    def _take_in(self, lines: dict[str, str], path: str) -> None:
        lines.pop(path, None)
        try:
            text = self._store.vault.read(path).text
        except ScrubjayError:
            return
        if frontmatter.parse(text).string("status") != "tombstoned":
            lines[path] = differences.in_one_line(revision.body_of(text))

    def _path_of_target(self, proposal: Proposal, decision: Decision) -> str:
        try:
            document = steps.target_of(self._store, proposal, decision)
        except NotFound:
            return ""
        new, old = differences.wording("", steps.body_of(proposal, decision)), _wording(document)
        known = new.same(old) if decision.action == "UPDATE" else old.holds(new)
        if not known and document.path in self._settled:
            older = differences.wording(old.title, revision.history_of(document.text))
            known = old.holds(new) or older.holds(new)
        return document.path if known else ""


def _wording(document: Document) -> differences.Wording:
    return differences.wording(revision.title_of(document.text), revision.body_of(document.text))
