"""An index held against its files: what one has and the other lacks, and what is too long (CC-F1, CC-L1, F104)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from scrubjay.errors import ScrubjayError
from scrubjay.operations.editing import editing
from scrubjay.operations.notebook import listing, worth, writing
from scrubjay.operations.store import Store
from scrubjay.temporal import now
from scrubjay.types import Document, Operation, Problem
from scrubjay.vaults.dialects.claude_memory import host, index, topics
from scrubjay.vaults.dialects.claude_memory.index import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What was seen of a notebook.

    ``missing`` are topic files that no line names, unless the index says that it does not list them all (``hidden``);
    ``dead`` lines name no file, ``twice`` name one again, ``overlong`` have more than ``LINE_MOST`` characters.
    ``prose`` are numbers of lines that hold content. ``undescribed`` files say no description or no type, by which
    they are chosen. ``problems`` could not be read as they stand. ``message`` is what a writer is told of the size.
    """

    memories: int
    lines: int
    bytes: int
    message: str | None = None
    missing: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    dead: tuple[Entry, ...] = ()
    twice: tuple[Entry, ...] = ()
    overlong: tuple[Entry, ...] = ()
    prose: tuple[int, ...] = ()
    undescribed: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def healthy(self) -> bool:
        """Whether nothing is wrong; prose, hints about a size and files without a description are no faults."""
        over = self.lines > host.INDEX_LINES or self.bytes > host.INDEX_BYTES
        return not (self.missing or self.dead or self.twice or self.overlong or self.problems or over)


def check(store: Store) -> Check:
    """Looks at the index of ``store`` and at every topic file; nothing is changed."""
    writing.require_notebook(store)
    text = listing.text_of(store)
    current = index.parse(text)
    size = index.loaded(text)
    paths = listing.memories(store)
    unlisted = tuple(listing.unlisted(store, text))
    undescribed, problems = _read(store, paths)
    seen: Counter[str] = Counter()
    twice: list[Entry] = []
    for entry in current.entries:
        seen[entry.path] += 1
        twice += [entry] if seen[entry.path] > 1 else []
    try:
        listing.checked(text, host.INDEX_NAME)
    except ScrubjayError as error:
        problems.insert(0, Problem(path=host.INDEX_NAME, message=error.message))
    return Check(
        memories=len(paths),
        lines=size.lines,
        bytes=size.bytes,
        message=index.measured(text),
        missing=() if current.hidden else unlisted,
        hidden=unlisted if current.hidden else (),
        dead=tuple(entry for entry in current.entries if not _there(store, entry.path)),
        twice=tuple(twice),
        overlong=current.overlong,
        prose=current.prose,
        undescribed=tuple(undescribed),
        problems=tuple(problems),
    )


def mend(store: Store) -> Operation | None:
    """Gives each file that no line names its line, takes out dead and doubled lines, and makes the index fit, as one
    operation. What a line or a file says is not changed. Returns ``None`` where nothing was to do."""
    writing.require_notebook(store)
    lost = listing.unlisted(store, listing.text_of(store))
    heads = worth.newest(store, lost)[: host.INDEX_LINES][::-1]  # more it cannot hold; the newest stand last

    def change(text: str) -> str:
        current = index.parse(text)
        text = index.without_dead(text, lambda path: _there(store, path))
        known = listing.known_in(store, current)
        for path, topic in () if current.hidden else heads:
            if current.find(path) is None:
                named = replace(topic, name=listing.title_of(topic))
                text = listing.with_new_line(text, current, known, path, named)
        return listing.fitted(store, text, at=now())[0]

    with editing(store, writing.VERB, "Mended the index of the notebook") as edits:
        listing.rewrite(edits, store, change, make=bool(heads))
    return next(iter(store.index.operations(1))) if edits.changed else None


def _read(store: Store, paths: list[str]) -> tuple[list[str], list[Problem]]:
    """The files that do not say what they are about, and those that cannot be read as they stand."""
    undescribed: list[str] = []
    problems: list[Problem] = list(store.vault.skipped())
    for path in paths:
        try:
            document: Document = store.vault.read(path)
            listing.checked(document.text, path)
        except ScrubjayError as error:
            problems.append(Problem(path=path, message=error.message))
            continue
        topic = topics.read(document)
        problems += [Problem(path=path, message=problem) for problem in topic.problems]
        if topic.description is None or topic.type is None:
            undescribed.append(path)
    return undescribed, problems


def _there(store: Store, path: str) -> bool:
    try:
        return store.vault.exists(path)
    except ScrubjayError:  # a path that leads out names nothing of ours
        return False
