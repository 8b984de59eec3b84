"""Checks of the fields of frozen dataclasses, for ``__post_init__``: what does not fit is a ``BadInput``, by name."""

from __future__ import annotations

from datetime import UTC, datetime

from scrubjay.errors import BadInput


def aware(owner: object, *names: str) -> None:
    """Turns naive datetimes in ``names`` into an error and the others into UTC."""
    for name in names:
        value = getattr(owner, name)
        if value is None:
            continue
        if not isinstance(value, datetime):
            raise BadInput(f"{name} must be a datetime, not {type(value).__name__}.")
        if value.tzinfo is None:
            raise BadInput(
                f"{name} has no time zone.", hint="Pass an aware datetime, such as datetime.now(timezone.utc)."
            )
        try:
            object.__setattr__(owner, name, value.astimezone(UTC))
        except (OverflowError, ValueError):
            raise BadInput(f"{name} lies outside the years 1 to 9999 in UTC.") from None


def typed(owner: object, kind: type | tuple[type, ...], wanted: str, *names: str) -> None:
    """Turns fields in ``names`` of any other type than ``kind`` into an error; a truth value is never a number."""
    for name in names:
        value = getattr(owner, name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise BadInput(f"{name} must be {wanted}, not {type(value).__name__}.")


def strings(owner: object, *names: str) -> None:
    """Fields that must be strings."""
    typed(owner, str, "a string", *names)


def optional_strings(owner: object, *names: str) -> None:
    """Fields that must be strings or None."""
    typed(owner, (str, type(None)), "a string or None", *names)
