"""What goes through the gate: learning, the inbox, and decisions about both (design §2.5)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scrubjay.errors import BadInput, NotFound, Refused
from scrubjay.memory import arguments
from scrubjay.memory.opened import Opened
from scrubjay.proposals import Applied, Decision, Plan, Proposal
from scrubjay.types import Operation, Problem

if TYPE_CHECKING:
    from scrubjay.operations.distill import Report
    from scrubjay.operations.gate.preview import Preview
    from scrubjay.operations.learn.files import Listing
    from scrubjay.operations.retrieve import Retrieved
    from scrubjay.operations.store import Store
    from scrubjay.operations.sync import Progress

CANDIDATES = 5
RETRIEVED = 25
"""Sections that recall looks through for the memories of a task."""


class Learning(Opened):
    """The methods of ``Memory`` that propose, decide and apply."""

    def learn(
        self,
        what: str | os.PathLike[str] | None = None,
        *,
        text: str | None = None,
        task: int | None = None,
        category: str | None = None,
        scope: str | None = None,
        selected: Iterable[str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        progress: Progress | None = None,
    ) -> Plan:
        """Reads a text, a file, a folder or the artifacts of a ``task`` and proposes what to do with each part.

        ``text`` is taken as it is, whatever path or option it looks like.
        Nothing is written. ``selected`` names files of a folder, as ``listing`` shows them; all by default. The plan
        is for the project's vault where there is one, else for the private one; ``scope`` names another. Answer it
        with ``Plan.decide`` and hand it to ``apply``, or to ``keep`` so that somebody else may decide. Raises
        ``NotFound`` for a path that is not there, ``BadInput`` for too many files.
        """
        from scrubjay.operations.learn import mapping, planning, request

        if text is None:
            wanted = request.parse(what, cwd=_folder(cwd), task=task, category=category)
        else:
            wanted = request.of_text(arguments.text(text), cwd=_folder(cwd), category=category)
        store = self._for_learning(scope)
        chosen = None if selected is None else arguments.strings(selected, "selected")
        content = mapping.content_map(wanted, selected=chosen, progress=progress)
        return planning.plan(store, content, recall=self._candidates(store), category=wanted.category or "")

    def listing(self, what: str | os.PathLike[str], *, cwd: str | os.PathLike[str] | None = None) -> Listing:
        """The files of a folder that ``learn`` could take in, with sizes, and those it would leave out (SM-18)."""
        from scrubjay.operations.learn import files, request

        wanted = request.parse(what, cwd=_folder(cwd))
        if wanted.mode != "directory":
            raise BadInput(f"{what} is no folder.", hint="Name a folder, or put `-d ` before it.")
        return files.scan(wanted.path or "", shown=files.printable(wanted.shown))

    def is_folder(self, what: str, *, cwd: str | os.PathLike[str] | None = None) -> bool:
        """Whether ``learn`` would read ``what`` as a folder, from which files can be chosen."""
        from scrubjay.operations.learn import request

        return request.parse(what, cwd=_folder(cwd)).mode == "directory"

    def keep(self, plan: Plan) -> Plan:
        """Writes what nobody decided yet into ``00-Inbox``, one document a proposal, and returns the plan with their
        places. Anybody who has the vault can decide it later."""
        from scrubjay.operations.gate import inbox

        return inbox.keep(self._decided_in(plan), plan)

    def apply(self, plan: Plan, *, keep: bool = False) -> Applied:
        """Carries out the decisions of a plan and says what was done, as read back from the disk.

        A proposal whose target changed since is matched anew and returned in ``stale``, never applied blindly. One
        ``undo`` takes the whole batch back. With ``keep`` what could not be done waits in the inbox, as part of it.
        """
        from scrubjay.operations.gate import applying
        from scrubjay.operations.learn import planning

        store = self._decided_in(plan)
        if plan.mode == "distill":
            return self._distilled(store, plan, keep)
        if plan.mode == "dream":
            from scrubjay.operations.dream import rematching

            anew = partial(rematching.rematch, store, zone=self.zone)
            return self._woken(applying.apply(store, plan, rematch=anew, keep=keep))
        if plan.mode == "share":
            from scrubjay.operations.share import conflicts

            return self._woken(
                applying.apply(store, plan, rematch=lambda one: conflicts.rematch(store, one), keep=keep)
            )
        recall = self._candidates(store)
        applied = applying.apply(
            store, plan, rematch=lambda proposal: planning.rematch(store, proposal, recall=recall), keep=keep
        )
        return self._woken(self._committed(store, plan, applied))

    def preview(self, plan: Plan, key: str, decision: Decision | None = None) -> Preview:
        """What a decision about one proposal would make of the memory: its own words before and after. Nothing is
        written. Without ``decision`` it is the one in the plan, else the recommended one. Raises ``NotFound`` and
        ``Refused`` where it could not be carried out."""
        from scrubjay.operations.gate import preview

        proposal = plan[key]
        decision = decision or plan.decisions.get(proposal.key) or Decision(action=proposal.action)
        return preview.preview(self._decided_in(plan), proposal, decision)

    def inbox(self, *, scope: str | None = None) -> list[Proposal]:
        """Proposals that wait for a decision, oldest first."""
        from scrubjay.operations.gate import inbox

        chosen = self._stores.chosen(None if scope is None else [scope])
        return [proposal for store in chosen for proposal in inbox.waiting(store)]

    def inbox_problems(self, *, scope: str | None = None) -> list[Problem]:
        """Documents of the inbox that claim to be proposals and cannot be read as such; they are left alone."""
        from scrubjay.operations.gate import inbox

        chosen = self._stores.chosen(None if scope is None else [scope])
        return [problem for store in chosen for problem in inbox.damaged(store)]

    def waiting_plan(self, scope: str, names: Iterable[str] | None = None) -> Plan:
        """What waits in one scope as a plan, to be decided and applied; all of it, or the proposals named."""
        from scrubjay.operations.gate import inbox

        store = self._stores.chosen([scope])[0]
        found = inbox.waiting(store) if names is None else [self._waiting(name)[1] for name in names]
        if not found:
            raise NotFound("Nothing waits for a decision.", hint="Propose something with `scrubjay learn`.")
        return inbox.as_plan(store, found)

    def proposal(self, name: str) -> Proposal:
        """The waiting proposal that ``name`` means: its id, its file, or its place in the inbox (1, 2 …)."""
        return self._waiting(name)[1]

    def decide(self, name: str, decision: Decision | str) -> Applied:
        """Decides one waiting proposal and carries the decision out."""
        from scrubjay.operations.gate import inbox

        store, proposal = self._waiting(name)
        plan = inbox.as_plan(store, [proposal])
        return self.apply(plan.decide({proposal.key: decision}))

    def reject(self, name: str) -> Operation:
        """Retires a waiting proposal to the trash; ``undo`` brings it back."""
        from scrubjay.operations.gate import inbox

        store, proposal = self._waiting(name)
        return inbox.reject(store, proposal)

    def amend(self, name: str, **changes: object) -> Proposal:
        """Changes the body, title, topic, category, tags or action of a waiting proposal."""
        from scrubjay.operations.gate import inbox

        store, proposal = self._waiting(name)
        return inbox.amend(store, proposal, **changes)

    def retrieve(
        self,
        description: str,
        *,
        task_type: str = "",
        focus: str = "",
        mode: str = "compat",
        clean: bool = False,
        scope: str | None = None,
    ) -> Retrieved:
        """Memories for a task as a block for an agent's context, counted as retrieved (SM-36, SM-37).

        ``mode`` is ``compat`` (the keyword rule of the original, for Latin letters) or ``recall`` (the product's own
        search over the notes, in any language). ``clean`` gives nothing and counts nothing.
        """
        from scrubjay.operations.retrieve import Retrieved, retrieve

        if mode not in ("compat", "recall"):
            raise BadInput(f"{mode!r} is no way to retrieve.", hint="Use compat or recall.")
        asked = arguments.text(description)
        if clean:
            return Retrieved()
        store = self._for_learning(scope)
        return retrieve(
            store,
            asked,
            task_type=arguments.string(task_type, "task_type"),
            focus=arguments.string(focus, "focus"),
            mode="recall" if mode == "recall" else "compat",
            recall=self._candidates(store, abstain=True, limit=RETRIEVED),
        )

    def harvest(
        self,
        task: int | None = None,
        *,
        archive: bool = False,
        everything: bool = False,
        scope: str | None = None,
        cwd: str | os.PathLike[str] | None = None,
    ) -> Plan:
        """What agents left for memory in the files of a task (of all tasks without one), as a plan (SM-38 … SM-40).

        ``archive`` compares with what the vault knows, because the task is finished; ``everything`` adds what is then
        hidden, being less certain. Raises ``Refused`` unless the setting ``harvest.enabled`` is on (XC-20).
        """
        from scrubjay.operations.harvest import harvest
        from scrubjay.operations.learn import request

        if not self.settings.harvest.enabled:
            raise Refused(
                "Harvesting is switched off.", hint="Set `enabled = true` under [harvest] in your config.toml first."
            )
        place = _folder(cwd).absolute()
        number = None if task is None else request.parse(None, cwd=place, task=task).task
        return harvest(self._for_learning(scope), place, task=number, archive=archive, everything=everything)

    def distill(
        self, kind: str = "report", *, cap: int | None = None, scope: str | None = None, dry_run: bool = False
    ) -> Report | Plan:
        """How the vault is (``report``), or what would make it better: ``purge``, ``merge``, ``compress``, ``refine``,
        ``gc``, or ``auto`` for repairs that need no judgement.

        A plan holds at most ``cap`` proposals (the setting ``distill.cap``); nothing happens before ``apply``. A report
        changes no memory; unless ``dry_run`` it is mirrored in the project's ``specs/state.json`` where that exists.
        """
        from scrubjay.operations import distill

        store = self._for_learning(scope)
        if kind == "report":
            report = distill.report(store, thorough=True)
            if not dry_run:
                distill.mirror(store, report.metrics, counted=False)
            return report
        if kind not in distill.KINDS:
            raise BadInput(f"{kind!r} is no way to distill.", hint=f"Use report, {', '.join(distill.KINDS)}.")
        most = self.settings.distill.cap if cap is None else arguments.whole(cap, "cap")
        return distill.propose(store, kind, cap=most)

    def _distilled(self, store: Store, plan: Plan, keep: bool) -> Applied:
        from scrubjay.operations import distill, indices
        from scrubjay.operations.gate import applying

        if plan.decisions:
            # What is about to change is left alone: it was proposed as it is (SM-31).
            indices.flush(store, leaving={target.path for one in plan.proposals for target in one.targets})
        before = distill.report(store)
        applied = applying.apply(store, plan, rematch=lambda proposal: distill.rematch(store, proposal), keep=keep)
        if applied.done:
            trouble = distill.logged(store, plan, applied, before, distill.report(store))
            words = (applied.message, distill.dangling(store, plan, applied), trouble)
            applied = replace(applied, message=" ".join(filter(None, words)))
        return self._woken(self._committed(store, plan, applied))

    def _decided_in(self, plan: Plan) -> Store:
        """The store that ``plan`` would change. A version of a shared document may belong into another program's
        folder, where nothing else is decided."""
        if plan.mode in ("share", "dream"):
            return self._stores.chosen([plan.scope])[0]
        return self._stores.for_writing(plan.scope, "")

    def _waiting(self, name: str) -> tuple[Store, Proposal]:
        from scrubjay.operations.gate import inbox

        return inbox.named(list(self._stores), arguments.name(name, "name"))

    def _for_learning(self, scope: str | None) -> Store:
        """The project's vault when there is one: everything that gets there is decided by a person (XC-7)."""
        wanted = arguments.optional_string(scope, "scope")
        if wanted is None and any(store.scope == "project" for store in self._stores):
            wanted = "project"
        return self._stores.for_writing(wanted, "")

    def _candidates(
        self, store: Store, *, abstain: bool = False, limit: int = CANDIDATES
    ) -> Callable[[str], list[tuple[str, float]]]:
        """The product's own recall over the notes of ``store``: text to (path, score), best first, each path once."""
        from scrubjay.operations.recall.search import Ranking, recall
        from scrubjay.types import Query

        ranking = Ranking(embedder=self._embedder, reranker=self._reranker, settings=self.settings, zone=self.zone)

        def candidates(text: str) -> list[tuple[str, float]]:
            query = Query(text=text, limit=limit, layers=frozenset({"notes"}), abstain=abstain)
            best: dict[str, float] = {}
            for hit in recall([store], query, ranking).hits:  # a hit is a section; a note may have several
                best[hit.path] = max(hit.score, best.get(hit.path, 0.0))
            return sorted(best.items(), key=lambda pair: -pair[1])

        return candidates

    def _committed(self, store: Store, plan: Plan, applied: Applied) -> Applied:
        """Commits the vault's own paths where that is switched on; the plan is the session of the message (SM-51)."""
        if not self.settings.git.commit or not applied.memories_affected:
            return applied
        from scrubjay.operations import versions

        made = versions.commit(store, applied.memories_affected, session=plan.id)
        if made.hash:
            return replace(applied, commit=made.hash)
        return replace(applied, message=f"{applied.message} Not committed: {made.reason.rstrip('.')}.".strip())


def _folder(cwd: str | os.PathLike[str] | None) -> Path:
    return Path.cwd() if cwd is None else arguments.path(cwd, "cwd")
