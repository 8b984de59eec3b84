"""What a text claims to exist in a working tree: files, functions and classes, flags, settings (CC-F5).

Names in code marks count, and paths in running text. Fenced blocks are examples, and so are addresses, patterns,
placeholders, and paths outside of any tree; none of them is a claim. Whether a claim would be worth a warning if it
does not hold is said beside it: a common word is in every program, and "we removed ``x``" is right when ``x`` is gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from scrubjay.text.plain import fenced, without_comments

Kind = Literal["file", "symbol", "flag", "setting"]

MOST_CHARACTERS = 200_000
"""Of a longer text, the beginning is read."""

_CODE = re.compile(r"(`+)(?!`)(.{1,300}?)(?<!`)\1(?!`)")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|[。！？；]|\n")
_LINK_TARGET = re.compile(r"\]\([^()\s]*\)|\[\[[^\[\]\n]*\]\]")
_ADDRESS = re.compile(
    r"(?<![\w+.-])[A-Za-z][\w+.-]{0,20}://\S++|\bwww\.\S++|(?<![\w+.-])[\w+.-]{1,64}@[\w-]{1,64}\.[\w.-]++", re.ASCII
)

_ENDINGS = (
    "adoc asm astro bash bat c cc cfg clj cmake cmd conf cpp cs css csv cu cxx dart db dockerfile el elm"
    " env erl ex exs fish flow fs go gradle graphql groovy h hbs hpp hs htm html iml ini ino ipynb iss j2 java jinja"
    " js json json5 jsonc jsonl jsx kt kts less lock lua m md mdx mjs cjs mk ml mm nix php pl plist po prisma proto ps1"
    " psm1 py pyi pyx pxd r rb rs rst sass scala scss sh sql sqlite svelte svg swift tcl tex tf toml ts tsx txt vb vue"
    " wasm xml yaml yml zig zsh spec"
).split()
_STEP = r"[\w@+~-][\w@+.~-]*|\.[A-Za-z_][\w@+.-]*"
_PATH = re.compile(rf"(?:\./)?((?:(?:{_STEP}|\.\.)/)*(?:{_STEP}))(/?)", re.ASCII)
_IN_PROSE = re.compile(
    rf"(?<![\w/\\.~@:$%{{<-])(?:\./)?((?:(?:{_STEP})/)+[\w@+-][\w@+.-]*\.(?:{'|'.join(_ENDINGS)}))(?![\w/-]|\.\w)",
    re.ASCII,
)
_PLACE = re.compile(r"(?::\d+(?:[-:,]\d+)*|#L\d+(?:-L?\d+)?)$")
_INSIDE = re.compile(
    r"(?P<path>[^:#\s]+\.\w+)(?:::|#|:)(?P<name>[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*)(?:\(\))?", re.ASCII
)
_NAMED_FILES = frozenset("Dockerfile Makefile Jenkinsfile Procfile Vagrantfile Rakefile Gemfile Justfile".split())

_CALL = re.compile(r"((?:[A-Za-z_$][\w$]*(?:\.|::|->|#))*)([A-Za-z_$][\w$]*)\(.{0,120}\)", re.ASCII | re.DOTALL)
_CLASS = re.compile(r"[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+|_*[a-z][a-z0-9]*[A-Z]\w*", re.ASCII)
_SNAKE = re.compile(r"_{0,2}[a-z][a-z0-9]*(?:_[a-z0-9]+)+_{0,2}", re.ASCII)
_CONSTANT = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+", re.ASCII)
_KEY = re.compile(r"([a-z][\w-]*(?:\.[a-z][\w-]*)+|[a-z]\w*_\w+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\s*[=:]\s*\S.*", re.ASCII)
_DOTTED = re.compile(r"[a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*)+", re.ASCII)
_FLAG = re.compile(r"(?<![\w-])--[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*(?![\w-])", re.ASCII)

_PLACEHOLDER = re.compile(r"[*?<>{}|$%…^\"]|\.\.\.|YYYY|\bfoo\b|\bbar\b|\bexample\b|path/to|XXX|/N\b", re.IGNORECASE)
_OUTSIDE = re.compile(r"~|/|[A-Za-z]:[\\/]|\\\\|\$|%")
_FOREIGN = frozenset(
    """
    apt apt-get awk aws brew bun cargo cat cd chmod chown claude cmake conda cp curl deno docker docker-compose echo
    ffmpeg find gcc gh git go gradle grep helm java javac jq kubectl ln ls make mkdir mv mvn mypy node npm npx ollama
    pip pip3 pnpm podman poetry psql pyinstaller pytest redis-cli rg rm rsync ruff rustc scp sed ssh sudo systemctl tar
    terraform uv uvx vim wget winget xargs yarn
    """.split()
)
# Words that speak of what was, or will be: a thing named there need not be there now.
_GONE = re.compile(
    r"\b(?:remov|delet|renam|dropp|drop\b|gone\b|no longer|not any more|anymore|former|used to|moved|replac|deprecat"
    r"|supersed|instead of|retired|obsolete|legacy|stale|planned|plan to|will (?:add|create|be)|to be (?:add|creat)"
    r"|todo\b|not yet|never (?:add|creat|commit)|do(?:es)? not exist|doesn't exist|don't (?:add|create)|e\.g\."
    r"|for example|such as|generated|created at run|at runtime|writes? (?:to|into)|gitignore)"
    r"|(?:удал|убра|убир|переимен|больше не|больше нет|раньше|прежн|перенес|перенос|замен|вместо|устар|будет|план"
    r"|ещё нет|еще нет|например|создаётся|создается|генерир)"
    r"|删除|删掉|移除|去掉|重命名|改名|不再|以前|曾经|原来的|已废弃|弃用|替换|取代|计划|将会|还没|尚未|例如|比如|生成",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Something that a text says is there, as it names it.

    ``name`` is what to look for. ``inside`` is the file that a symbol is said to stand in. ``telling`` is whether its
    absence would say anything: not for a name that any program may use, nor for what the text itself says is gone.
    """

    kind: Kind
    name: str
    inside: str = ""
    telling: bool = True


def named(text: str) -> Iterator[Named]:
    """What ``text`` names, in order, each once."""
    prose, _ = fenced(without_comments(text[:MOST_CHARACTERS]))
    seen: set[tuple[str, str]] = set()
    for sentence in _SENTENCE.split(prose):
        if not sentence or not ("`" in sentence or "/" in sentence):
            continue
        past = _GONE.search(sentence) is not None
        for one in _in_sentence(sentence, telling=not past):
            if (one.kind, one.name) not in seen:
                seen.add((one.kind, one.name))
                yield one


def _in_sentence(sentence: str, *, telling: bool) -> Iterator[Named]:
    for code in _CODE.finditer(sentence):
        yield from _in_code(code.group(2).strip(), telling=telling)
    rest = _ADDRESS.sub(" ", _LINK_TARGET.sub("]", _CODE.sub(" ", sentence)))
    for path in _IN_PROSE.finditer(rest):
        if not _PLACEHOLDER.search(path.group()):
            yield Named(kind="file", name=path.group(1), telling=telling)


def _in_code(code: str, *, telling: bool) -> Iterator[Named]:
    if _ADDRESS.search(code):
        return
    words = code.split()
    if len(words) > 1:
        yield from _in_command(code, words, telling=telling)
    elif words:
        yield from _in_word(words[0], telling=telling)


def _in_command(code: str, words: list[str], *, telling: bool) -> Iterator[Named]:
    """A command or an expression of several words."""
    if call := _CALL.fullmatch(code):
        yield from _symbol(call.group(2), telling=telling, called=True)
        return
    if key := _KEY.fullmatch(code):
        yield Named(kind="setting", name=key.group(1), telling=telling and _is_distinctive(key.group(1)))
        return
    if words[0] not in _FOREIGN:
        for flag in _FLAG.findall(code):
            yield Named(kind="flag", name=flag, telling=telling and len(flag) > 5)
    for word in words:
        if "/" in word and (path := _file(word.strip("\"'(),;"))):
            yield Named(kind="file", name=path, telling=telling)


def _in_word(word: str, *, telling: bool) -> Iterator[Named]:
    if inside := _INSIDE.fullmatch(word):
        path = _file(inside.group("path"))
        if path:
            yield Named(kind="file", name=path, telling=telling)
            name = re.split(r"\.|::", inside.group("name"))[-1]
            yield Named(kind="symbol", name=name, inside=path, telling=telling and len(name) > 3)
            return
    if path := _file(word):
        yield Named(kind="file", name=path, telling=telling)
    elif call := _CALL.fullmatch(word):
        yield from _symbol(call.group(2), telling=telling, called=True)
    elif _FLAG.fullmatch(flag := word.partition("=")[0]):
        yield Named(kind="flag", name=flag, telling=telling and len(flag) > 5)
    elif _CONSTANT.fullmatch(word.partition("=")[0]):
        yield Named(kind="setting", name=word.partition("=")[0], telling=telling)
    elif key := _KEY.fullmatch(word):
        yield Named(kind="setting", name=key.group(1), telling=telling and _is_distinctive(key.group(1)))
    elif _DOTTED.fullmatch(word):
        yield Named(kind="setting", name=word, telling=False)
    elif _CLASS.fullmatch(word) or _SNAKE.fullmatch(word):
        yield from _symbol(word, telling=telling, called=False)


def _symbol(name: str, *, telling: bool, called: bool) -> Iterator[Named]:
    if called or len(name) > 3:
        yield Named(kind="symbol", name=name, telling=telling and _is_distinctive(name))


def _is_distinctive(name: str) -> bool:
    """Whether a name is of several words, so that nobody else's program is likely to have it."""
    bare = name.strip("_")
    if bare.startswith(("test_", "get_", "set_")) and bare.count("_") < 2:
        return False
    return len(bare) > 5 and ("_" in bare or _CLASS.fullmatch(bare) is not None)


def _file(word: str) -> str:
    """The path that ``word`` is, relative and with ``/``; empty where it is none. A folder ends in ``/``."""
    word = _PLACE.sub("", word.strip(".,;:'\"") if not word.startswith(".") else word.rstrip(".,;:'\""))
    if _OUTSIDE.match(word) or _PLACEHOLDER.search(word):
        return ""
    if "\\" in word:
        word = word.replace("\\", "/")
    found = _PATH.fullmatch(word)
    if found is None or ".." in found.group(1).split("/"):
        return ""
    path, folder = found.groups()
    if folder:
        return f"{path}/" if "/" in path or path[0].isalpha() else ""
    name = path.rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    is_file = (dot and stem and ending.casefold() in _ENDINGS) or name in _NAMED_FILES
    if not is_file and not (name.startswith(".") and len(name) > 5):
        return ""
    return path if not _is_version(name) else ""


def _is_version(name: str) -> bool:
    return re.fullmatch(r"v?\d+(?:\.\d+)*(?:\.[A-Za-z])?", name) is not None
