"""Facts from conversations: found with their evidence, compared with what is known, stored or proposed (MX-12, TR-5).

``explicit`` finds statements without a model, ``evidence`` refuses what no message
bears out, ``judging`` compares, ``placing`` puts a statement where it belongs in time, ``settling`` stores and
``proposing`` proposes. ``conversation`` does all of it for one conversation, ``queue`` for those that wait.
"""

from __future__ import annotations

from scrubjay.operations.extract.conversation import LetGo, Route, Run, read
from scrubjay.operations.extract.explicit import StatementExtractor
from scrubjay.operations.extract.judging import RuleJudge
from scrubjay.operations.extract.queue import Desk, request, tidy, unread, waits, work
from scrubjay.operations.extract.reader import Extracted, Found, Reader

__all__ = [
    "Desk",
    "Extracted",
    "Found",
    "LetGo",
    "Reader",
    "Route",
    "RuleJudge",
    "Run",
    "StatementExtractor",
    "read",
    "request",
    "tidy",
    "unread",
    "waits",
    "work",
]
