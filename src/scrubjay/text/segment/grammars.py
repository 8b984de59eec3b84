"""The tree-sitter grammars that are installed, and what their nodes mean to a reader."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_GRAMMARS = {
    "bash": ("tree_sitter_bash", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "go": ("tree_sitter_go", "language"),
    "java": ("tree_sitter_java", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "lua": ("tree_sitter_lua", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "python": ("tree_sitter_python", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
}
_ALIASES = {
    "c#": "csharp", "c++": "cpp", "cc": "cpp", "cs": "csharp", "c-sharp": "csharp", "c_sharp": "csharp", "cxx": "cpp",
    "golang": "go", "h": "c", "hpp": "cpp", "js": "javascript", "jsx": "javascript", "mjs": "javascript",
    "py": "python", "rb": "ruby", "rs": "rust", "sh": "bash", "shell": "bash", "ts": "typescript", "zsh": "bash",
}  # fmt: skip

IMPORT = re.compile(r"import|include|^use_|^using|^package|require|extern_crate|namespace_use")
COMMENT = re.compile(r"comment|^attribute_item$|^decorator$|^php_tag$")
"""Nodes that belong to the definition below them."""

_DEFINITION = re.compile(
    r"function|method|class|struct|interface|trait|impl_|module|namespace|enum|definition|declaration|^mod_|^type_"
)
_CONTAINER = re.compile(r"class|struct|interface|trait|impl_|module|namespace|enum|^mod_|linkage|^preproc_if")
_WRAPPED = ("definition", "declaration")
_NAMED = ("_spec", "declarator")
_NAMES = ("name", "declarator", "type", "left", "key")


@lru_cache
def parser_for(language: str | None) -> Parser | None:
    """The parser of ``language``, or ``None`` where no grammar for it is installed."""
    name = (language or "").strip().lower().removeprefix(".")
    module, function = _GRAMMARS.get(_ALIASES.get(name, name), ("", ""))
    if not module:
        return None
    try:
        from tree_sitter import Language, Parser

        return Parser(Language(getattr(import_module(module), function)()))
    except (ImportError, ValueError):
        return None


def is_definition(node: Node) -> bool:
    """Whether ``node`` defines something with a name worth showing."""
    kind = _unwrapped(node).type
    return bool(_DEFINITION.search(kind)) and not IMPORT.search(kind)


def name_of(node: Node) -> str:
    """The name that ``node`` defines, or nothing."""
    if not is_definition(node):
        return ""
    inner = _unwrapped(node)
    for _ in range(6):
        child = next((found for field in _NAMES if (found := inner.child_by_field_name(field)) is not None), None)
        child = child or next((found for found in inner.named_children[:2] if found.type.endswith(_NAMED)), None)
        if child is None:
            break
        inner = child
    name = (inner.text or b"").decode("utf-8", "replace")
    return name if len(name) < 100 and not any(letter.isspace() for letter in name) else ""


def members(node: Node) -> list[Node]:
    """What stands inside a class, namespace or the like; empty for anything else."""
    inner = _unwrapped(node)
    if not _CONTAINER.search(inner.type):
        return []
    return (inner.child_by_field_name("body") or inner).children


def _unwrapped(node: Node) -> Node:
    """The definition inside an export or template, or behind decorators."""
    for _ in range(3):
        inner = next((found for field in _WRAPPED if (found := node.child_by_field_name(field)) is not None), None)
        if node.type == "template_declaration" and node.named_children:
            inner = node.named_children[-1]
        if inner is None:
            return node
        node = inner
    return node
