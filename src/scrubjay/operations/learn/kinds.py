"""What a file is, by its name: how it is cut, and how it is shown as Markdown."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import NamedTuple

from scrubjay.text.segment.aligned import Kind


class FileKind(NamedTuple):
    """``kind`` says how to cut; ``language`` is that of the code or markup, and of a fence around it."""

    kind: Kind
    language: str = ""


_CODE = {
    "c": "c", "cc": "cpp", "cpp": "cpp", "cs": "csharp", "cxx": "cpp", "fnl": "fennel", "go": "go", "h": "c",
    "hpp": "cpp", "java": "java", "janet": "janet", "js": "javascript", "jsx": "jsx", "kt": "kotlin", "lua": "lua",
    "mjs": "javascript", "nix": "nix", "php": "php", "pl": "perl", "py": "python", "pyi": "python", "r": "r",
    "rb": "ruby", "rs": "rust", "scala": "scala", "sh": "bash", "bash": "bash", "zsh": "bash", "sql": "sql",
    "swift": "swift", "ts": "typescript", "tsx": "tsx", "vim": "vim",
    "css": "css", "less": "less", "sass": "sass", "scss": "scss",
    "cfg": "ini", "conf": "", "ini": "ini", "toml": "toml", "yaml": "yaml", "yml": "yaml", "xml": "xml",
}  # fmt: skip
_MARKUP = {
    "adoc": "adoc", "asciidoc": "adoc", "htm": "html", "html": "html", "org": "org", "rst": "rst", "rdoc": "adoc",
    "tex": "tex",
}  # fmt: skip
_WHOLE = {"csv": "csv", "json": "json", "jsonl": "json", "lock": "", "svg": "xml", "tsv": ""}
_NAMES = {
    "dockerfile": "dockerfile", "makefile": "makefile", "rakefile": "ruby", "gemfile": "ruby", "jenkinsfile": "groovy",
    "cmakelists.txt": "cmake",
}  # fmt: skip

MARKDOWN = FileKind("markdown")


def kind_of(name: str) -> FileKind:
    """The kind of the file ``name`` (any path); Markdown is also for plain text and for what has no known ending."""
    path = PurePosixPath(name.lower())
    if path.name in _NAMES:
        return FileKind("code", _NAMES[path.name])
    suffix = path.suffix.lstrip(".")
    if suffix in _CODE:
        return FileKind("code", _CODE[suffix])
    if suffix in _MARKUP:
        return FileKind("markup", _MARKUP[suffix])
    if suffix in _WHOLE:
        return FileKind("whole", _WHOLE[suffix])
    return MARKDOWN
