"""Which records of a session were abandoned: a person went back and went on from an earlier place (TR-5)."""

from __future__ import annotations

from collections.abc import Sequence

from scrubjay.transcripts.claude_code.records import LINKED, Record


def abandoned(records: Sequence[Record]) -> frozenset[str]:
    """The uuids of user and assistant records that lie on no path that was gone on with.

    The living path runs from the last end of the tree back to its beginning. A compaction starts a new tree that
    goes on with the old one; a parent that is missing is taken to be what stands before, unless a person began anew.
    Results of calls that ran side by side, and what else belongs to a living reply, are no branches. Sessions that
    share a file are kept apart.
    """
    sessions: dict[str, list[Record]] = {}
    for record in records:
        sessions.setdefault(record.session, []).append(record)
    return frozenset().union(*map(_abandoned, sessions.values()))


def _abandoned(records: Sequence[Record]) -> frozenset[str]:
    nodes: dict[str, Record] = {}
    order: dict[str, int] = {}
    for index, record in enumerate(records):
        if record.uuid and (record.type in LINKED) and record.uuid not in nodes:
            nodes[record.uuid] = record
            order[record.uuid] = index
    main = [uuid for uuid, record in nodes.items() if _is_main(record)]
    if not main:
        return frozenset()
    living = _path(_last_end(nodes, main), nodes, main, order)
    _add_beside(living, nodes)
    return frozenset(uuid for uuid in main if uuid not in living)


def _is_main(record: Record) -> bool:
    return record.type in ("user", "assistant") and not (record.sidechain or record.team or record.meta)


def _last_end(nodes: dict[str, Record], main: Sequence[str]) -> str:
    """The user or assistant record nearest above the last record that nothing follows."""
    parents = {record.parent for record in nodes.values()}
    allowed = set(main)
    seen: set[str] = set()
    for uuid in reversed(nodes):
        if uuid in parents:
            continue
        while uuid in nodes and uuid not in seen:
            if uuid in allowed:
                return uuid
            if nodes[uuid].sidechain:
                break
            seen.add(uuid)
            uuid = nodes[uuid].parent  # noqa: PLW2901 - walks up from each end
    return main[-1]


def _path(end: str, nodes: dict[str, Record], main: Sequence[str], order: dict[str, int]) -> set[str]:
    path: set[str] = set()
    before = len(main)
    uuid = end
    while uuid and uuid not in path:
        path.add(uuid)
        record = nodes[uuid]
        if record.parent in nodes:
            uuid = record.parent
        elif record.logical in nodes:
            uuid = record.logical
        else:
            while before and (order[main[before - 1]] >= order[uuid] or main[before - 1] in path):
                before -= 1
            earlier = main[before - 1] if before else ""
            uuid = "" if earlier and _begins_anew(record, nodes[earlier], nodes) else earlier
    return path


def _begins_anew(record: Record, earlier: Record, nodes: dict[str, Record]) -> bool:
    """Whether a prompt without a parent takes the place of the first one: in a file whose records do name parents."""
    prompt = record.type == "user" and not (record.parent or record.results_only or record.compact)
    return prompt and earlier.parent in nodes


def _add_beside(living: set[str], nodes: dict[str, Record]) -> None:
    """Adds what hangs on the path without being another way on."""
    replies = {nodes[uuid].response for uuid in living if nodes[uuid].type == "assistant"} - {""}
    for uuid, record in nodes.items():
        beside = record.results_only or record.type not in ("user", "assistant") or record.response in replies
        if record.parent in living and beside:
            living.add(uuid)
