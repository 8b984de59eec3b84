"""Carrying out decided proposals of distilling, inside the gate's operation (SM-45 … SM-49; F1, F2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from scrubjay.errors import Conflict, Refused
from scrubjay.operations.editing import Edits
from scrubjay.operations.store import Store
from scrubjay.proposals import Action, Decision, Done, Proposal
from scrubjay.temporal import now
from scrubjay.text import frontmatter, markdown
from scrubjay.types import Document
from scrubjay.vaults.documents import revision


def retire(store: Store, edits: Edits, proposal: Proposal, decision: Decision) -> Done:  # noqa: ARG001
    """Marks the memory as a tombstone; it leaves every answer and stays on disk (SM-45)."""
    return _done("RETIRE", proposal, _tombstoned(edits, _target(store, proposal, 0), "purge"))


def merge(store: Store, edits: Edits, proposal: Proposal, decision: Decision) -> Done:  # noqa: ARG001
    """The second memory's text and keywords into the first, links to it turned, and it becomes a tombstone (SM-46).

    The merged memory is written and read back first; when it lacks a keyword of either, nothing of this is done (F2).
    """
    primary, secondary = _target(store, proposal, 0), _target(store, proposal, 1)
    wanted = set(_keywords(primary)) | set(_keywords(secondary))
    stored = edits.replace(primary, merged_text(primary, secondary, proposal))
    if not wanted <= set(_keywords(stored)):
        raise Conflict(f"{primary.path} would lose keywords of {secondary.path}, so they were not merged.")
    if revision.body_of(secondary.text) and _id(secondary) not in stored.text:
        raise Conflict(f"{primary.path} does not hold {secondary.path} after the merge.")
    _tombstoned(edits, secondary, f"merged_into:{_id(primary)}")
    _turn_links(store, edits, _id(secondary), _id(primary))
    return _done("MERGE", proposal, stored)


def compress(store: Store, edits: Edits, proposal: Proposal, decision: Decision) -> Done:
    """The short form in place of the text, which goes into the history (SM-47)."""
    document = _target(store, proposal, 0)
    body = (decision.body or proposal.body).strip()
    if not body:
        raise Refused(f"{proposal.key} has no short form.", hint="Skip it.")
    today = _today()
    text = revision.update(document.text, body, revision.Revision(today=today))
    newest = "### Previous Version ("
    place = text.find(newest, text.find(f"## {revision.HISTORY}"))
    end = text.find("\n", place)
    text = f"{text[:place]}### Pre-Compression ({today}){text[end:]}" if place >= 0 else text
    return _done("COMPRESS", proposal, edits.replace(document, text))


def refine(store: Store, edits: Edits, proposal: Proposal, decision: Decision) -> Done:  # noqa: ARG001
    """Sets the mended fields and nothing else (SM-48)."""
    document = _target(store, proposal, 0)
    return _done(
        "REFINE", proposal, edits.replace(document, frontmatter.set_values(document.text, dict(proposal.values)))
    )


def delete(store: Store, edits: Edits, proposal: Proposal, decision: Decision) -> Done:  # noqa: ARG001
    """Moves a tombstone to the trash and out of the overviews; ``undo`` brings it back (SM-49)."""
    document = _target(store, proposal, 0)
    if frontmatter.parse(document.text).string("status") != "tombstoned":
        raise Refused(f"{document.path} is in use again, so it stays.", hint="Retire it first.")
    edits.retire(document)
    return Done(action="DELETE", key=proposal.key, memory_id=_id(document))


STEPS: Mapping[Action, Callable[[Store, Edits, Proposal, Decision], Done]] = MappingProxyType(
    {"RETIRE": retire, "MERGE": merge, "COMPRESS": compress, "REFINE": refine, "DELETE": delete}
)


def merged_text(primary: Document, secondary: Document, proposal: Proposal) -> str:
    """The first memory with the second in it: ``## Merged From <id>``, fields of both (SM-46)."""
    one, other = frontmatter.parse(primary.text), frontmatter.parse(secondary.text)
    share = proposal.values.get("overlap")
    about = [
        f"**Original title**: {revision.title_of(secondary.text, other)}",
        f"**Merged**: {_today()}" + (f" (keyword overlap {float(str(share)):.0%})" if share else ""),
    ]
    block = "\n".join(
        [f"## Merged From {_id(secondary)}", *about, "", revision.nested(revision.body_of(secondary.text), 2)]
    )
    newline = "\r\n" if "\r\n" in primary.text else "\n"
    parts = revision.parts_of(primary.text)
    before, after = primary.text[: parts.end].rstrip("\r\n"), primary.text[parts.end :]
    block = block.rstrip("\n").replace("\n", newline)
    text = f"{before}{newline}{newline}{block}{newline}" + (f"{newline}{after}" if after.strip() else after)
    text = _with_connections(text, secondary)
    if not one.present:
        return text
    values: dict[str, object] = {
        "keywords": sorted({*one.strings("keywords"), *other.strings("keywords")}, key=str.casefold),
        "tags": revision.merged_tags(one.strings("tags"), other.strings("tags")),
        "created": min(filter(None, (one.string("created"), other.string("created"))), default=""),
        "modified": _today(),
        "retrieval_count": _number(one.string("retrieval_count")) + _number(other.string("retrieval_count")),
        "last_retrieved": max(
            filter(None, (one.string("last_retrieved"), other.string("last_retrieved"))), default=None
        ),
    }
    return revision.counted(
        frontmatter.set_values(text, {name: value for name, value in values.items() if value != ""})
    )


def turned(text: str, old: str, new: str) -> str:
    """``text`` with its wiki links to ``old`` leading to ``new``; headings, aliases and code stay as they are."""
    pieces, place = [], 0
    for link in markdown.wiki_links(text):
        target = link.target.partition("#")[0]
        if target.strip() == old:
            start = text.index(target, link.offset)
            pieces += [text[place:start], new]
            place = start + len(target)
    return "".join([*pieces, text[place:]]) if pieces else text


def _turn_links(store: Store, edits: Edits, old: str, new: str) -> None:
    for path, indexed in store.index.documents().items():
        if indexed.kind not in ("note", "tombstone") or path.rpartition("/")[2] == f"{old}.md":
            continue
        try:
            document = store.vault.read(path)
            text = turned(document.text, old, new)
            if text != document.text:
                edits.replace(document, text)
        except (Refused, Conflict):
            continue  # what cannot be rewritten keeps a link that still leads to the tombstone


def _with_connections(text: str, secondary: Document) -> str:
    """``text`` with the links of the second memory's Connections added to its own."""
    parts = revision.parts_of(secondary.text)
    if parts.connections is None:
        return text
    have = {link.target for link in markdown.wiki_links(text)}
    mine = revision.parts_of(text)
    links = [link.target for link in markdown.wiki_links(secondary.text) if link.offset >= parts.connections]
    fresh = [f"- [[{target}]]" for target in dict.fromkeys(links) if target not in have]
    if not fresh:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    if mine.connections is None:
        return f"{text.rstrip()}{newline}{newline}## {revision.CONNECTIONS}{newline}{newline.join(fresh)}{newline}"
    return f"{text.rstrip()}{newline}{newline.join(fresh)}{newline}"


def _target(store: Store, proposal: Proposal, place: int) -> Document:
    from scrubjay.operations.gate import guards

    document = store.vault.read(proposal.targets[place].path)
    guards.require_sound(document)
    return document


def _tombstoned(edits: Edits, document: Document, reason: str) -> Document:
    if not frontmatter.parse(document.text).present:
        raise Refused(f"{document.path} has no frontmatter, so it cannot be marked.", hint="Use `scrubjay forget`.")
    values = {"status": "tombstoned", "tombstoned_at": _today(), "tombstone_reason": reason}
    return edits.replace(document, frontmatter.set_values(document.text, values))


def _keywords(document: Document) -> tuple[str, ...]:
    return tuple(word.casefold() for word in frontmatter.parse(document.text).strings("keywords"))


def _id(document: Document) -> str:
    return document.path.rpartition("/")[2].removesuffix(".md")


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"\d{1,9}", text) else 0


def _today() -> str:
    return f"{now():%Y-%m-%d}"


def _done(action: Action, proposal: Proposal, document: Document) -> Done:
    return Done(action=action, key=proposal.key, memory_id=_id(document), path=document.path)
