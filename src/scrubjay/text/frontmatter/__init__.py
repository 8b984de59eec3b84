"""Frontmatter: read every dialect met in the wild, write one, and change a key without touching another byte.

Sources: R-COM-3, R-COM-4, SEC-6, F30, F108. ``parse`` never raises; what it cannot read it reports. ``set_values``
refuses a block that ``parse`` reports problems in: such a note is left as it is until a person has looked at it.
"""

from __future__ import annotations

from scrubjay.text.frontmatter.block import Flaw, Frontmatter, parse
from scrubjay.text.frontmatter.edit import REMOVE, compose, set_values

__all__ = ["REMOVE", "Flaw", "Frontmatter", "compose", "parse", "set_values"]
