"""Conversations taken in: ``sources`` reads them from files and folders, ``messages`` says what of them is kept,
``storing`` puts each message into its transcript, once."""

from __future__ import annotations

from scrubjay.operations.ingest.sources import IngestReport, take_in
from scrubjay.operations.ingest.storing import Ingested, ingest

__all__ = ["IngestReport", "Ingested", "ingest", "take_in"]
