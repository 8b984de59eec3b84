"""Fields of records that somebody else wrote: whatever stands there, what comes out has the type that was asked for.

A wrong type reads as absent. Half of a surrogate pair and NUL become U+FFFD, because neither can be stored.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from typing import Any

from scrubjay.errors import BadInput
from scrubjay.ids import derived_id
from scrubjay.temporal import parse_time

LONGEST_ID = 200  # characters; a longer one is replaced by a digest of it
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_NUMBER = re.compile(r"\d{9,16}(?:\.\d{1,9})?")
_SPACES = re.compile(r"\s+")


def parse(line: str | bytes) -> Any:
    """The JSON value in ``line``. Raises ``BadInput`` for anything that is none, however deep or large."""
    try:
        return json.loads(line)
    except RecursionError:
        raise BadInput("is nested too deeply") from None
    except ValueError as error:
        raise BadInput(f"is not JSON: {error}") from None


def mapping(value: Any) -> dict[str, Any]:
    """``value`` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def listing(value: Any) -> list[Any]:
    """``value`` if it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def text(value: Any) -> str:
    """``value`` if it is a string, made storable, else an empty one."""
    if not isinstance(value, str):
        return ""
    if value.isascii():  # known without looking; most of what is read is
        return value.replace("\0", "\ufffd")
    return _UNSTORABLE.sub("\ufffd", value)


def first(record: Mapping[str, Any], *keys: str) -> str:
    """The first of ``keys`` that holds a string which is not blank."""
    for key in keys:
        found = text(record.get(key))
        if found and not found.isspace():
            return found
    return ""


def flag(record: Mapping[str, Any], key: str) -> bool:
    """Whether ``key`` is plainly true."""
    return record.get(key) is True


def identifier(value: Any) -> str:
    """``value`` as an id: a string or whole number, of bearable length; empty where there is none."""
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 64:
        return str(value)
    found = text(value).strip()
    return derived_id(found) if len(found) > LONGEST_ID else found


def moment(value: Any, zone: tzinfo) -> datetime | None:
    """``value`` as a time: ISO 8601, or Unix seconds or milliseconds as a number or in digits; else ``None``.

    A time without a zone is read in ``zone``.
    """
    if isinstance(value, str):
        stamp = value.strip()
        if len(stamp) > 64:
            return None
        if stamp[10:11] == "T" and stamp.endswith("Z"):  # as nearly every record has it
            with suppress(ValueError):
                return _told(datetime.fromisoformat(stamp))
        if not _NUMBER.fullmatch(stamp):
            try:
                return _told(parse_time(stamp, zone=zone))
            except BadInput:
                return None
        value = float(stamp)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        seconds = float(value)
        if not math.isfinite(seconds) or seconds <= 0:
            return None
        return datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None


def _told(found: datetime) -> datetime | None:
    """``found``, unless it is in year 1, which programs write for a time that they do not have."""
    return found if found.year > 1 else None


def title(value: Any, width: int = 120) -> str:
    """``value`` as a heading: one line of at most ``width`` characters."""
    line = _SPACES.sub(" ", text(value)[: 20 * width]).strip()
    return line if len(line) <= width else line[: width - 1].rstrip() + "…"
