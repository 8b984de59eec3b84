"""What a person would call a passage, and what it says in a line (SM-19, SM-20).

A title is the heading, or the names of functions and classes, or the first sentence. What tells it from others comes
first, because lists and file names show the beginning; what it stands in (a wider heading, a file) follows in brackets
where it says too little by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from scrubjay.text.analyze import stem
from scrubjay.text.characters import CJK
from scrubjay.text.graphemes import cut_before
from scrubjay.text.plain import first_sentence, plain_line, shortened, without_comments
from scrubjay.text.segment.aligned import Passage
from scrubjay.text.terms import key_terms

SUMMARY = 60
"""Characters of the summary of a text that is small enough to be one segment (SM-20)."""

LONGER_SUMMARY = 100
TITLE = 80
TERMS = 5
FEWEST_TERMS = 3

_LOOKED_AT = 20_000  # characters of a passage, for its first sentence
_ENOUGH = 300  # characters of running text, which hold that sentence

_SKIPPED_LINE = re.compile(
    r"\s*(?:$|[A-Z][a-z]+ \d{1,2}, \d{4} by |[-=*_#~`^+|:.\s]+$|```|~~~|:::|<[!/a-zA-Z]|\{[%/]|!\[|\[!\["
    r"|[^\w\s]*[─-╿▀-▟]|(?:[^\W_]\s+){3}|\[[^\]]+\]:\s|import\s.+from\s|export\s|\|[\s:|-]+$"
    r"|\.\. |#!|@|[}\])>;,]+$|\{+$|</?\w+>$)"
)
"""Lines that say nothing: bylines, rules, boxes, spaced letters, fences, tags, images, link definitions, brackets."""

_TABLE_RULE = frozenset("|-: \t")
_TABLE_OR_LIST = re.compile(r"\s*(?:\||[-*+]\s|\d+[.)]\s)")
_COMMENT_MARKS = re.compile(
    r"^\s*(?:///?!?|/\*\*?|\*/|\*(?=\s|$)|#+!?|--+\[?\[?|;+|%+|<!--|\(\*|[rRuUbBfF]{0,2}(?:\"\"\"|'''))\s?"
    r"|(?<!\s)\s*+(?:\*/|\"\"\"|'''|-->|\]\])\s*$"
)
_IMPORT = re.compile(r"\s*(?:from\s+\S+\s+import\b|(?:import|package|using|use|namespace|require)\b|#\s*include\b)")
_RULE = re.compile(r"[-=*#~─]{4}")
_CLOSING_MARKS = {'"""': '"""', "'''": "'''", "/*": "*/", "<!--": "-->", "--[[": "]]"}
_BLOCK_COMMENT = re.compile(r"\s*[rRuUbBfF]{0,2}(\"\"\"|'''|/\*|<!--|--\[\[)")
_LICENSE = re.compile(
    r"copyright|licen[sc]e|spdx|all rights reserved|coding[:=]|@|eslint|noqa|pylint|pragma|vim:|-\*-|<\?php|^use strict"
    r"|^(?:fmt|type|ruff|todo):|^(?:end)?region",
    re.IGNORECASE,
)
_LITTLE, _LITTLE_CJK = 2, 5
"""Words and Chinese characters up to which a heading may say too little."""

_CJK = re.compile(f"[{CJK}]")
_CODE_NAME = re.compile(r"[a-z][A-Z]|\w[._]\w|[()<>]")
_BRIEF = 20  # columns; a sentence such as “Note!” takes the next one along

_NUMBERED = re.compile(
    r"^(?:\d+(?:\.\d+)*[.)、．]?|[IVX]+\.|[一二三四五六七八九十]+[、.．]|第[一二三四五六七八九十\d]+[章节]|[①-⑳]|Q\d*[:：.])\s+"
    r"|^(?:[一二三四五六七八九十]+、|第[一二三四五六七八九十\d]+[章节]|\d+[、．])"
)


def title_of(passage: Passage, *, code: bool, file: str, document: str = "", alone: bool = False) -> str:
    """The title. ``document`` is that of the whole document, ``file`` its path; ``alone`` for the only segment of a
    file."""
    own = _code_title(passage, file, alone) if code else _prose_title(passage, document, alone)
    if not own and file:
        own = f"{base(file)}, lines {passage.line}–{passage.last_line}"
    return shortened(own or "Untitled", TITLE)


def summary_of(passage: Passage, *, code: bool, title: str, bypass: bool = False) -> str:
    """One line: the first line or its first 60 characters for a whole small text, else the first sentence below the
    heading, up to 100 characters."""
    if bypass:
        line = _first_line(passage.text, code=code)
        return line[: cut_before(line, SUMMARY)].rstrip() or title
    return shortened(_first_said(passage.text, code=code), LONGER_SUMMARY) or title


def terms_of(text: str, title: str, *, code: bool = False) -> tuple[str, ...]:
    """Three to five key terms, none of them a form of another; short words where there are no others."""
    terms: dict[str, str] = {}
    for term in key_terms(text, 3 * TERMS, code=code):
        terms.setdefault(stem(term), term)
    ranked = list(terms.values())
    found = [term for place, term in enumerate(ranked) if not _is_part(term, ranked[: place + 2])][:TERMS]
    if len(found) < FEWEST_TERMS:
        for word in _short_words(f"{title}\n{text[:2000]}"):
            if len(found) < FEWEST_TERMS and stem(word) not in terms:
                terms[stem(word)] = word
                found.append(word)
    return tuple(found)


def _is_part(term: str, others: Sequence[str]) -> bool:
    """Whether ``term`` is half of a name among ``others``, as script is of typescript."""
    return term.isascii() and any(term != other and term in other and other.isalpha() for other in others)


# --- prose --------------------------------------------------------------------------------------------------------


def _prose_title(passage: Passage, document: str, alone: bool) -> str:
    above = [_heading(title) for title in passage.headings]
    names = [name for name in map(_heading, passage.names) if name]
    own = above[-1] if above else document
    if not own:
        return _listed(names) or _first_said(passage.text, code=False).rstrip(".。")
    if alone and document:
        return document
    inside = [name for name in names if name not in above and name != own]
    if inside and names[0] != own:
        return within(_listed(inside, TITLE - len(own) - 3), own)
    title = own
    if passage.part > 1:
        title = f"{own} ({passage.part})"
        said = _first_said(passage.text, code=False, lines=False).rstrip(".。:：")
        if said:
            return f"{title}: {said}"
    wider = next((name for name in reversed(above[:-1]) if name != own and not _says_little(name)), document)
    return within(title, wider) if wider and wider != own and _says_little(own) else title


def within(title: str, wider: str) -> str:
    """``title (wider)`` in at most 80 characters, with the wider one shortened first."""
    room = max(TITLE // 3, TITLE - len(title) - 3)
    return f"{shortened(title, TITLE - min(room, len(wider)) - 3)} ({shortened(wider, room)})"


def _listed(names: Sequence[str], room: int = TITLE) -> str:
    """``one, two, three`` as far as there is room, one at least."""
    shown: list[str] = []
    for name in names:
        if shown and sum(map(len, shown)) + 2 * len(shown) + len(name) > room:
            break
        shown.append(name)
    return ", ".join(shown)


def _heading(title: str) -> str:
    return _NUMBERED.sub("", plain_line(title)).rstrip(" :：#") or plain_line(title)


def _says_little(heading: str) -> bool:
    """Whether a heading needs the one above it: one of a word or two, such as “Usage” or “总结”."""
    if _CJK.search(heading):
        return len(_CJK.findall(heading)) <= _LITTLE_CJK and len(heading.split()) <= _LITTLE
    return len(heading.split()) <= _LITTLE and not _CODE_NAME.search(heading)


def _first_line(text: str, *, code: bool) -> str:
    """The first line that says something, headings too."""
    if code:
        return next(_code_lines(text), "")
    lines = without_comments(text[:_LOOKED_AT]).split("\n")
    said = (plain_line(line) for line in lines if not _SKIPPED_LINE.match(line))
    return next(filter(None, said), "") or next(filter(None, map(plain_line, lines)), "")


def _first_said(text: str, *, code: bool, lines: bool = True) -> str:
    """The first sentence, more of them where it is very short; of a text without running text the first item or row,
    else the first heading, unless ``lines`` count for nothing."""
    if code:
        return first_sentence(next(_code_lines(text), ""))
    paragraphs, items, headings = _paragraphs(text)
    said = ""
    for paragraph in paragraphs:
        rest = paragraph
        while rest and _columns(said) < _BRIEF:
            sentence = first_sentence(rest)
            said += sentence if not said or said[-1] in "。！？" else f" {sentence}"
            rest = rest[len(sentence) :].strip()
    if said or not lines:
        return said
    return next(filter(None, map(first_sentence, items)), "") or next(filter(None, headings), "")


def _columns(text: str) -> int:
    return len(text) + len(_CJK.findall(text))


def _paragraphs(text: str) -> tuple[list[str], list[str], list[str]]:
    """The first paragraphs, items and rows, and headings, each as one plain line."""
    paragraphs, items, headings = [""], [""], [""]
    here = paragraphs  # where a line without a mark of its own goes on
    fence, room = "", _ENOUGH
    for source in without_comments(text[:_LOOKED_AT]).split("\n"):
        line = source.strip()
        if fence:
            fence = "" if line.startswith(fence) else fence
            continue
        if line.startswith(("```", "~~~")):
            fence = line[:3]
        if _SKIPPED_LINE.match(source):
            if items[-1] and "|" in line and _TABLE_RULE.issuperset(line):
                items.pop()  # the names of the columns
            here = paragraphs
            paragraphs.append("")
            continue
        begun = headings if line.startswith("#") else items if _TABLE_OR_LIST.match(source) else None
        if begun is not None:
            begun.append("")
            paragraphs.append("")
        here = begun or here
        shown = plain_line(source)
        here[-1] = f"{here[-1]} {shown}".strip()
        here = paragraphs if here is headings else here
        room -= len(shown)
        if room < 0:
            break
    return [line for line in paragraphs if line], items, headings


# --- code ---------------------------------------------------------------------------------------------------------


def _code_lines(text: str) -> Iterator[str]:
    """The paragraphs of the comments and documentation, then the lines of code."""
    comment: list[str] = []
    code: list[str] = []
    closing = ""
    for source in text[:_LOOKED_AT].split("\n"):
        opening = _BLOCK_COMMENT.match(source)
        bare = _COMMENT_MARKS.sub("", _COMMENT_MARKS.sub("", source), count=1).strip()
        if closing or opening or bare != source.strip():
            if any(map(str.isalpha, bare)) and not _LICENSE.search(bare) and not _RULE.search(bare):
                comment.append(_code_line(bare))
            elif comment:
                yield " ".join(comment)
                comment = []
        else:
            if comment:
                yield " ".join(comment)
                comment = []
            if not (_SKIPPED_LINE.match(source) or _IMPORT.match(source)) and any(map(str.isalpha, source)):
                code.append(_code_line(source))
        if closing:
            closing = "" if closing in source else closing
        elif opening:
            mark = _CLOSING_MARKS[opening.group(1)]
            closing = "" if mark in source[opening.end() :] else mark
    if comment:
        yield " ".join(comment)
    yield from code


def _code_line(line: str) -> str:
    line = " ".join(line.replace("`", "").split())
    return line if line.isprintable() else "".join(filter(str.isprintable, line))


def _code_title(passage: Passage, file: str, alone: bool) -> str:
    """``names (file)``, or ``file: what its first comment says`` for the whole file and where nothing has a name."""
    shown = base(file)
    names = [name for name in passage.names if name]
    scope = ".".join(passage.headings)
    if alone or not (names or scope):
        said = _first_said(passage.text, code=True).rstrip(".")
        return f"{shown}: {said}" if said and said != shown else shown
    if not names:
        return within(f"{scope}, part {passage.part}" if passage.part > 1 else scope, shown)
    if scope.rpartition(".")[2] in names:
        return within(scope, shown)
    public = [name for name in names if not name.startswith("_")] or names
    inside = [f"{scope}.{name}" if scope else name for name in public]
    return within(_listed(inside, TITLE - len(shown) - 3), shown)


def base(file: str) -> str:
    """The file with its folder, which tells one ``index.ts`` from another."""
    return "/".join(file.split("/")[-2:])


def _short_words(text: str) -> Iterator[str]:
    from scrubjay.text.analyze import is_stop_word
    from scrubjay.text.plain import without_markup
    from scrubjay.text.words import fold

    for word in re.findall(r"[^\W\d_]{3,60}", without_markup(text)):
        folded = fold(word)
        if not is_stop_word(folded):
            yield folded
