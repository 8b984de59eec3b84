"""Keeps prompts and keys out of logs: libraries that write requests down when an application asks for debugging do not
do so for ours, and what an application does with the same libraries is left as it is."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_SPEAKERS = (
    "anthropic._base_client",
    "google_genai._api_client",
    "google_genai.models",
    "httpx2",
    "openai._base_client",
)
_ours: ContextVar[bool] = ContextVar("ours", default=False)


class _NotOurs(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= logging.WARNING or not _ours.get()


_FILTER = _NotOurs()


@contextmanager
def unlogged() -> Iterator[None]:
    """Inside, the libraries that talk to models log no requests."""
    for name in _SPEAKERS:
        logging.getLogger(name).addFilter(_FILTER)  # adding it again changes nothing
    token = _ours.set(True)
    try:
        yield
    finally:
        _ours.reset(token)
