"""The tools as data: names and arguments as agents know them (MX-2), descriptions that teach how to ask (MX-9).

All of it together stays below 3,000 tokens (F66). Nothing is imported here, so that the data can be read at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Schema = Mapping[str, Any]

QUERY_CHARACTERS = 2_000
FACT_CHARACTERS = 8_000
TEXT_CHARACTERS = 400_000
MOST_HITS = 50
MOST_NAMES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool. ``output`` is the schema of its structured answer; ``reads`` tells that it changes nothing."""

    name: str
    title: str
    description: str
    arguments: Mapping[str, Schema]
    required: tuple[str, ...] = ()
    output: Mapping[str, Schema] = field(default_factory=dict)
    always: tuple[str, ...] = ()
    reads: bool = False

    @property
    def input_schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments."""
        return {
            "type": "object",
            "properties": dict(self.arguments),
            "required": list(self.required),
            "additionalProperties": False,
        }

    @property
    def output_schema(self) -> dict[str, Any]:
        """JSON Schema of the structured answer."""
        return {"type": "object", "properties": dict(self.output), "required": list(self.always)}


_STRING: Schema = {"type": "string"}
_STRINGS: Schema = {"type": "array", "items": _STRING}
_BOOLEAN: Schema = {"type": "boolean"}
_NUMBER: Schema = {"type": "number"}
_INTEGER: Schema = {"type": "integer"}
_OBJECT: Schema = {"type": "object"}
_LIST: Schema = {"type": "array"}


def _prose(text: str) -> str:
    """``text`` with each paragraph in one line."""
    return "\n".join(" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n"))


def _objects(**properties: Schema) -> Schema:
    return {"type": "array", "items": {"type": "object", "properties": properties}}


_FACT = {"id": _STRING, "category": _STRING, "content": _STRING}

_CATEGORY = {
    "type": "string",
    "description": "Preference, Identity, Process, Infrastructure, Decision, FailureMode, TODO, or a word of your own.",
}
_QUERY = {
    "type": "string",
    "description": "A full sentence: subject, topic and situation.",
    "maxLength": QUERY_CHARACTERS,
}

TOOLS: tuple[Tool, ...] = (
    Tool(
        name="search_memory",
        title="Search memory",
        description=_prose(
            """
            Look up what is remembered: facts, summaries, notes and past conversations, ranked, dated and cited. Use it
            before you answer anything about earlier work, decisions, preferences, people or systems, and before
            create_fact or supersede_fact.

            Write a full sentence with subject, topic and situation, not keywords: “Which package manager does Max
            prefer for Python projects?” For infrastructure give the object's name and purpose: “address of the staging
            database that the billing service uses”. Ask one thing at a time. If the first try misses, add qualifiers
            (project, person, date, component) or say it in other words; raise topK only for a narrow topic with many
            entries.

            A score is the probability that an item bears on the question. An empty answer means that nothing does: say
            so, do not guess. Of facts that differ believe the current one; superseded ones are listed apart."""
        ),
        arguments={
            "query": _QUERY,
            "topK": {
                "type": "integer",
                "minimum": 1,
                "maximum": MOST_HITS,
                "default": 8,
                "description": "Most facts and most results.",
            },
        },
        required=("query",),
        output={
            "facts": _objects(**_FACT, score=_NUMBER, valid_from=_STRING, valid_to=_STRING, source=_STRING),
            "results": _objects(
                layer=_STRING, text=_STRING, score=_NUMBER, at=_STRING, citation=_STRING, message_ids=_STRINGS
            ),
            "suppressed": _LIST,
            "abstained": _BOOLEAN,
            "reason": _STRING,
        },
        always=("facts", "results", "abstained"),
        reads=True,
    ),
    Tool(
        name="search_semantic_memory",
        title="Search the semantic graph",
        description=_prose(
            """
            Look up relations between people, systems and things in the knowledge graph, each with its source. Use it
            for “how is X connected to Y”; not for the words of a conversation, old summaries, or changing anything.
            Where no graph is set up, available is false and search_memory is the tool to use."""
        ),
        arguments={"query": _QUERY, "maxFacts": {"type": "integer", "minimum": 1, "maximum": MOST_HITS, "default": 10}},
        required=("query",),
        output={
            "available": _BOOLEAN,
            "backend": _STRING,
            "reason": _STRING,
            "facts": _LIST,
        },
        always=("available", "facts"),
        reads=True,
    ),
    Tool(
        name="get_facts",
        title="List facts",
        description=_prose(
            """
            List the facts that hold now, newest first, with the ids that supersede_fact needs. Use it for an overview
            of one category; to find something use search_memory."""
        ),
        arguments={"category": {"type": "string", "description": "Only this category; letter case does not matter."}},
        output={
            "facts": _objects(**_FACT),
            "total": _INTEGER,
            "categories": _OBJECT,
        },
        always=("facts", "total"),
        reads=True,
    ),
    Tool(
        name="supersede_fact",
        title="Correct a fact",
        description=_prose(
            """
            Replace a fact that no longer holds or is wrong. The old one stays in the history; the new one inherits its
            category and confidence and holds from now on. Take factId from search_memory or get_facts and write
            newContent as one complete sentence."""
        ),
        arguments={"factId": _STRING, "newContent": {"type": "string", "maxLength": FACT_CHARACTERS}},
        required=("factId", "newContent"),
        output={"status": _STRING, "fact": _OBJECT},
        always=("status",),
    ),
    Tool(
        name="create_fact",
        title="Remember a fact",
        description=_prose(
            """
            Remember one lasting statement: a preference, a decision, how something is set up, what failed and why. One
            self-contained sentence with names instead of “it” or “here”, and dates instead of “now”. Search first. When
            nearly the same is known, nothing is stored and near_duplicates are returned: supersede the one that
            changed; only if both are true send the same call again. Never store secrets, or what holds for this task
            only."""
        ),
        arguments={
            "content": {"type": "string", "maxLength": FACT_CHARACTERS},
            "category": _CATEGORY,
            "confidence": {"type": "number", "minimum": 0, "maximum": 1, "default": 0.9},
        },
        required=("content", "category"),
        output={
            "status": {"enum": ["created", "superseded", "known", "near_duplicate", "declined"]},
            "stored": _BOOLEAN,
            "fact": _OBJECT,
            "near_duplicates": _LIST,
            "conflicts": _LIST,
        },
        always=("status", "stored"),
    ),
    Tool(
        name="learn",
        title="Learn from a text or file",
        description=_prose(
            """
            Turn knowledge worth keeping (a solution, a convention, a write-up) into notes. Give text, or the path of a
            file or folder of this project. Each part is compared with what is known; what would be written is shown to
            the user, who decides. If the user cannot be asked, it waits and the answer says how to decide."""
        ),
        arguments={
            "text": {"type": "string", "maxLength": TEXT_CHARACTERS},
            "path": {"type": "string", "maxLength": 4096},
        },
        output={"status": _STRING, "proposals": _LIST, "done": _LIST},
        always=("status", "proposals"),
    ),
    Tool(
        name="review",
        title="Review what waits",
        description=_prose(
            """
            List the proposals that wait for a decision, or ask the user to accept or reject some of them. Only the user
            decides; never accept on your own."""
        ),
        arguments={
            "action": {"type": "string", "enum": ["list", "accept", "reject"], "default": "list"},
            "ids": {"type": "array", "items": _STRING, "maxItems": MOST_NAMES, "description": "Ids that list gives."},
        },
        output={"status": _STRING, "proposals": _LIST, "done": _LIST},
        always=("status", "proposals"),
    ),
)

BY_NAME: Mapping[str, Tool] = {tool.name: tool for tool in TOOLS}
