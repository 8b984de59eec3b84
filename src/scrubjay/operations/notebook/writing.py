"""Writing into an agent's notebook: a topic file and its line in the index, in one operation that undo takes back.

The index is everybody's: whoever else wrote it meanwhile, our line goes into what stands there now (F55). What cannot
be read safely is left alone and reported (F30, F108), secrets never get there (SEC-2), and links are not followed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Literal

from scrubjay.errors import BadInput, NotFound
from scrubjay.operations.editing import Edits, editing
from scrubjay.operations.notebook import listing
from scrubjay.operations.redaction import Redaction, only_marks
from scrubjay.operations.store import Store
from scrubjay.temporal import now
from scrubjay.text.slug import file_slug
from scrubjay.types import Document, Redacted
from scrubjay.vaults.dialects.claude_memory import host, index, topics
from scrubjay.vaults.dialects.claude_memory.topics import Topic
from scrubjay.vaults.documents.transcript import clean

DIALECT = "claude_memory"
VERB = "notebook"

Action = Literal["created", "updated", "known", "removed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """What was done with the memory at ``path``, read back after it was written.

    ``operation`` is what undo takes; it is empty when nothing changed. ``message`` is what a writer of the index is
    told about its size (CC-L2), ``hidden`` are the memories that were taken out of it to make it fit (F104), which
    stay where they are and are found by search. ``redacted`` are secrets that were taken out first.
    """

    path: str
    action: Action
    topic: Topic
    operation: str = ""
    message: str | None = None
    hidden: tuple[str, ...] = ()
    redacted: tuple[Redacted, ...] = ()


def save(store: Store, topic: Topic, *, title: str = "", hook: str = "", flat: bool = False) -> Saved:
    """Writes ``topic`` and its line in the index; one of the same name is updated and keeps the shape it has (CC-E4).

    ``title`` and ``hook`` are for the line: without them the name, and the description. ``flat`` asks for the older
    shape of frontmatter in a new file. Raises ``BadInput`` without a name, description or body, ``Refused`` for what
    cannot be written safely.
    """
    require_notebook(store)
    topics.require_type(topic.type)
    topic, title, hook, found = _redacted(topic, title, hook)
    name = topics.one_line(topic.name)
    for what, said in (("name", name), ("description", topic.description or ""), ("text", topic.body)):
        if not said.strip() or only_marks(said):
            raise BadInput(f"A memory needs a {what}.")
    with editing(store, VERB, f"Saved memory: {name}") as edits:
        known = _called(store, name)
        if known is None:
            stamped = replace(topic, modified=now(), body=_text(topic.body))
            path = edits.create(_path_for(name), topics.written(stamped, flat=flat)).path
            hook = hook or topic.description or ""
        else:
            path = known.path
            same = topics.read(known).description == topics.one_line(topic.description or "")
            hook = hook or ("" if same else topic.description or "")
            branch = topic.branch or None
            _change(edits, known, description=topic.description, type=topic.type, body=topic.body, branch=branch)
        hidden = listing.put(edits, store, path, topic, title=title, hook=hook)
    return _saved(store, edits, path, "created" if known is None else "updated", hidden, found)


def update(
    store: Store,
    name: str,
    *,
    description: str | None = None,
    type: str | None = None,
    body: str | None = None,
    branch: str | None = None,
    title: str | None = None,
    hook: str | None = None,
) -> Saved:
    """Changes what is given of the memory called ``name`` (a path or a name), and its line in the index with the title
    and the hook or description. Every other byte stays. Raises as ``save``, and ``NotFound``."""
    require_notebook(store)
    redaction = Redaction()
    given = {"description": description, "text": body, "title": title, "hook": hook}
    said = {key: redaction.text(value, key) if value is not None else None for key, value in given.items()}
    with editing(store, VERB, f"Changed memory: {topics.one_line(name)}") as edits:
        document = find(store, name)
        path = document.path
        _change(edits, document, description=said["description"], type=type, body=said["text"], branch=branch)
        topic = topics.read(store.vault.read(path))
        line = said["hook"] or said["description"] or ""
        hidden = listing.put(edits, store, path, topic, title=said["title"] or "", hook=line)
    return _saved(store, edits, path, "updated", hidden, redaction.found)


def remove(store: Store, name: str) -> Saved:
    """Moves the memory called ``name`` to our trash and takes its line out of the index; a line whose file is gone
    goes too. Raises ``NotFound``."""
    require_notebook(store)
    with editing(store, VERB, f"Removed memory: {topics.one_line(name)}") as edits:
        try:
            document = find(store, name)
        except NotFound:
            path, topic = _dead_line(store, name), Topic(name=name)
        else:
            path, topic = document.path, topics.read(document)
            edits.retire(document)
        listing.rewrite(edits, store, lambda text: index.without_entry(text, path), make=False)
    message = index.measured(listing.text_of(store))
    return Saved(path=path, action="removed", topic=topic, operation=edits.id, message=message)


def find(store: Store, name: str) -> Document:
    """The topic file called ``name``: its path, its file name with or without ``.md``, or the name it was saved by.
    Raises ``NotFound``, and ``Refused`` for a path that leads elsewhere."""
    for path in dict.fromkeys((name, f"{name}.md")):
        if PurePosixPath(path).suffix == ".md" and PurePosixPath(path).name != host.INDEX_NAME:
            try:
                return store.vault.read(path)
            except NotFound:
                continue
    document = _called(store, name)
    if document is None:
        raise NotFound(f"There is no memory {name!r}.", hint="List them with `scrubjay notebook list`.")
    return document


def may_write_unasked(setting: str, *, host_writes: bool) -> bool:
    """Whether we write into a notebook when nobody asked, by the setting ``notebook.write``: ``host_writes`` tells
    whether the host's own memory is on (spec §13.14)."""
    return setting == "always" or (setting == "when-off" and not host_writes)


def require_notebook(store: Store) -> None:
    """Raises ``BadInput`` unless ``store`` is an agent's notebook."""
    if store.dialect != DIALECT:
        raise BadInput(
            f"The scope {store.scope!r} is no agent's notebook.", hint="Use `scrubjay note` for a vault of Scrubjay's."
        )


def _redacted(topic: Topic, title: str, hook: str) -> tuple[Topic, str, str, list[Redacted]]:
    redaction = Redaction()
    pairs = [("name", "body"), ("description", "body"), ("name", "description")]
    clean_topic = redaction.fields(topic, ("name", "description", "body"), pairs=pairs)
    return clean_topic, redaction.text(title, "title"), redaction.text(hook, "hook"), redaction.found


def _change(
    edits: Edits, document: Document, *, description: str | None, type: str | None, body: str | None, branch: str | None
) -> None:
    """Replaces ``document`` where it says something else."""
    listing.checked(document.text, document.path)
    text = topics.changed(
        document.text,
        modified=now(),
        description=description,
        type=type,
        branch=branch,
        body=_text(body) if body is not None else None,
        path=document.path,
    )
    if text != document.text:
        edits.replace(document, text)


def _text(body: str) -> str:
    """``body`` as it is stored. Raises ``BadInput`` for one that would be read as frontmatter, ``Refused`` as
    ``listing.checked``."""
    text = listing.checked(clean(body))
    if topics.parsed(text.lstrip("\r\n")).body != text.lstrip("\r\n"):
        raise BadInput("The text begins with frontmatter.", hint="Give its fields as a description and a type.")
    return text


def _called(store: Store, name: str) -> Document | None:
    """The topic file whose name is ``name``, however its words are joined."""
    fresh = _path_for(name)  # it may be one that our index has not seen yet
    wanted = _joined(fresh)
    found = [path for path in listing.memories(store) if _joined(PurePosixPath(path).name) == wanted]
    for path in (fresh, *sorted(found, key=lambda path: (path.count("/"), path))):
        try:
            return store.vault.read(path)
        except NotFound:
            continue
    return None


def _path_for(name: str) -> str:
    """The file of a memory called ``name`` (CC-F3); none is called as the index is, in whatever case."""
    slug = file_slug(name, "note")
    return f"{slug}.md" if f"{slug}.md" != host.INDEX_NAME.casefold() else f"{slug}-note.md"


def _joined(name: str) -> str:
    return name.casefold().replace("_", "-")


def _dead_line(store: Store, name: str) -> str:
    current = index.parse(listing.text_of(store))
    for path in (name, f"{name}.md", _path_for(name)):
        if current.find(path) is not None:
            return index.normal(path)
    raise NotFound(f"There is no memory {name!r}.", hint="List them with `scrubjay notebook list`.")


def _saved(
    store: Store, edits: Edits, path: str, action: Action, hidden: tuple[str, ...], redacted: Iterable[Redacted]
) -> Saved:
    return Saved(
        path=path,
        action=action if edits.changed else "known",
        topic=topics.read(store.vault.read(path)),
        operation=edits.id if edits.changed else "",
        message=index.measured(listing.text_of(store)),
        hidden=hidden,
        redacted=tuple(redacted),
    )
