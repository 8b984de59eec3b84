"""What callers hand over, checked before anything is done: a wrong type is a ``BadInput`` that names the argument."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, tzinfo
from pathlib import Path
from typing import Any, cast

from scrubjay.errors import BadInput
from scrubjay.temporal import parse_time
from scrubjay.types import LAYERS, Layer, Session, Source

Moment = datetime | date | str


def string(value: Any, name: str) -> str:
    """``value`` if it is a string."""
    if not isinstance(value, str):
        raise _wrong(name, "a string", value)
    return value


def optional_string(value: Any, name: str) -> str | None:
    """``value`` if it is a string or ``None``."""
    return None if value is None else string(value, name)


def text(value: Any, name: str = "text") -> str:
    """``value`` if it is a string that says something."""
    if not string(value, f"The {name}").strip():
        raise BadInput(f"The {name} is empty.")
    return str(value)


def name(value: Any, argument: str) -> str:
    """``value`` if it can be an id or a name: a string with something in it."""
    if not string(value, argument).strip():
        raise BadInput(f"{argument} is empty.", hint="Give an id, a file name or a path.")
    return str(value)


def strings(values: Any, name: str) -> tuple[str, ...]:
    """Strings from one or several, each once; a single string may hold several parted by commas."""
    if isinstance(values, str):
        values = values.split(",")
    if isinstance(values, bytes | Mapping) or not isinstance(values, Iterable):
        raise _wrong(name, "a list of strings", values)
    return tuple(dict.fromkeys(each.strip() for each in [string(value, name) for value in values] if each.strip()))


def optional_strings(values: Any, name: str) -> tuple[str, ...] | None:
    """The same, where ``None`` stands for no choice."""
    return None if values is None else strings(values, name)


def layers(values: Any, name: str) -> frozenset[Layer]:
    """The layers asked for, all of them for ``None``."""
    chosen = frozenset(LAYERS) if values is None else frozenset(strings(values, name))
    return cast("frozenset[Layer]", chosen)  # Query says which are unknown


def number(value: Any, name: str) -> float:
    """``value`` if it is a number; a truth value is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(name, "a number", value)
    return value


def whole(value: Any, name: str) -> int:
    """``value`` if it is a whole number from 1 on."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong(name, "a whole number", value)
    if value < 1:
        raise BadInput(f"{name} must be at least 1, not {value}.")
    return value


def moment(value: Any, name: str, *, zone: tzinfo) -> datetime | None:
    """An aware moment from a datetime, a date (its first instant) or ISO text; without a zone it is in ``zone``."""
    if value is None:
        return None
    if isinstance(value, str):
        try:
            return parse_time(value, zone=zone)
        except OverflowError:
            raise BadInput(f"{name} lies outside the years 1 to 9999: {value!r}.") from None
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=zone)
    if isinstance(value, date):
        return datetime.combine(value, time(), tzinfo=zone)
    raise _wrong(name, "a datetime, a date or ISO 8601 text", value)


def path(value: Any, name: str) -> Path:
    """``value`` as a path if it is a string or a path."""
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        raise _wrong(name, "a path", value)
    if "\0" in os.fspath(value):
        raise BadInput(f"{name} holds a NUL character, which no path can.")
    return Path(value)


def sessions(value: Any, name: str) -> Session | Path | list[Session]:
    """A session, sessions, or the path of a file of them."""
    if isinstance(value, Session):
        return value
    if isinstance(value, str | os.PathLike):
        return path(value, name)
    wanted = "a Session, a list of them or a path"
    if isinstance(value, bytes | Mapping) or not isinstance(value, Iterable):
        raise _wrong(name, wanted, value)
    found = list(value)
    for each in found:
        if not isinstance(each, Session):
            raise BadInput(f"{name} must be {wanted}, not a list with {_kind(each)}.")
    return found


def source(value: Any, name: str) -> Source:
    """``value`` if it is a ``Source``; ``None`` stands for the user."""
    if value is None:
        return Source()
    if not isinstance(value, Source):
        raise _wrong(name, "a Source", value)
    return value


def mapping(value: Any, name: str) -> Mapping[str, object]:
    """``value`` if it maps something; ``None`` stands for nothing."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise _wrong(name, "a mapping of settings to values", value)
    return value


def zone(value: Any, name: str) -> None:
    """Raises unless ``value`` is a time zone or ``None``."""
    if value is not None and not isinstance(value, tzinfo):
        raise BadInput(
            f"{name} must be a tzinfo, not {_kind(value)}.", hint='Pass one such as zoneinfo.ZoneInfo("Europe/Riga").'
        )


def model(value: Any, name: str, *needs: str) -> None:
    """Raises unless ``value`` is ``None`` or has all attributes in ``needs``."""
    missing = [each for each in needs if value is not None and not hasattr(value, each)]
    if missing:
        raise BadInput(
            f"{name} lacks {', '.join(missing)}: {_kind(value)} cannot be used as one.",
            hint=f"See scrubjay.ports for what an {name} must offer.",
        )


def _wrong(name: str, wanted: str, value: object) -> BadInput:
    return BadInput(f"{name} must be {wanted}, not {_kind(value)}.")


def _kind(value: object) -> str:
    return type(value).__name__
