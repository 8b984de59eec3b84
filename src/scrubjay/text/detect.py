"""What bytes are: text or not, in which encoding, in which script and language (R-COM-1, SM-17, F109)."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Literal

from scrubjay.text.characters import CJK, CYRILLIC, HAN, LATIN
from scrubjay.text.stopwords import ENGLISH
from scrubjay.types import Problem

Script = Literal["latin", "cyrillic", "cjk", "other"]
Language = Literal["en", "ru", "zh", "other"]

# SM-17, first tier: a file with one of these endings is text.
TEXT_SUFFIXES = frozenset(
    """
    .c .cpp .cs .go .h .hpp .java .js .jsx .kt .lua .php .pl .py .r .rb .rs .scala .sh .swift .ts .tsx .vim
    .cfg .conf .ini .json .toml .xml .yaml .yml .csv .sql .adoc .asciidoc .md .org .rdoc .rst .tex .txt
    .css .htm .html .less .sass .scss .svg .fnl .janet .nix
    """.split()
)

# Longer marks first: that of UTF-32-LE begins with that of UTF-16-LE.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LEGACY = ["cp1251", "gb18030", "big5", "shift_jis", "euc_kr", "koi8_r", "cp1252"]
_SAMPLE = 1 << 16  # bytes looked at before guessing
_NO_TEXT = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")  # as file(1) has it
_BINARY_STARTS = (b"%PDF-", b"%!PS", b"\x1f\x8b", b"PK\x03\x04", b"\x89PNG", b"GIF8", b"\xff\xd8\xff")
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_CYRILLIC_WORD = re.compile("[А-ЯЁ]?[а-яё]+|[А-ЯЁ]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_FEW = 400  # bytes above ASCII; statistics need more

_NOT_RUSSIAN = re.compile("[іїєґўјљњћђџѓќѕІЇЄҐЎЈЉЊЋЂЏЃЌЅ]")
_ACCENTED = re.compile(r"[^\x00-\x7f\u2019]")
_FOREIGN = frozenset(
    "der die das und ist nicht ein eine mit für den dem le la les des est et une dans pour pas qui que el los las una "
    "por con para del il lo gli che di per non sono och att det är som på ikke og av não uma os um em het een van niet "
    "w z na jest się nie ve bir bu için".split()
)
_LANGUAGE_SAMPLE = 20_000  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """Bytes as text. ``encoding`` is a Python codec; ``exact`` says whether ``text`` in it gives the same bytes again.

    A byte order mark is taken off, undecodable bytes (encoded surrogates too) become U+FFFD; line ends and NUL stay.
    ``problems`` says what a person should know, with lines.
    """

    text: str
    encoding: str
    exact: bool
    problems: tuple[Problem, ...] = field(default=())


def decode(data: bytes, path: str = "") -> Decoded:
    """``data`` as text, whatever it holds; ``path`` is only named in the problems. Never raises."""
    text, encoding, problems = _read(data)
    if "\0" in text:
        problems.append((_line_of(text, text.index("\0")), "holds a NUL character; it may not be text"))
    return Decoded(
        text=text,
        encoding=encoding,
        exact=_encodes_to(text, encoding, data),
        problems=tuple(Problem(path=path, line=line, message=f"Line {line} {what}.") for line, what in problems),
    )


def is_text(data: bytes, name: str = "") -> bool:
    """Whether a file called ``name`` that begins with ``data`` is text: by its ending, else by its bytes (SM-17)."""
    if PurePosixPath(name.lower()).suffix in TEXT_SUFFIXES:
        return True
    sample = data[:_SAMPLE]
    if sample.startswith(_BINARY_STARTS):
        return False
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        return True
    if b"\0" in sample:
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=len(data) <= _SAMPLE)
    except UnicodeDecodeError:
        return _NO_TEXT.search(sample) is None
    return True


def script(text: str) -> Script:
    """The script most of ``text`` is written in; a CJK character weighs as much as a few letters."""
    sample = text[:_LANGUAGE_SAMPLE]
    counts: dict[Script, int] = {
        "latin": len(re.findall(f"[{LATIN}]", sample)),
        "cyrillic": len(re.findall(f"[{CYRILLIC}]", sample)),
        "cjk": 3 * len(re.findall(f"[{CJK}]", sample)),
        "other": len(re.findall(rf"[^\W\d_{CJK}{CYRILLIC}{LATIN}]", sample)),
    }
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else "other"


def language(text: str) -> Language:
    """A cheap guess by script, function words and letters; good enough to choose words and wording."""
    sample = text[:_LANGUAGE_SAMPLE]
    match script(sample):
        case "cjk":
            return "zh" if len(re.findall(f"[{HAN}]", sample)) > 0.9 * len(re.findall(f"[{CJK}]", sample)) else "other"
        case "cyrillic":
            return "other" if _NOT_RUSSIAN.search(sample) else "ru"
        case "latin":
            return "en" if _is_english(sample) else "other"
        case _:
            return "other"


def _is_english(sample: str) -> bool:
    words = [word.lower() for word in re.findall(f"[{LATIN}'’]+", sample)]
    english = sum(word in ENGLISH for word in words)
    foreign = sum(word in _FOREIGN for word in words)
    accented = sum(_ACCENTED.search(word) is not None for word in words)
    return english >= foreign and (accented == 0 or english + len(words) // 4 >= 2 * accented)


def _read(data: bytes) -> tuple[str, str, list[tuple[int, str]]]:
    for mark, encoding in _MARKS:
        if data.startswith(mark) and (encoding != "utf-16" or len(data) % 2 == 0):
            return _replaced(data, encoding)
    if encoding := _unmarked_utf16(data):
        return _replaced(data, encoding)
    try:
        return data.decode("utf-8"), "utf-8", []
    except UnicodeDecodeError as error:
        first_bad = error.start
    text, legacy = _with_surrogates(data), None
    if text is None:
        text = data.decode("utf-8", "replace")
        bad = text.count("\ufffd")
        good = len(text) - bad - len(re.findall(r"[\x00-\x7f]", text))
        legacy = None if good >= bad else _guess(data, first_bad)
    if legacy is None:
        line = data.count(b"\n", 0, first_bad) + 1
        return text, "utf-8", [(line, "has bytes that are not UTF-8; they were replaced")]
    return data.decode(legacy, "replace"), legacy, [(1, f"is not in UTF-8; the file was read as {legacy}")]


def _replaced(data: bytes, encoding: str) -> tuple[str, str, list[tuple[int, str]]]:
    text = data.decode(encoding, "replace")
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return text, encoding, [(_line_of(text, text.find("\ufffd")), f"has bytes that are not {encoding}")]
    return text, encoding, []


def _with_surrogates(data: bytes) -> str | None:
    """What is UTF-8 but for encoded surrogates, with these replaced; else ``None``."""
    try:
        return _SURROGATE.sub("\ufffd", data.decode("utf-8", "surrogatepass"))
    except UnicodeDecodeError:
        return None


def _unmarked_utf16(data: bytes) -> str:
    """UTF-16 without a mark shows as a NUL in every other byte, as long as it is mostly ASCII."""
    sample = data[: _SAMPLE // 2 * 2]
    if len(sample) < 4 or len(sample) % 2:
        return ""
    half = len(sample) // 2
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if odd > 0.4 * half and even < 0.1 * half:
        return "utf-16-le"
    return "utf-16-be" if even > 0.4 * half and odd < 0.1 * half else ""


def _guess(data: bytes, first_bad: int) -> str | None:
    """The likeliest old encoding, or ``None`` if the bytes look like none."""
    start = max(0, first_bad - _SAMPLE // 4)
    sample = data[start : start + _SAMPLE]
    if brief := _guess_brief(sample):
        return brief
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=_LEGACY, enable_fallback=False).best()
    return best.encoding if best else None


def _guess_brief(sample: bytes) -> str | None:
    """For a few words, where statistics fail: single accents in ASCII, Cyrillic small letters, common Chinese."""
    runs = _HIGH_RUN.findall(sample)
    high = b"".join(runs)
    if not 0 < len(high) <= _FEW:
        return None
    if len(high) < 1.5 * len(runs) and _decodes(sample, "cp1252"):
        return "cp1252"
    if all(byte >= 0xC0 or byte in b"\xa8\xb8" for byte in high):
        for encoding in ("cp1251", "koi8_r"):  # the same letters, with capitals and small ones the other way round
            if all(_CYRILLIC_WORD.fullmatch(run.decode(encoding)) for run in runs):
                return encoding
    leads = high[::2]
    if sum(0xB0 <= byte <= 0xD7 for byte in leads) > 0.7 * len(leads) and _decodes(sample, "gb18030"):
        return "gb18030"
    return None


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _encodes_to(text: str, encoding: str, data: bytes) -> bool:
    try:
        return text.encode(encoding) == data
    except UnicodeEncodeError:
        return False


def _line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, max(offset, 0)) + 1
