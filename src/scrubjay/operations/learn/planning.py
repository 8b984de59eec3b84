"""From a content map to a plan: what to do with each segment, by which rule, and what speaks against it (SM-11, SM-24).

The plan writes nothing. Who decides sees the rule, the related memories with both scores, and every difference that a
similarity would not show.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scrubjay.errors import ScrubjayError
from scrubjay.ids import new_id
from scrubjay.operations.gate.guards import LONG_LINES, conflict, lines_of
from scrubjay.operations.learn import categories, matching, neighbours
from scrubjay.operations.learn.differences import differences, plain_differences
from scrubjay.operations.learn.kinds import kind_of
from scrubjay.operations.learn.matching import Known, Recall, Shelf, Text
from scrubjay.operations.store import Store
from scrubjay.proposals import LEARNING, Action, ContentMap, Plan, Proposal, Related, Segment, Target
from scrubjay.temporal import now
from scrubjay.text import markdown
from scrubjay.text.placeholder import placeholder
from scrubjay.vaults.documents.revision import closed

CLOSELY = 200
"""Segments up to which the product's own recall is asked about each, which may run a model, and every statement is
compared with those that share words with it. Beyond, matching has to keep pace with reading."""

COMPARED = 3
"""Related memories whose statements are compared with a segment's."""

MOST_TAGS = 5
_TITLE = 80
_PROSE = frozenset("adoc asciidoc htm html markdown md org rdoc rst tex txt".split())
_TAG = re.compile(r"(?<!\S)#[^\W\d_]")
_WORD = re.compile(r"[a-z0-9_+#-]{1,20}")
_TICKS = re.compile(r"`{3,}")


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What is recommended about a segment: the action, the sentence that says why, the memory it is about."""

    action: Action
    rule: str
    memory: Known | None = None


def plan(store: Store, content: ContentMap, *, recall: Recall | None = None, category: str = "") -> Plan:
    """What to do with every segment of ``content``. ``recall`` is the product's own search, shown beside the rule.

    ``category`` is what somebody named for all of them; without it a new memory gets a careful guess. A plan
    of more than 200 segments is matched less closely and says so in ``content.notices``.
    """
    shelf = matching.shelf(store)
    id, moment = new_id(), now()
    closely = len(content.segments) <= CLOSELY
    if not closely:
        recall = None
        notice = f"More than {CLOSELY} parts: matched by key terms alone, and compared for numbers and negations only."
        content = replace(content, notices=(*content.notices, notice))
    proposals = [
        replace(
            _proposal(shelf, segment, recall, category.strip().upper(), closely=closely),
            plan=id,
            created=moment,
            scope=store.scope,
            origin=content.mode,
            source=_source(content, segment),
        )
        for segment in content.segments
    ]
    return Plan(
        id=id,
        mode=content.mode,
        created=moment,
        scope=store.scope,
        content=content,
        proposals=tuple(neighbours.pointed_out(proposals, shelf)),
    )


def rematch(store: Store, proposal: Proposal, *, recall: Recall | None = None) -> Proposal:
    """The same text matched anew, because what it rested on changed since. It keeps its id, key, title and place.

    What is not about learning keeps its action too: only its targets are read again.
    """
    if proposal.action not in LEARNING:
        return _retargeted(store, proposal)
    segment = Segment(
        id=proposal.key,
        topic=proposal.topic,
        source_file=proposal.source_file,
        source_lines=proposal.source_lines,
        summary=proposal.summary,
        title=proposal.title,
        tokens=proposal.tokens,
        key_terms=proposal.key_terms,
        text=proposal.body,
    )
    anew = _proposal(matching.shelf(store), segment, recall, proposal.category, body=proposal.body)
    return replace(
        proposal,
        action=anew.action,
        rule=f"Matched anew, because the vault changed. {anew.rule}",
        targets=anew.targets,
        related=anew.related,
        cautions=anew.cautions,
    )


def _proposal(
    shelf: Shelf,
    segment: Segment,
    recall: Recall | None,
    category: str,
    *,
    body: str | None = None,
    closely: bool = True,
) -> Proposal:
    text = Text(_body(segment) if body is None else body)
    related = matching.related(shelf, segment, recall)
    verdict = _verdict(shelf, segment, text, related)
    memory = verdict.memory
    nearest = shelf.by_path[related[0].path] if related and related[0].overlap >= matching.MEDIUM else None
    return Proposal(
        id=new_id(),
        key=segment.id,
        action=verdict.action,
        rule=verdict.rule,
        title=_clipped(segment.title or segment.summary or " ".join(segment.key_terms) or segment.id),
        body=text.body,
        topic=segment.topic or (nearest.topic if nearest else ""),
        category=category or (memory.category if memory else "") or categories.guess(text.body, segment.source_file),
        tags=tuple(markdown.tags(text.body)[:MOST_TAGS]) if _TAG.search(text.body) else (),
        summary=" ".join(segment.summary.split()),
        key_terms=segment.key_terms,
        tokens=segment.tokens,
        targets=(Target(id=memory.id, path=memory.path, hash=memory.document.hash, title=memory.title),)
        if memory
        else (),
        related=_with(related, memory),
        cautions=tuple(_cautions(shelf, verdict, text, related, closely=closely)),
        source_file=segment.source_file,
        source_lines=segment.source_lines,
    )


def _verdict(shelf: Shelf, segment: Segment, text: Text, related: Sequence[Related]) -> _Verdict:
    """One rule decides; only what a memory says word for word is skipped (F15, F16, F22, F23)."""
    same = shelf.same(text)
    if same:
        return _Verdict("SKIP", f"Already known: “{same.title}” says exactly this.", same)
    memories = [shelf.by_path[one.path] for one in related]
    for memory in memories:
        if text.within(memory):
            return _Verdict("SKIP", f"Already known: “{memory.title}” holds this word for word.", memory)
        if text.replaced(memory):
            rule = f"“{memory.title}” said exactly this before and was changed since, so it is not put back: SKIP."
            return _Verdict("SKIP", rule, memory)
    near = shelf.near(text.statements)
    if near and differences(text.statements, near.statements, near.title):
        rule = f"It says what “{near.title}” says, but for what is noted: UPDATE, whatever their key terms."
        return _Verdict("UPDATE", rule, near)
    action, rule = matching.recommend(related[0] if related else None, segment.key_terms)
    return _Verdict(action, rule, memories[0] if memories and action != "CREATE" else None)


def _cautions(shelf: Shelf, verdict: _Verdict, text: Text, related: Sequence[Related], *, closely: bool) -> list[str]:
    """What a person should see before deciding (F4, F5, F15, F16, F30)."""
    if verdict.action == "SKIP":
        return []
    memory = verdict.memory
    cautions = [f"Cannot be changed until somebody mends it: {memory.flaw}."] if memory and memory.flaw else []
    close = [shelf.by_path[one.path] for one in related if one.overlap >= matching.MEDIUM or one.score is not None]
    compare, most = (differences, COMPARED) if closely else (plain_differences, 1)
    for other in [*dict.fromkeys([*([memory] if memory else []), *close])][:most]:
        cautions += compare(text.statements, other.statements, other.title)
    if memory and verdict.action == "UPDATE" and memory.lines >= LONG_LINES and 2 * lines_of(text.body) < memory.lines:
        cautions.append(
            f"UPDATE would put {lines_of(text.body)} lines in place of {memory.lines}, which go into the history; "
            "EXTEND keeps both."
        )
    if marker := conflict(text.body):
        cautions.append(f"The text holds an unresolved merge conflict: {marker!r}.")
    gap = placeholder(text.body)
    if gap:
        cautions.append(f"The text leaves something out: {gap!r}.")
    return cautions


def _with(related: Sequence[Related], memory: Known | None) -> tuple[Related, ...]:
    """``related``, and ``memory`` first in it if it is not there: what is recommended is always shown."""
    if memory is None or any(one.path == memory.path for one in related):
        return tuple(related)
    first = Related(id=memory.id, path=memory.path, title=memory.title)
    return (first, *related[: matching.SHOWN - 1])


def _body(segment: Segment) -> str:
    """The text as it would stand in a memory: source code in a fence, so that its comments are no headings."""
    text = segment.text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "\ufffd")
    language = _language(segment.source_file.rpartition("/")[2].casefold())
    if language is None or text.lstrip().startswith("```"):
        return closed(text.strip("\n"))
    fence = "`" * max([3, *(len(ticks) + 1 for ticks in _TICKS.findall(text))])
    return f"{fence}{language}\n{text.strip(chr(10))}\n{fence}"


def _language(file: str) -> str | None:
    """What a fence around the text of ``file`` says; ``None`` for prose, which needs none."""
    kind, language = kind_of(file)
    _, dot, suffix = file.rpartition(".")
    if suffix in _PROSE or (not dot and kind not in ("code", "whole")):
        return None
    return suffix if dot and _WORD.fullmatch(suffix) else language


def _source(content: ContentMap, segment: Segment) -> str:
    """The ``source`` of SM-4: ``user input``, ``file: <path>``, or ``Task N: <artifact>``."""
    match content.mode:
        case "text":
            return "user input"
        case "task":
            number = re.search(r"(?:^|_)0*(\d+)_", content.path.rstrip("/").rpartition("/")[2])
            return f"Task {number.group(1) if number else '0'}: {segment.source_file}"
        case _:
            return f"file: {segment.source_file or content.path}"


def _clipped(text: str) -> str:
    """``text`` as a title: one line, cut at a word where it is long."""
    line = " ".join(text.split())
    if len(line) <= _TITLE:
        return line
    cut = line[:_TITLE].rpartition(" ")[0]
    return (cut if len(cut) > _TITLE // 2 else line[: _TITLE - 1]) + "…"


def _retargeted(store: Store, proposal: Proposal) -> Proposal:
    """``proposal`` on its targets as they are now; without one that is gone it has nothing left to do."""
    targets = []
    for target in proposal.targets:
        try:
            targets.append(replace(target, hash=store.vault.read(target.path).hash))
        except ScrubjayError as error:
            return replace(proposal, action="SKIP", rule=f"Nothing is left to do: {error.message}", cautions=())
    changed = [now.path for now, before in zip(targets, proposal.targets, strict=True) if now.hash != before.hash]
    caution = f"Changed since this was proposed: {', '.join(changed)}. Look again."
    cautions = tuple(dict.fromkeys((*proposal.cautions, caution))) if changed else proposal.cautions
    return replace(proposal, targets=tuple(targets), cautions=cautions)
