"""A Codex rollout as a session: each message once, only what a person typed marked so, rolled-back turns gone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from scrubjay.errors import BadInput
from scrubjay.ids import derived_id
from scrubjay.transcripts import fences, fields, lines, places
from scrubjay.transcripts.calls import is_recall
from scrubjay.transcripts.codex import items
from scrubjay.transcripts.codex.items import Item
from scrubjay.transcripts.drafts import Draft, Piece, Said
from scrubjay.transcripts.fields import first, identifier, mapping
from scrubjay.transcripts.reading import Context
from scrubjay.types import Role, Session

SOURCE = "codex"
_BOILERPLATE = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|permissions|turn_aborted|skill|collaboration_mode)\b"
    r"|# AGENTS\.md instructions)"
)
_STAMPED = re.compile(r"rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-(.+)")


def read(path: Path, context: Context, *, follow: bool = False) -> Iterator[Session]:
    """The session in ``path``, as far as it is new. Raises ``Refused`` or ``Unavailable``."""

    def parsed(given: lines.Lines) -> lines.Parsed:
        resumed = given.since is not None
        start = [lines.Line(1, 0, given.first())] if resumed else []
        found = list(items.read([*start, *given], context.zone, context.report))
        return _parsed(found, path, context, resumed=resumed)

    yield from lines.sessions(path, context, parsed, follow=follow)


def _parsed(found: Sequence[Item], path: Path, context: Context, *, resumed: bool) -> lines.Parsed:
    draft = Draft(id=_name(path), source=SOURCE, meta={"kind": "main"})
    about = next((item.values for item in found if item.kind == "meta"), {})
    _describe(draft, about)
    typed = {_folded(item.text) for item in found if item.kind == "typed"}
    # Early events may stand alone. But a prompt's event may also be written just before its item: wait for an answer.
    events_only = not resumed and {item.kind for item in found} & {"message", "told"} == {"told"}
    reaches_back, model, tools = False, "", dict[str, str]()
    for item in found:
        match item.kind:
            case "context":
                model = first(item.values, "model") or model
                if cwd := first(item.values, "cwd"):
                    draft.meta.setdefault("cwd", cwd)
            case "rollback":
                reaches_back |= not _roll_back(draft, item.turns)
            case "typed" | "told" if not events_only:
                pass  # it stands in a response item too, and there it is whole
            case "message" | "typed" | "told" | "compacted":
                _add_message(draft, item, typed, model, context)
            case "call" | "result":
                _add_tool(draft, item, tools, context)
    _name_it(draft, path, context, resumed=resumed)
    return lines.Parsed([draft], reaches_back)


def _name(path: Path) -> str:
    stamped = _STAMPED.fullmatch(path.stem)
    return stamped[1] if stamped else path.stem


def _describe(draft: Draft, values: dict[str, Any]) -> None:
    """The first line: of a fork, those of the session it was made from follow and do not count."""
    draft.id = identifier(values.get("id")) or draft.id
    draft.meta["cwd"] = first(values, "cwd")
    draft.meta["version"] = first(values, "cli_version")
    draft.meta["git_branch"] = first(mapping(values.get("git")), "branch")
    draft.meta["forked_from"] = identifier(values.get("forked_from_id"))
    source = mapping(values.get("source"))
    if source:
        spawned = mapping(mapping(source.get("subagent")).get("thread_spawn"))
        draft.meta["kind"] = "subagent"
        draft.meta["parent_id"] = identifier(spawned.get("parent_thread_id")) or identifier(
            values.get("parent_thread_id")
        )
    if values.get("memory_mode") in ("off", "disabled", "none"):
        draft.meta["do_not_remember"] = True
    draft.meta = {key: value for key, value in draft.meta.items() if value}


def _add_message(draft: Draft, item: Item, typed: set[str], model: str, context: Context) -> None:
    if item.kind in ("message", "typed") and item.role in ("", "user") and _BOILERPLATE.match(item.text):
        context.report.dropped["boilerplate"] += 1
        return
    stripped = fences.strip_blocks(item.text)
    context.report.dropped.update(stripped.removed)
    if not stripped.text.strip():
        return
    role, meta = _speaker(draft, item, typed)
    if model and role == "assistant":
        meta["model"] = model
    if stripped.unclosed:
        meta["unclosed"] = sorted(set(stripped.unclosed))
    if draft.meta.get("do_not_remember"):
        meta["do_not_remember"] = True
    draft.said.append(Said([Piece(_id(draft, item), stripped.text, item.start)], role, item.at, meta=meta))


def _speaker(draft: Draft, item: Item, typed: set[str]) -> tuple[Role, dict[str, Any]]:
    if item.kind == "compacted":
        return "system", {"is_human": False, "derived": "compaction"}
    if item.kind == "told" or item.role == "assistant":
        return "assistant", {}
    if item.role == "agent":
        return "system", {"is_human": False, "origin": "agent"}
    if item.role in ("system", "developer"):
        return "system", {"is_human": False, "visible": False, "reason": item.role}
    said = _folded(item.text)
    human = not typed or said in typed or any(one and one in said for one in typed)
    return "user", {"is_human": human and draft.meta.get("kind") == "main"}


def _add_tool(draft: Draft, item: Item, tools: dict[str, str], context: Context) -> None:
    stripped = fences.strip_blocks(item.text)
    context.report.dropped.update(stripped.removed)
    if item.kind == "call" and item.id:
        tools[item.id] = item.tool
    name = item.tool or tools.get(item.id, "")
    meta: dict[str, Any] = {"part": item.kind}
    if name:
        meta["tool"] = fields.title(name)
    if is_recall(name):
        meta |= {"visible": False, "reason": "recall"}
    draft.said.append(Said([Piece(_id(draft, item), stripped.text, item.start)], "tool", item.at, meta=meta))


def _id(draft: Draft, item: Item) -> str:
    """The item's own id; without one, what it says and when, or where it stands if it does not say when."""
    if item.kind == "result" and item.id:
        return f"{item.id}#result"
    stamp = str(item.at) if item.at else f"@{item.start}"
    return item.id or derived_id(draft.id, item.kind, stamp, item.role, item.text)


def _roll_back(draft: Draft, turns: int) -> bool:
    """Takes back the last ``turns`` prompts with all that came after; whether so many were there."""
    for said in reversed(draft.said):
        if turns <= 0:
            return True
        if said.kept:
            said.undone, said.kept = True, False
            turns -= said.role == "user"
    return turns <= 0


def _name_it(draft: Draft, path: Path, context: Context, *, resumed: bool) -> None:
    if named := _index(path, context).get(draft.id):
        draft.title, draft.meta["title_source"] = named, "index"
    elif not resumed:
        human = [said for said in draft.said if said.kept and said.role == "user"]
        first_prompt = next((said for said in human if said.meta.get("is_human")), human[0] if human else None)
        if first_prompt:
            draft.title, draft.meta["title_source"] = fields.title(first_prompt.pieces[0].text), "prompt"


def _index(path: Path, context: Context) -> dict[str, str]:
    """The names of threads in ``session_index.jsonl`` above the rollouts; a later line replaces an earlier one."""
    parts = path.absolute().parts
    where = next((index for index, part in enumerate(parts) if part in ("sessions", "archived_sessions")), 0)
    if not where:
        return {}
    file = Path(*parts[:where]) / "session_index.jsonl"
    key = f"codex:{file}"
    if key not in context.notes:
        names: dict[str, str] = {}
        for line in places.small(file, 64 << 20).split(b"\n"):
            try:
                value = mapping(fields.parse(line.decode("utf-8", "replace")))
            except BadInput:
                continue
            if name := fields.title(value.get("thread_name")):
                names[identifier(value.get("id"))] = name
        context.notes[key] = names
    found: dict[str, str] = context.notes[key]
    return found


def _folded(words: str) -> str:
    return " ".join(words.split())
