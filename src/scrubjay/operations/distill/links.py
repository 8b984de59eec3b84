"""Wiki links between memories: who links to whom, and turning them to another memory (SM-45, SM-46)."""

from __future__ import annotations

from collections.abc import Iterator

from scrubjay.errors import ScrubjayError
from scrubjay.operations.editing import Edits
from scrubjay.operations.store import Store
from scrubjay.proposals import Applied, Plan
from scrubjay.text import markdown
from scrubjay.types import Document

_LIVE = ("note", "episode")
_GOING = ("RETIRE", "MERGE", "DELETE")
_NAMED = 3


def sources(store: Store) -> dict[str, list[str]]:
    """For each name that is linked to, the live documents that do so (file names without ``.md``), in order."""
    found: dict[str, list[str]] = {}
    for document in _linking(store, "[["):
        own = stem(document.path)
        for name in {name_of(link.target) for link in markdown.wiki_links(document.text)}:
            if name != own:
                found.setdefault(name, []).append(own)
    return found


def turn(store: Store, edits: Edits, old: str, new: str) -> None:
    """Turns every link to ``old`` in other live documents to ``new``. In those that must not be changed they go on
    leading to the tombstone."""
    from scrubjay.operations.gate import guards

    for document in _linking(store, old):
        text = turned(document.text, old, new)
        if text == document.text or stem(document.path) == old:
            continue
        if not guards.flaw(document):
            edits.replace(document, text)


def dangling(store: Store, plan: Plan, applied: Applied) -> str:
    """A sentence about live documents that still link to memories that were retired just now (SM-45); empty without
    any. Links to a memory that was merged were turned, except in documents that must not be changed."""
    gone = {
        target.id
        for one in applied.done
        if one.action in _GOING
        for target in plan[one.key].targets[1 if one.action == "MERGE" else 0 :]
    }
    found = sources(store) if gone else {}
    pairs = [f"{one} links to {name}" for name in sorted(gone & found.keys()) for one in sorted(set(found[name]))]
    if not pairs:
        return ""
    more = f" and {len(pairs) - _NAMED} more such links" if len(pairs) > _NAMED else ""
    return f"Still linked: {', '.join(pairs[:_NAMED])}{more}."


def turned(text: str, old: str, new: str) -> str:
    """``text`` with its wiki links to ``old`` leading to ``new``; headings, aliases and code stay as they are."""
    pieces: list[str] = []
    place = 0
    for link in markdown.wiki_links(text):
        target = link.target.partition("#")[0].rstrip()
        if name_of(target) == old:
            start = text.index(target, link.offset) + target.rindex(old)
            pieces += [text[place:start], new]
            place = start + len(old)
    return "".join([*pieces, text[place:]]) if pieces else text


def name_of(target: str) -> str:
    """The name that a link leads to: ``folder/MEM-x.md#heading`` means ``MEM-x``, as in Obsidian."""
    return stem(target.partition("#")[0].strip())


def stem(path: str) -> str:
    """The file name without ``.md``: the id of a memory (SM-3)."""
    return path.rpartition("/")[2].removesuffix(".md")


def _linking(store: Store, word: str) -> Iterator[Document]:
    """Live documents with ``word`` and links in them."""
    for path, indexed in sorted(store.index.documents().items()):
        if indexed.kind not in _LIVE:
            continue
        try:
            document = store.vault.read(path)
        except ScrubjayError:
            continue  # it went away meanwhile, or cannot be read: the doctor says so
        if word in document.text and "[[" in document.text:
            yield document
