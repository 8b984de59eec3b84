"""Whether the vault says already what a decision would write: then nothing is written, however often (F21 … F23)."""

from __future__ import annotations

from scrubjay.errors import NotFound, ScrubjayError
from scrubjay.operations.gate import steps
from scrubjay.operations.learn import differences
from scrubjay.operations.learn.differences import Wording
from scrubjay.operations.store import Store
from scrubjay.proposals import Decision, Done, Proposal
from scrubjay.text import frontmatter
from scrubjay.vaults.documents import revision
from scrubjay.vaults.layout import MEMORIES


class Contents:
    """What the memories of a vault say, read when it is first asked for."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._wordings: dict[str, Wording] | None = None

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
        if self._wordings is not None:
            self._take_in(self._wordings, path)

    def _path_of(self, body: str) -> str:
        wording = differences.wording("", body)
        if self._wordings is None:
            self._wordings = {}
            for path, indexed in self._store.index.documents().items():
                if path.startswith(f"{MEMORIES}/") and indexed.kind == "note":
                    self._take_in(self._wordings, path)
        return next((path for path, other in self._wordings.items() if wording.same(other)), "")

    def _take_in(self, wordings: dict[str, Wording], path: str) -> None:
        wordings.pop(path, None)
        try:
            text = self._store.vault.read(path).text
        except ScrubjayError:
            return
        if frontmatter.parse(text).string("status") != "tombstoned":
            wordings[path] = differences.wording(revision.title_of(text), revision.body_of(text))

    def _path_of_target(self, proposal: Proposal, decision: Decision) -> str:
        try:
            document = steps.target_of(self._store, proposal, decision)
        except NotFound:
            return ""
        new = differences.wording("", steps.body_of(proposal, decision))
        old = differences.wording(revision.title_of(document.text), revision.body_of(document.text))
        known = new.same(old) if decision.action == "UPDATE" else old.holds(new)
        return document.path if known else ""
