"""Choosing the few files of an agent's notebook that matter for a question (CC-S3, CC-S4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scrubjay.memory import arguments, opening
from scrubjay.memory.asking import Asking
from scrubjay.temporal import now
from scrubjay.types import Hit, Query

if TYPE_CHECKING:
    from scrubjay.operations.notebook.shown import Selection
    from scrubjay.operations.store import Store


class Selecting(Asking):
    """The method of ``Memory`` that selects."""

    def select(
        self, query: str, *, surfaced: Iterable[str] = (), tools: Iterable[str] = (), limit: int = 5
    ) -> Selection:
        """At most five memories of the notebook that bear on ``query``, with their age and with what they name checked
        against the project's files; and the block to put before an agent.

        ``surfaced`` are filenames that it has seen already, ``tools`` what it used just now. What holds on another
        branch than the one that is checked out is none of them (F103). Empty where there is no notebook, and when
        nothing bears on the query.
        """
        from scrubjay.operations.notebook import selecting, shown
        from scrubjay.operations.notebook.recalling import RecallSelector
        from scrubjay.operations.notebook.tree import Tree
        from scrubjay.vaults.dialects.claude_memory import scan
        from scrubjay.vaults.identity import branch_of

        stores = self._notebooks()
        if "" not in stores:
            return shown.Selection(reason=shown.NOWHERE)
        folders = {store.scope: folder for folder, store in stores.items()}
        selected = selecting.select(
            arguments.string(query, "query"),
            scan.on_branch(scan.scan(Path(stores[""].vault.name)), branch_of(opening.current_folder())),
            self._selector(RecallSelector(partial(self._pieces, frozenset(folders)), folders)),
            surfaced=arguments.strings(surfaced, "surfaced"),
            tools=tuple(arguments.strings(tools, "tools")),
            limit=limit,
        )
        tree = Tree(self._project, memory=Path(stores[""].vault.name)) if self._project is not None else None
        budget = self.settings.recall.budget
        return shown.show(stores, selected, tree=tree, now=now(), zone=self.zone, budget=budget)

    def _pieces(self, scopes: frozenset[str], query: str, most: int) -> Sequence[Hit]:
        from scrubjay.operations.recall.search import Ranking, recall

        # A file has many pieces, and each of them may be the one that bears.
        deeper = replace(self.settings.recall, candidates=max(self.settings.recall.candidates, most))
        ranking = Ranking(
            embedder=self._embedder,
            reranker=self._reranker,
            settings=replace(self.settings, recall=deeper),
            zone=self.zone,
        )
        asked = Query(text=query, limit=most, layers=frozenset({"notes"}), abstain=deeper.abstain, budget=1)
        return recall(self._stores.chosen(scopes), asked, ranking).hits

    def _notebooks(self) -> dict[str, Store]:
        """The agent's own notebook and its team's, by the folder in which their files lie."""
        folders = {"notebook": "", "team": "team"}
        return {folders[store.scope]: store for store in self._stores if store.scope in folders}
