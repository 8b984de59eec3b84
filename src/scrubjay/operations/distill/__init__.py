"""Keeping a vault small and sharp: what is stale, double, long or untidy is proposed, never done unasked (SM-42 …).

``scoring`` measures, ``report`` tells, ``proposing`` makes proposals out of it, ``steps`` carries decided ones out
(called by the gate), ``log`` remembers each run in ``distill-log.json``.
"""

from __future__ import annotations

from scrubjay.operations.distill.log import logged
from scrubjay.operations.distill.proposing import propose
from scrubjay.operations.distill.report import Report, report

KINDS = ("purge", "merge", "compress", "refine", "gc", "auto")

__all__ = ["KINDS", "Report", "logged", "propose", "report"]
