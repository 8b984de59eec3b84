"""A memory that a team shares: sent and taken in through git, or as a bundle or a folder (CC-P6, CC-T1 … CC-T3).

What comes in was written by somebody else and may be hostile: every path is checked, every file looked at for secrets,
and a document that was changed here is never overwritten. What goes out holds no secret: such a file stays here and is
named, and the others go. Nothing is ever promoted from a personal memory to the team's (CC-D3).
"""

from __future__ import annotations
