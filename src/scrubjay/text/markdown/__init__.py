"""Markdown as structure: headings, sections and links at exact offsets, and edits that leave every other byte alone.

Fences, HTML blocks, comments, lists and frontmatter are respected (R-COM-5). Everything is linear in the text.
"""

from __future__ import annotations

from scrubjay.text.markdown.blocks import Heading, Structure, structure
from scrubjay.text.markdown.edit import append_section, insert_before_section, replace_section
from scrubjay.text.markdown.inline import WikiLink, tags, wiki_links
from scrubjay.text.markdown.sections import Section, headings, sections

__all__ = [
    "Heading",
    "Section",
    "Structure",
    "WikiLink",
    "append_section",
    "headings",
    "insert_before_section",
    "replace_section",
    "sections",
    "structure",
    "tags",
    "wiki_links",
]
