"""The notebook that a coding agent keeps of a project: MEMORY.md and its topic files (spec §5)."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from scrubjay import config
from scrubjay.errors import BadInput, NotFound, ScrubjayError
from scrubjay.memory import arguments, opening
from scrubjay.memory.opened import Opened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrubjay.operations.notebook.checking import Check
    from scrubjay.operations.notebook.places import Seen
    from scrubjay.operations.notebook.writing import Saved
    from scrubjay.operations.store import Store
    from scrubjay.types import Document, Operation
    from scrubjay.vaults.dialects.claude_memory.index import Index, Loaded
    from scrubjay.vaults.dialects.claude_memory.scan import Header

NOTEBOOK = "notebook"
AGENT = "agent:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notebook:
    """A notebook at a glance: the heads of its topic files, newest first, the ``manifest`` of them as an agent reads
    it (CC-S2), its ``index``, and what is ``loaded`` of that at the start of a session (CC-L1).

    Memories that hold on another branch than the one that is checked out are not among them; ``elsewhere`` counts them
    (F103).
    """

    scope: str
    path: str
    headers: Sequence[Header]
    manifest: str
    index: Index
    loaded: Loaded
    elsewhere: int = 0


class Noting(Opened):
    """The methods of ``Memory`` about the notebook of a coding agent."""

    def notebook(self, *, scope: str = NOTEBOOK) -> Notebook:
        """The notebook of ``scope``: the project's, that of its ``team``, or the one that ``agent:<name>`` has already.
        Raises ``BadInput`` where there is none."""
        from scrubjay.operations.notebook import listing
        from scrubjay.vaults import identity
        from scrubjay.vaults.dialects.claude_memory import index, scan

        store = self._notebook_store(scope)
        every = scan.scan(Path(store.vault.name))
        headers = scan.on_branch(every, identity.branch_of(opening.current_folder()))
        text = listing.text_of(store)
        return Notebook(
            scope=store.scope,
            path=store.vault.name,
            headers=headers,
            manifest=scan.manifest(headers),
            index=index.parse(text),
            loaded=index.loaded(text),
            elsewhere=len(every) - len(headers),
        )

    def notebooks(self) -> list[Seen]:
        """Every notebook that can be seen from the current folder, those of single agents too, opened or not."""
        from scrubjay.operations.notebook.places import seen
        from scrubjay.vaults import identity
        from scrubjay.vaults.dialects.claude_memory import paths

        if not self.settings.notebook.enabled or not self._has_own_stores():
            return []
        here = opening.current_folder()
        project = identity.project_root(here)
        trusted = project is not None and config.lists(self.settings.trust.projects, project, os.environ)
        return seen(here, os.environ, paths.host_settings(project, os.environ, trusted=trusted))

    def noted(self, name: str, *, scope: str = NOTEBOOK) -> Document:
        """The topic file of the memory called ``name``: a path, a file name, or the name it was saved by. That it was
        asked for counts when the index gets too long. Raises ``NotFound``."""
        from scrubjay.operations.notebook import worth, writing

        store = self._notebook_store(scope)
        document = writing.find(store, arguments.name(name, "name"))
        with suppress(ScrubjayError):  # it is read all the same
            worth.used(store, [document.path])
        return document

    def note_down(
        self,
        name: str,
        text: str | None = None,
        *,
        description: str | None = None,
        type: str | None = None,
        title: str | None = None,
        hook: str | None = None,
        branch: str | None = None,
        flat: bool = False,
        scope: str = NOTEBOOK,
    ) -> Saved:
        """Saves a memory in a notebook: its topic file and its line in MEMORY.md, in one operation that ``undo`` takes
        back. What is there already under this name is changed in what is given, and nothing else.

        ``description`` is the line by which it is found, ``type`` one of user, feedback, project and reference;
        ``title`` and ``hook`` are for the index, without them the name and the description; ``branch`` says that it
        holds on one branch of the project only. A ``text`` may be a whole topic file: what its frontmatter says counts
        where nothing else is given. ``flat`` asks for the older shape of frontmatter in a new file. Raises ``BadInput``
        for what lacks a text or a description.
        """
        from scrubjay.operations.notebook import writing
        from scrubjay.vaults.dialects.claude_memory import topics

        store = self._notebook_store(scope)
        called = arguments.name(name, "name")
        body = arguments.optional_string(text, "text")
        whole = topics.parsed(body or "")
        split = body is not None and whole.body != body
        given = {
            "description": arguments.optional_string(description, "description")
            or (whole.description if split else None),
            "type": arguments.optional_string(type, "type") or (whole.type if split else None),
            "body": whole.body if split else body,
            "branch": arguments.optional_string(branch, "branch"),
            "title": arguments.optional_string(title, "title"),
            "hook": arguments.optional_string(hook, "hook"),
        }
        try:
            writing.find(store, called)
        except NotFound:
            topic = topics.Topic(
                name=called,
                description=given["description"],
                type=given["type"],
                body=given["body"] or "",
                branch=given["branch"] or "",
            )
            return self._woken(
                writing.save(store, topic, title=given["title"] or "", hook=given["hook"] or "", flat=flat)
            )
        return self._woken(writing.update(store, called, **given))

    def strike_out(self, name: str, *, scope: str = NOTEBOOK) -> Saved:
        """Moves the memory called ``name`` out of a notebook into our trash, and its line out of MEMORY.md; ``undo``
        brings both back. Raises ``NotFound``."""
        from scrubjay.operations.notebook import writing

        return writing.remove(self._notebook_store(scope), arguments.name(name, "name"))

    def check_notebook(self, *, scope: str = NOTEBOOK) -> Check:
        """Holds the index of a notebook against its files; nothing is changed."""
        from scrubjay.operations.notebook import checking

        return checking.check(self._notebook_store(scope))

    def mend_notebook(self, *, scope: str = NOTEBOOK) -> Operation | None:
        """Brings the index of a notebook in line with its files, as one operation; ``None`` where it was already."""
        from scrubjay.operations.notebook import checking

        return checking.mend(self._notebook_store(scope))

    def _reopen(self) -> None:
        for scope, place in self._agents().items():
            if place.index.is_dir():
                self._open_agent(scope, place)

    def _open_agent(self, scope: str, place: opening.Place) -> None:
        from scrubjay.operations.sync import sync

        if all(store.scope != scope for store in self._stores):
            store = opening.open_store(place, self.settings)
            self._stores.add(store)
            sync(store)

    def _agents(self) -> dict[str, opening.Place]:
        """The memories of single agents that there are, by scope; of two that are called alike the nearer one."""
        from scrubjay.vaults.dialects.claude_memory import paths

        if self._home is None or not self.settings.notebook.enabled or not self._has_own_stores():
            return {}
        home = self._home
        found = {f"{AGENT}{name}": folder for name, _, folder in paths.agents(opening.current_folder(), os.environ)}
        return {
            scope: replace(opening.notebook_places(folder, home)[0], scope=scope, without=())
            for scope, folder in found.items()
        }

    def _has_own_stores(self) -> bool:
        """Whether this is the memory of a user, and not one folder that was named."""
        if self._home is None:
            return False
        home = os.path.realpath(self._home).rstrip(os.sep) + os.sep
        return any(os.path.realpath(store.vault.name).startswith(home) for store in self._stores)

    def _notebook_store(self, scope: str) -> Store:
        from scrubjay.operations.notebook import writing
        from scrubjay.vaults.dialects.claude_memory import paths

        wanted = arguments.string(scope, "scope")
        if wanted.startswith(AGENT):
            wanted = AGENT + paths.agent_folder(wanted.removeprefix(AGENT))
            if (place := self._agents().get(wanted)) is not None:
                self._open_agent(wanted, place)
        known = {store.scope for store in self._stores if store.dialect} | set(self._absent)
        if wanted not in known and not any(store.scope == wanted for store in self._stores):
            raise BadInput(
                f"There is no notebook {wanted!r} here.",
                hint=f"Known: {', '.join(sorted(known))}." if known else "Go into the project whose agent keeps one.",
            )
        store = self._made(wanted)
        writing.require_notebook(store)
        return store
