"""The tools as an agent's host lists them (MX-2, MX-9, F66)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scrubjay.interfaces.mcp.greeting import INSTRUCTIONS
from scrubjay.interfaces.mcp.server import described
from scrubjay.interfaces.mcp.tools import TOOLS
from scrubjay.text.tokens import token_count

NAMES = {
    "search_memory": ["query", "topK"],
    "search_semantic_memory": ["query", "maxFacts"],
    "get_facts": ["category"],
    "supersede_fact": ["factId", "newContent"],
    "create_fact": ["content", "category", "confidence"],
    "learn": ["text", "path"],
    "review": ["action", "ids"],
}


def listing() -> str:
    """All tools as they cross the wire."""
    return json.dumps(
        [described(tool).model_dump(by_alias=True, exclude_none=True) for tool in TOOLS], separators=(",", ":")
    )


def test_names_and_arguments_are_those_of_the_contract() -> None:
    """MX-2, exactly; and at most eight tools (F66)."""
    assert {tool.name: list(tool.arguments) for tool in TOOLS} == NAMES
    assert len(TOOLS) <= 8
    create = next(tool for tool in TOOLS if tool.name == "create_fact")
    assert create.arguments["confidence"]["default"] == 0.9
    assert create.required == ("content", "category")


def test_all_tools_together_cost_less_than_3000_tokens() -> None:
    """F66: what every conversation pays for, counted by the packaged model's tokenizer and by our own estimate."""
    tokenizers = pytest.importorskip("tokenizers")
    import scrubjay.models

    weights = Path(scrubjay.models.__file__).parent / "weights" / "tokenizer.json"
    tokenizer = tokenizers.Tokenizer.from_file(str(weights))
    tokenizer.no_truncation()
    assert len(tokenizer.encode(listing() + INSTRUCTIONS).ids) < 3_000
    assert token_count(listing() + INSTRUCTIONS) < 3_000


def test_descriptions_teach_how_to_ask() -> None:
    """MX-9."""
    words = next(tool for tool in TOOLS if tool.name == "search_memory").description
    for lesson in (
        "full sentence",
        "subject, topic and situation",
        "name and purpose",
        "qualifiers",
        "raise topK only",
    ):
        assert lesson in words


def test_every_schema_is_valid_and_closed() -> None:
    from jsonschema import Draft202012Validator

    for tool in TOOLS:
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema)
        assert tool.input_schema["additionalProperties"] is False
        assert set(tool.required) <= set(tool.arguments)
        assert set(tool.always) <= set(tool.output)
