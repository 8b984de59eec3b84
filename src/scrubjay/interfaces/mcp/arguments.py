"""What an agent sends, checked against a tool's schema: every mistake is a sentence that helps to mend the call."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from scrubjay.errors import BadInput
from scrubjay.interfaces.mcp.tools import BY_NAME, Schema, Tool

_SHOWN = 60


def tool(name: str) -> Tool:
    """The tool called ``name``. Raises ``BadInput`` that names the nearest one."""
    if name not in BY_NAME:
        raise BadInput(
            f"There is no tool {_shown(name)}.{_nearest(name, BY_NAME)}", hint=f"There are {_list(BY_NAME)}."
        )
    return BY_NAME[name]


def checked(of: Tool, given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The arguments by the names of the schema, defaults filled in; ``null`` is not given.

    ``snake_case`` spellings are accepted (MX-2), numbers also as text. Raises ``BadInput``.
    """
    values: dict[str, Any] = {}
    for name, value in (given or {}).items():
        known = _known(of, name)
        if value is None:
            continue
        if known in values:
            raise BadInput(f"{known} is given twice, also as {_shown(name)}.", hint=f"Give {known} once.")
        values[known] = _value(known, of.arguments[known], value)
    for name in of.required:
        if name not in values:
            raise BadInput(f"{of.name} needs {name}.", hint=_usage(of))
    defaults = {name: schema["default"] for name, schema in of.arguments.items() if "default" in schema}
    return {**defaults, **values}


def _known(of: Tool, name: str) -> str:
    by_spelling = {_bare(known): known for known in of.arguments}
    if name in of.arguments:
        return name
    if _bare(name) in by_spelling:
        return by_spelling[_bare(name)]
    raise BadInput(f"{of.name} has no argument {_shown(name)}.{_nearest(name, of.arguments)}", hint=_usage(of))


def _value(name: str, schema: Schema, value: Any) -> Any:
    match schema["type"]:
        case "string":
            return _string(name, schema, value)
        case "integer" | "number":
            return _number(name, schema, value)
        case _:
            return _strings(name, schema, value)


def _string(name: str, schema: Schema, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(name, "a string", value)
    text = value.encode("utf-8", "replace").decode("utf-8") if _SURROGATE.search(value) else value
    most = schema.get("maxLength")
    if most and len(text) > most:
        raise BadInput(f"{name} has {len(text):,} characters; at most {most:,} are taken.", hint="Say it shorter.")
    if "enum" in schema:
        word = text.strip().casefold()
        if word not in schema["enum"]:
            raise BadInput(f"{name} cannot be {_shown(text)}.", hint=f"It is {_list(schema['enum'], last='or')}.")
        return str(word)
    if not text.replace("\0", "").strip():
        raise BadInput(f"{name} is empty.", hint=schema.get("description", ""))
    return text


def _number(name: str, schema: Schema, value: Any) -> float:
    whole = schema["type"] == "integer"
    wanted = "a whole number" if whole else "a number"
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or (isinstance(value, float) and math.isnan(value))
    ):
        raise _wrong(name, wanted, value)
    if not schema["minimum"] <= value <= schema["maximum"]:
        raise BadInput(f"{name} must lie between {schema['minimum']} and {schema['maximum']}, not {_shown(value)}.")
    if whole and value != int(value):
        raise _wrong(name, wanted, value)
    return int(value) if whole else float(value)


def _strings(name: str, schema: Schema, value: Any) -> list[str]:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
        raise _wrong(name, "a list of strings", value)
    if len(values) > schema["maxItems"]:
        raise BadInput(f"{name} has {len(values)} entries; at most {schema['maxItems']} are taken at once.")
    return [_string(name, {}, each) for each in dict.fromkeys(values)]


_SURROGATE = re.compile("[\ud800-\udfff]")
_NUMBER = re.compile(r"[+-]?\d{1,9}(?:\.\d{1,9})?")


def _bare(name: str) -> str:
    return name.replace("_", "").casefold()


def _usage(of: Tool) -> str:
    optional = [f"{name} (optional)" for name in of.arguments if name not in of.required]
    return f"It takes {_list([*of.required, *optional])}."


def _nearest(name: str, known: Mapping[str, Any]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name[:_SHOWN].casefold(), [each.casefold() for each in known], n=1, cutoff=0.5)
    found = next((each for each in known if near and each.casefold() == near[0]), "")
    return f" Did you mean {found}?" if found else ""


def _wrong(name: str, wanted: str, value: object) -> BadInput:
    kind = {dict: "an object", list: "a list", bool: "a truth value", int: "a number", float: "a number", str: "text"}
    return BadInput(f"{name} must be {wanted}, not {kind.get(type(value), 'something else')}: {_shown(value)}.")


def _shown(value: object) -> str:
    """``value`` for a message: short, in one line, nothing that a terminal obeys."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _list(words: Any, *, last: str = "and") -> str:
    *most, end = list(words)
    return f"{', '.join(most)} {last} {end}" if most else str(end)
