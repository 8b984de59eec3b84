"""What takes more than a line or a level: PyYAML's events, hardened (SEC-6).

No aliases, anchors, tags or merge keys, at most ``levels`` containers inside one another, and scalars typed by the
same rule as everywhere (``scalars.plain``), so that dates stay text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scrubjay.text.frontmatter.scalars import TOO_DEEP, UnreadableError, plain


def load(source: str, levels: int) -> object:
    """The value of the YAML ``source``. Raises ``UnreadableError``."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        events = iter(yaml.parse(source, Loader=loader))
        _skip_to_value(events)
        return _value(next(events), events, levels)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise UnreadableError(
            f"is not valid YAML ({error.problem or error.context})", mark.line if mark else 0
        ) from None
    except (yaml.YAMLError, ValueError) as error:
        reason = str(getattr(error, "reason", "")) or type(error).__name__
        raise UnreadableError(f"is not valid YAML ({reason})") from None


def _skip_to_value(events: Iterator[Any]) -> None:
    for event in events:
        if type(event).__name__ == "DocumentStartEvent":
            return
    raise UnreadableError("is empty")


def _value(event: Any, events: Iterator[Any], levels: int) -> object:
    import yaml

    line = event.start_mark.line
    if isinstance(event, yaml.AliasEvent):
        raise UnreadableError("holds a YAML alias; write the value out", line)
    if getattr(event, "anchor", None) is not None:
        raise UnreadableError("holds a YAML anchor; write the value out", line)
    if getattr(event, "tag", None) is not None:
        raise UnreadableError("holds a YAML tag; write the plain value", line)
    if isinstance(event, yaml.ScalarEvent):
        return event.value if event.style else plain(event.value)
    if levels <= 0:
        raise UnreadableError(TOO_DEEP, line)
    if isinstance(event, yaml.SequenceStartEvent):
        return _sequence(events, levels - 1)
    return _mapping(events, levels - 1)


def _sequence(events: Iterator[Any], levels: int) -> list[object]:
    import yaml

    items: list[object] = []
    while not isinstance(event := next(events), yaml.SequenceEndEvent):
        items.append(_value(event, events, levels))
    return items


def _mapping(events: Iterator[Any], levels: int) -> dict[str, object]:
    import yaml

    pairs: dict[str, object] = {}
    event: Any
    while not isinstance(event := next(events), yaml.MappingEndEvent):
        line = event.start_mark.line
        if not isinstance(event, yaml.ScalarEvent):
            raise UnreadableError("has a key that is not text", line)
        _value(event, events, levels)
        if event.value in pairs:
            raise UnreadableError(f"has the key {event.value!r} twice", line)
        pairs[event.value] = _value(next(events), events, levels)
    return pairs
