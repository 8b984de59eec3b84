"""What a text says that a memory says too, and what it says differently (F15, F16, F20 … F23).

Similarity is blind to a digit, a date, an identifier or a "not". So only the very same wording counts as known, and of
statements that share their words each difference of that kind is named.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from scrubjay.text import markdown
from scrubjay.text.characters import UNSPACED, compatible
from scrubjay.text.plain import bare_heading
from scrubjay.text.polarity import NEGATIONS, Stance, stance
from scrubjay.text.stopwords import STOP_WORDS

LONG_ENOUGH = 200
"""Characters from which on the same text below another title is no coincidence."""

SHORT = 300
"""Characters up to which a whole text is one statement, to be looked for by its words."""

SHOWN = 5
_MOST_STATEMENTS = 400
_SAME_WORDS = 0.75
_SOME_WORDS = 0.25
_QUOTED = 90

_VERBATIM = frozenset({"fence", "code", "html", "comment"})
_HEADING = "# "
_FIRST_HEADING = re.compile(r"\s*(?:#{1,6}[ \t][^\r\n]*|[^\r\n]+\r?\n[ \t]*(?:=+|-+)[ \t]*)(?:\r?\n|\Z)")
_HASHES = re.compile(r"^#{1,6}(?=[ \t])", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？；])|[\r\n]+")
_LEAD = re.compile(r"(?:[#>*+|-]+|\d{1,3}[.)])\s+")
_TOKEN = re.compile(
    rf"[{UNSPACED}]+|`[^`\n]+`|--?[A-Za-z][\w-]*|[^\W{UNSPACED}](?:[\w.:/@+-]*[^\W{UNSPACED}])?[%°]?|-\d[\d.]*"
)
_NUMBER = re.compile(r"v?\d[\w.:/-]*")
_NUMERIC = re.compile(r"[v-]?\d")
_ANY_DIGIT = re.compile(r"\d")
_UNSPACED_NEGATIONS = sorted((word for word in NEGATIONS if re.match(f"[{UNSPACED}]", word)), key=len, reverse=True)
_MARKS = ".,;:!?\"'()[]*_`«»“”"
_SHORTEST = 8
_CODE_NAME = re.compile(r"\d|_|[a-z][A-Z]|^[A-Z]{2,}$|[^\W\d]\.[^\W\d]|/|^-|^`")


@dataclass(frozen=True, slots=True)
class Wording:
    """A text as a sequence of blocks, layout aside: headings (their words), paragraphs, items, code; a memory has a
    title above."""

    title: str
    blocks: tuple[str, ...]

    @property
    def full(self) -> tuple[str, ...]:
        """The blocks with the title as the first heading."""
        return (_HEADING + self.title, *self.blocks) if self.title else self.blocks

    def same(self, other: Wording) -> bool:
        """Whether both say exactly the same; short texts below different headings do not.

        A title that somebody gave a memory makes no difference, nor does one that its text repeats.
        """
        if not self.blocks or not other.full:
            return False
        if self.blocks in (other.blocks, other.full) or other.blocks == self.full:
            return True
        mine, theirs = _below(self.full), _below(other.full)
        return mine == theirs and sum(map(len, mine)) >= LONG_ENOUGH

    def holds(self, other: Wording) -> bool:
        """Whether every block of ``other`` stands here, one after another."""
        return bool(other.blocks) and _joined(other.blocks) in _joined(self.full)


def wording(title: str, text: str) -> Wording:
    """The wording of ``text`` (no frontmatter) below ``title``, which may be empty."""
    return Wording(bare_heading(unicodedata.normalize("NFC", title)), tuple(_blocks(text)))


def in_one_line(text: str) -> str:
    """``text`` in one line, headings of all levels alike: what has the same wording has the same, and little else.

    Cheap, to find what ``Wording`` then compares.
    """
    text = text if text.isascii() else unicodedata.normalize("NFC", text)
    return " ".join((_HASHES.sub("#", text) if "#" in text else text).split())


def below_heading(text: str) -> str:
    """``text`` without a heading that begins it."""
    heading = _FIRST_HEADING.match(text)
    return text[heading.end() :] if heading else text


class Statements:
    """The sentences, items and lines of a text by their words. Each view is made when it is first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def all(self) -> Sequence[Statement]:
        """The statements in order, at most 400."""
        found: list[Statement] = []
        for part in _SENTENCE.split(compatible(self.text)):
            if len(found) >= _MOST_STATEMENTS:
                break
            said = _LEAD.sub("", part.strip(), count=1).strip("| ")
            if said:
                found.append(_statement(said))
        return found

    @cached_property
    def texts(self) -> frozenset[str]:
        """The statements as they are written."""
        return frozenset(statement.text for statement in self.all)

    @cached_property
    def skeletons(self) -> Mapping[str, tuple[str, bool, Sequence[str]]]:
        """Each statement without its numbers and negations, with how it is written, its sign and its numbers."""
        found: dict[str, tuple[str, bool, Sequence[str]]] = {}
        for part in _SENTENCE.split(self.text)[:_MOST_STATEMENTS]:
            if len(part) <= _SHORTEST:
                continue
            lowered = part.casefold()
            numbers = _NUMBER.findall(lowered) if _ANY_DIGIT.search(lowered) else ()
            skeleton, negative = _without_signs(_NUMBER.sub("0", lowered) if numbers else lowered)
            if len(skeleton) > _SHORTEST:
                found.setdefault(skeleton, (part.strip(), negative, numbers))
        return found

    @cached_property
    def core(self) -> frozenset[str]:
        """The words and names of a short text, without numbers and what turns it round; none for a long one."""
        if len(self.text) > SHORT:
            return frozenset()
        whole = " ".join(statement.text for statement in self.all)
        names = (mark.casefold() for statement in self.all for mark in statement.marks)
        return frozenset(word for word in (*stance(whole).core, *names) if not _NUMERIC.match(word))

    def near(self, statement: Statement) -> Iterator[tuple[float, Statement]]:
        """Statements that share words with ``statement``: the share of all their words, best first."""
        counts = Counter(place for word in statement.words for place in self._places.get(word, ()))
        size = len(statement.words)
        shares = [(shared / (size + len(self.all[place].words) - shared), place) for place, shared in counts.items()]
        for share, place in sorted(shares, key=lambda item: (-item[0], item[1])):
            yield share, self.all[place]

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for place, statement in enumerate(self.all):
            for word in statement.words:
                places.setdefault(word, []).append(place)
        return places


@dataclass(frozen=True)
class Statement:
    """One sentence, item or line: its plain words, and its ``marks``: numbers, dates, names."""

    text: str
    words: frozenset[str]
    marks: tuple[str, ...]

    @cached_property
    def stance(self) -> Stance:
        return stance(self.text)


def differences(new: Statements, known: Statements, title: str) -> tuple[str, ...]:
    """Sentences that name what ``new`` says differently from the memory called ``title``; empty without any.

    Statements are compared that share most of their words, or some and have the opposite meaning.
    """
    found: list[str] = []
    for statement in new.all:
        difference = _difference(statement, known, title)
        if difference and difference not in found:
            found.append(difference)
    return _shortened(found, title)


def plain_differences(new: Statements, known: Statements, title: str) -> tuple[str, ...]:
    """The same for statements that differ in nothing but numbers and negations: a look-up each, for large plans."""
    found: list[str] = []
    there = known.skeletons
    for skeleton, (text, negative, numbers) in new.skeletons.items():
        other = there.get(skeleton)
        if other is None or (negative, numbers) == other[1:] or text in known.text:
            continue
        if negative != other[1]:
            found.append(f"“{title}” says the opposite: {_quoted(other[0])}")
        else:
            here, before = _apart(numbers, other[2])
            found.append(f"“{title}” says {before or 'it'} where this says {here or 'it'}: {_quoted(text)}")
    return _shortened(found, title)


def _shortened(found: list[str], title: str) -> tuple[str, ...]:
    if len(found) > SHOWN:
        found[SHOWN:] = [f"{len(found) - SHOWN} more differences from “{title}”."]
    return tuple(found)


def _difference(statement: Statement, known: Statements, title: str) -> str:
    if statement.text in known.texts:
        return ""
    closest = ""
    for share, other in known.near(statement):
        if share < _SOME_WORDS:
            break
        if statement.stance.opposes(other.stance):
            return f"“{title}” says the opposite: {_quoted(other.text)}"
        if share >= _SAME_WORDS:
            here, there = _apart(statement.marks, other.marks)
            if not (here or there):
                return ""
            if here and there and not closest:
                closest = f"“{title}” says {there} where this says {here}: {_quoted(statement.text)}"
    return closest


def _apart(new: Sequence[str], old: Sequence[str]) -> tuple[str, str]:
    """The marks that only one side has, each side as text."""
    here, there = Counter(new), Counter(old)
    return ", ".join((here - there).elements()), ", ".join((there - here).elements())


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return f"“{line if len(line) <= _QUOTED else line[: _QUOTED - 1] + '…'}”"


def _without_signs(text: str) -> tuple[str, bool]:
    """``text`` in one line without negations, and whether their number is odd."""
    words = text.split()
    kept = [word for word in words if word.strip(_MARKS) not in NEGATIONS]
    signs = len(words) - len(kept)
    line = " ".join(kept)
    if not line.isascii():
        for word in _UNSPACED_NEGATIONS:
            if word in line:
                signs += line.count(word)
                line = line.replace(word, "")
    return line, signs % 2 == 1


def _statement(text: str) -> Statement:
    words: set[str] = set()
    marks: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        if _UNSPACED_START.match(token):
            words.update(_pairs(token))
        elif _CODE_NAME.search(token) or (match.start() and token[0].isupper()):
            marks.append(token.strip("`"))
        else:
            words.update(
                word for word in token.casefold().split("-") if word not in STOP_WORDS and word not in NEGATIONS
            )
    return Statement(text, frozenset(words), tuple(marks))


_UNSPACED_START = re.compile(f"[{UNSPACED}]")


def _pairs(run: str) -> Iterator[str]:
    bare = "".join(letter for letter in run if letter not in NEGATIONS)
    yield from (bare[place : place + 2] for place in range(max(1, len(bare) - 1)))


def _blocks(text: str) -> Iterator[str]:
    text = unicodedata.normalize("NFC", text)
    found = markdown.structure(text, 0)
    titles = {heading.line - 1: heading.title for heading in found.headings}
    ends = [*found.blocks[1:], len(found.kinds)][: len(found.blocks)]
    for first, last in zip(found.blocks, ends, strict=True):
        if first in titles:
            yield _HEADING + bare_heading(titles[first])
            continue
        source = text[found.starts[first] : found.starts[last]]
        if found.kinds[first] in _VERBATIM or _VERBATIM & set(found.kinds[first:last]):
            yield "\n".join(line.rstrip() for line in source.strip("\r\n").splitlines()).rstrip()
        else:
            yield " ".join(source.split())


def _below(blocks: Sequence[str]) -> Sequence[str]:
    return blocks[1:] if blocks[0].startswith(_HEADING) else blocks


def _joined(blocks: Sequence[str]) -> str:
    return "\x00" + "\x00".join(blocks) + "\x00"
