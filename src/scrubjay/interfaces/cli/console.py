"""The streams of a process, whatever encoding they claim to have (F109)."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from scrubjay.errors import BadInput, NotFound, Unavailable

# What json leaves as it is although a terminal might obey it: C1 controls, and characters without a shape of their own.
_UNSAFE = (
    "[\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)


def prepare() -> None:
    """Makes the standard streams unable to fail over a character: what cannot be shown is written as its number."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


# Signs of our own for consoles that cannot show them.
_PLAINER = str.maketrans({"→": "->", "│": "|", "─": "-", "…": "...", "–": "-", "·": "-", "“": '"', "”": '"', "‹": "<"})


def write(text: str) -> None:
    """Prints ``text``, which must be safe to show, to stdout; colours are taken out unless it is a terminal."""
    click.echo(shown_on(sys.stdout, text), color=colours(sys.stdout))


def shown_on(stream: Any, text: str) -> str:
    """``text`` with plainer signs in place of those that the encoding of ``stream`` lacks."""
    if text.isascii():
        return text
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAINER)
    return text


def flush() -> None:
    """Sends on what was printed. Raises ``OSError`` when it cannot be."""
    if sys.stdout is not None:
        sys.stdout.flush()


def write_error(text: str) -> None:
    """Prints a message to stderr, made safe to show."""
    from scrubjay.interfaces.render.plain import block

    click.echo(shown_on(sys.stderr, block(text)), err=True)


def write_json(value: dict[str, Any]) -> None:
    """Prints one JSON object to stdout; in ASCII where the stream is not UTF-8, so that it can be read anyway."""
    import json
    import re

    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "").replace("_", "")
    text = json.dumps(value, ensure_ascii=encoding != "utf8", indent=2 if is_terminal(sys.stdout) else None)
    click.echo(re.sub(_UNSAFE, lambda found: json.dumps(found.group())[1:-1], text))


def read_stdin() -> str:
    """All of stdin as text, whatever its encoding. Raises ``BadInput`` when it is not text."""
    if sys.stdin is None:
        return ""
    return decode(sys.stdin.buffer.read(), "stdin")


def read_file(path: str) -> str:
    """The text of the file at ``path``, whatever its encoding. Raises ``NotFound``, ``BadInput``, ``Unavailable``."""
    from pathlib import Path

    try:
        return decode(Path(path).expanduser().read_bytes(), path)
    except FileNotFoundError:
        raise NotFound(f"There is no file {path}.", hint="Check the path.") from None
    except IsADirectoryError:
        raise BadInput(f"{path} is a folder, not a file.", hint="Name the file that holds the text.") from None
    except OSError as error:
        raise Unavailable(f"{path} cannot be read: {error.strerror}.", hint="Check its permissions.") from None


def decode(data: bytes, name: str) -> str:
    """``data`` as text, in the encoding that fits all of it; ``name`` says whose bytes they are.

    Raises ``BadInput`` when there is none, or when they are no text: half of a text must not pass for it (F109).
    """
    from scrubjay.text import detect

    found = detect.decode(data)
    lossy = not found.exact and "\ufffd" in found.text
    binary = "\0" in found.text or not (found.encoding.startswith("utf") or detect.is_text(data))
    if lossy or binary:
        raise BadInput(f"{name} is not text that can be kept as it is.", hint="Save it as UTF-8 text.")
    return found.text


def typed(text: str, name: str) -> str:
    """What was typed on the command line as text: bytes that were not in the terminal's encoding are decoded."""
    if not any("\ud800" <= letter <= "\udfff" for letter in text):
        return text
    try:
        return decode(os.fsencode(text), name)
    except UnicodeEncodeError:
        raise BadInput(f"{name} holds half of a character.", hint="Type it as UTF-8 text.") from None


def columns() -> int:
    """How wide text may be: the terminal's width, 80 where there is none, never absurd."""
    import shutil

    return max(40, min(shutil.get_terminal_size((80, 24)).columns, 120))


def colours(stream: Any) -> bool:
    """Whether ``stream`` is a terminal that wants colours."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def is_terminal(stream: Any) -> bool:
    """Whether somebody sees what is written to ``stream``, which is ``None`` where it was closed from the start."""
    return stream is not None and bool(stream.isatty())


def asks() -> bool:
    """Whether somebody is there to answer a question."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def converses() -> bool:
    """Whether somebody reads what is printed and answers: all three streams are a terminal."""
    return asks() and is_terminal(sys.stdout)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Lets Ctrl-C wait while something short is finished, or while an editor has the terminal and takes it itself."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # Not SIG_IGN, which a program that is started meanwhile would inherit.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
