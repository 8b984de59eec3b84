"""Keeping a vault small and sharp: what is stale, double, long or untidy is proposed, never done unasked (SM-42 …).

``scoring`` measures, ``report`` tells, ``proposing`` makes proposals out of it (``compressing``, ``refining``); the
gate lets ``steps`` carry decided ones out (``merging``, ``links``) and ``rematching`` make those anew whose memory
changed; ``log`` remembers each run in ``distill-log.json`` and ``state`` mirrors the health of the vault.
"""

from __future__ import annotations

from scrubjay.operations.distill.links import dangling
from scrubjay.operations.distill.log import logged
from scrubjay.operations.distill.proposing import propose
from scrubjay.operations.distill.rematching import rematch
from scrubjay.operations.distill.report import Report, report
from scrubjay.operations.distill.state import mirror

KINDS = ("purge", "merge", "compress", "refine", "gc", "auto")

__all__ = ["KINDS", "Report", "dangling", "logged", "mirror", "propose", "rematch", "report"]
