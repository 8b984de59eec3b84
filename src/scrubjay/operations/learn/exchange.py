"""A plan as JSON: what ``learn --plan`` writes and ``learn --apply`` reads, and the result as JSON (SM-9, SM-13).

A person or a program fills the field ``decision`` of each proposal: an action, ``"recommended"``, or an object with the
fields of ``Decision``. What is misspelled is an error that names the file and the field: nothing is guessed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, get_args

from scrubjay.errors import BadInput
from scrubjay.operations.learn.fields import HINT, Fields, Json, loaded
from scrubjay.proposals import (
    ACTIONS,
    Applied,
    ContentMap,
    Decision,
    Mode,
    Plan,
    Proposal,
    Question,
    Related,
    Segment,
    Skipped,
    Target,
)
from scrubjay.temporal import format_time, parse_time
from scrubjay.types import Redacted

VERSION = 1
_COUNTS = ("files_scanned", "files_selected", "artifacts_reviewed")
_MODES: tuple[str, ...] = get_args(Mode)


def to_json(plan: Plan) -> str:
    """``plan`` as text; ``from_json`` gives the same plan back."""
    return json.dumps(plan_values(plan), ensure_ascii=False, indent=2) + "\n"


def plan_values(plan: Plan) -> Json:
    """``plan`` as JSON values, with the questions that are open."""
    return {
        "version": VERSION,
        "status": "planned",
        "mode": plan.mode,
        **_counts(plan.content),
        "id": plan.id,
        "created": format_time(plan.created),
        "scope": plan.scope,
        "by": plan.by,
        "content_map": content_values(plan.content),
        "proposals": [_proposal_values(one, plan.decisions.get(one.key)) for one in plan.proposals],
        "questions": [question_values(question) for question in plan.questions],
    }


def from_json(text: str | bytes, *, name: str = "plan.json") -> Plan:
    """The plan in ``text``. Raises ``BadInput`` naming ``name`` and the field that is wrong."""
    fields = Fields(loaded(text, name), name, "")
    if fields.number("version") != VERSION:
        raise fields.wrong("version", f"must be {VERSION}")
    fields.ignore("status", "questions", "file_path")
    mode = fields.choice("mode", _MODES)
    content = _content(fields, mode)
    entries = fields.list("proposals", required=True)
    plan = Plan(
        id=fields.text("id"),
        mode=mode,
        created=fields.time("created"),
        scope=fields.text("scope"),
        content=content,
        proposals=tuple(_proposal(entry) for entry in entries),
        by=fields.text("by", "person"),
    )
    fields.finish()
    keys = [proposal.key for proposal in plan.proposals]
    twice = next((key for key in keys if keys.count(key) > 1), None) if len(set(keys)) < len(keys) else None
    if twice is not None:
        raise BadInput(f"{name}: two proposals have the key {twice!r}.", hint=HINT)
    return _decided(plan, entries)


def content_values(content: ContentMap) -> Json:
    """``content`` in the shape of SM-19."""
    return {
        "source": {"type": content.mode, "path": content.path, "total_tokens": content.total_tokens},
        "segments": [_segment_values(segment) for segment in content.segments],
        "skipped": [asdict(one) for one in content.skipped],
        "notices": list(content.notices),
        "redacted": [asdict(one) for one in content.redacted],
    }


def applied_values(applied: Applied) -> Json:
    """What was done, in the shape of SM-9; numbers are those read back from the disk."""
    return {
        "status": applied.status,
        "mode": applied.mode,
        **_counts(applied.content),
        "content_map": content_values(applied.content),
        "operations": [
            {
                "type": done.action,
                "segment_id": done.key,
                "memory_id": done.memory_id,
                "memory_path": done.path,
                **({"category": done.category} if done.category else {}),
            }
            for done in applied.done
        ],
        "memories_affected": applied.memories_affected,
        "by": applied.by,
        "message": applied.message,
        "redacted": [asdict(one) for one in applied.redacted],
        "stale": [_proposal_values(one, None) for one in applied.stale],
        "refused": [{"segment_id": one.key, "reason": reason} for one, reason in applied.refused],
        "waiting": [one.key for one in applied.waiting],
        "undo": list(applied.operations),
        **({"commit": applied.commit} if applied.commit else {}),
    }


def question_values(question: Question) -> Json:
    """``question`` in the shape of SM-13, with the key of its proposal."""
    return {
        "key": question.key,
        "question": question.question,
        "header": question.header,
        "multiSelect": question.multi_select,
        "options": [asdict(option) for option in question.options],
    }


def proposal_values(proposal: Proposal) -> Json:
    """``proposal`` as JSON values, without a decision."""
    values = _proposal_values(proposal, None)
    del values["decision"]
    return values


# --- writing ---------------------------------------------------------------------------------------------------


def _counts(content: ContentMap) -> Json:
    """What SM-9 asks for by mode."""
    asked = {"directory": ("files_scanned", "files_selected"), "task": ("artifacts_reviewed",)}.get(content.mode, ())
    counts = {name: getattr(content, name) for name in _COUNTS}
    path = {"file_path": content.path} if content.mode == "file" else {}
    return {**path, **{name: count for name, count in counts.items() if count or name in asked}}


def _segment_values(segment: Segment) -> Json:
    return {
        "id": segment.id,
        "topic": segment.topic,
        "source_file": segment.source_file,
        "source_lines": _lines_text(segment.source_lines),
        "summary": segment.summary,
        "estimated_tokens": segment.tokens,
        "key_terms": list(segment.key_terms),
        "title": segment.title,
        "text": segment.text,
    }


def _proposal_values(proposal: Proposal, decision: Decision | None) -> Json:
    return {
        "key": proposal.key,
        "decision": None if decision is None else {k: v for k, v in asdict(decision).items() if v is not None},
        "action": proposal.action,
        "choices": list(proposal.choices),
        "rule": proposal.rule,
        "cautions": list(proposal.cautions),
        "title": proposal.title,
        "topic": proposal.topic,
        "category": proposal.category,
        "tags": list(proposal.tags),
        "targets": [asdict(target) for target in proposal.targets],
        "related": [{**asdict(one), "shared": list(one.shared)} for one in proposal.related],
        "summary": proposal.summary,
        "key_terms": list(proposal.key_terms),
        "tokens": proposal.tokens,
        "values": dict(proposal.values),
        "memory_id": proposal.memory_id,
        "source": proposal.source,
        "source_file": proposal.source_file,
        "source_lines": _lines_text(proposal.source_lines),
        "origin": proposal.origin,
        "plan": proposal.plan,
        "created": format_time(proposal.created),
        "scope": proposal.scope,
        "path": proposal.path,
        "id": proposal.id,
        "body": proposal.body,
    }


def _lines_text(lines: tuple[int, int]) -> str:
    return f"{lines[0]}-{lines[1]}"


# --- reading ---------------------------------------------------------------------------------------------------


def _content(fields: Fields, mode: Any) -> ContentMap:
    inner = fields.inner("content_map")
    source = inner.inner("source")
    source.choice("type", (mode,))
    content = ContentMap(
        mode=mode,
        path=source.text("path", ""),
        total_tokens=source.number("total_tokens"),
        segments=inner.all("segments", _segment),
        skipped=inner.all("skipped", _skipped),
        notices=inner.texts("notices"),
        redacted=inner.all("redacted", _redacted),
        **{name: fields.number(name) for name in _COUNTS},
    )
    source.finish()
    inner.finish()
    return content


def _segment(fields: Fields) -> Segment:
    segment = Segment(
        id=fields.text("id"),
        topic=fields.text("topic", ""),
        source_file=fields.text("source_file", ""),
        source_lines=fields.lines("source_lines"),
        summary=fields.text("summary", ""),
        tokens=fields.number("estimated_tokens"),
        key_terms=fields.texts("key_terms"),
        title=fields.text("title", ""),
        text=fields.text("text", ""),
    )
    fields.finish()
    return segment


def _skipped(fields: Fields) -> Skipped:
    skipped = Skipped(path=fields.text("path"), reason=fields.text("reason", ""))
    fields.finish()
    return skipped


def _redacted(fields: Fields) -> Redacted:
    redacted = Redacted(rule=fields.text("rule"), place=fields.text("place", ""), line=fields.number("line"))
    fields.finish()
    return redacted


def _proposal(fields: Fields) -> Proposal:
    fields.ignore("choices")
    created = fields.take("created", "")
    return Proposal(
        id=fields.text("id"),
        key=fields.text("key"),
        action=fields.choice("action", ACTIONS),
        rule=fields.text("rule", ""),
        title=fields.text("title", ""),
        body=fields.text("body", ""),
        topic=fields.text("topic", ""),
        category=fields.text("category", ""),
        tags=fields.texts("tags"),
        summary=fields.text("summary", ""),
        key_terms=fields.texts("key_terms"),
        tokens=fields.number("tokens"),
        targets=fields.all("targets", _target),
        related=fields.all("related", _related),
        cautions=fields.texts("cautions"),
        values=fields.mapping("values"),
        memory_id=fields.text("memory_id", ""),
        source=fields.text("source", ""),
        source_file=fields.text("source_file", ""),
        source_lines=fields.lines("source_lines"),
        origin=fields.text("origin", "learn"),
        plan=fields.text("plan", ""),
        created=_moment(fields, created),
        scope=fields.text("scope", ""),
        path=fields.text("path", ""),
    )


def _moment(fields: Fields, value: object) -> datetime | None:
    if value == "":
        return None
    try:
        return parse_time(str(value))
    except BadInput:
        raise fields.wrong("created", "must be a time such as 2026-05-31T14:00:00Z") from None


def _target(fields: Fields) -> Target:
    target = Target(
        id=fields.text("id"), path=fields.text("path"), hash=fields.text("hash"), title=fields.text("title", "")
    )
    fields.finish()
    return target


def _related(fields: Fields) -> Related:
    related = Related(
        id=fields.text("id"),
        path=fields.text("path"),
        title=fields.text("title", ""),
        overlap=fields.share("overlap") or 0.0,
        score=fields.share("score"),
        shared=fields.texts("shared"),
    )
    fields.finish()
    return related


def _decided(plan: Plan, entries: list[Fields]) -> Plan:
    decisions: dict[str, Decision] = {}
    for proposal, fields in zip(plan.proposals, entries, strict=True):
        answer = fields.take("decision")
        fields.finish()
        if answer is None:
            continue
        given = (
            answer if isinstance(answer, str) else _decision(Fields(answer, fields.file, f"{fields.place}.decision"))
        )
        try:
            decided = plan.decide({proposal.key: given})
            if (into := decided.decisions[proposal.key].into) is not None:
                plan[into]
        except BadInput as error:
            raise BadInput(f"{fields.file}: {fields.place}.decision: {error.message}", hint=error.hint) from None
        decisions[proposal.key] = decided.decisions[proposal.key]
    return replace(plan, decisions=MappingProxyType(decisions))


def _decision(fields: Fields) -> Decision:
    words: Mapping[str, str | None] = {
        name: None if (value := fields.take(name)) is None else _as_text(fields, name, value)
        for name in ("target", "title", "body", "topic", "category", "into")
    }
    tags = None if (value := fields.take("tags")) is None else _as_texts(fields, value)
    decision = Decision(action=fields.choice("action", ACTIONS), tags=tags, **words)
    fields.finish()
    return decision


def _as_text(fields: Fields, name: str, value: object) -> str:
    if not isinstance(value, str):
        raise fields.wrong(name, "must be a text")
    return value


def _as_texts(fields: Fields, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise fields.wrong("tags", "must be a list of texts")
    return tuple(value)
