"""Where a memory is shared, remembered in our own home: in no folder that travels, and without any password (F110)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from scrubjay.errors import BadInput, NotFound, Refused
from scrubjay.operations.store import Store
from scrubjay.temporal import format_time, parse_time
from scrubjay.vaults import remote_address
from scrubjay.vaults.folder import FolderVault
from scrubjay.vaults.shared_repository import SharedRepository

FILE = "remote.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """The address of the remote, and when both sides last agreed."""

    address: str = ""
    synced: datetime | None = None


def folder_of(home: Path, store: Store) -> Path:
    """The folder in our own home that remembers where ``store`` is shared."""
    return home / "share" / (store.key or store.scope)


def repository(folder: Path, address: str, *, branch: str, timeout: float) -> SharedRepository:
    """What carries a memory to ``address``; every remote has its own, with what was agreed on with it."""
    name = hashlib.sha256(f"{branch} {address}".encode()).hexdigest()[:16]
    return SharedRepository(folder / f"{name}.git", branch=branch, timeout=timeout)


def load(folder: Path) -> Remembered:
    """What ``folder`` remembers; nothing where it cannot be read, since the address can be given again."""
    try:
        kept = json.loads(FolderVault(folder).read_bytes(FILE))
        address, synced = kept.get("address"), kept.get("synced")
        if not isinstance(address, str) or not isinstance(synced, str | None):
            return Remembered()
        return Remembered(
            address=remote_address.checked(address, known=True) if address else "",
            synced=parse_time(synced) if synced else None,
        )
    except (NotFound, BadInput, Refused, ValueError, AttributeError):
        return Remembered()


def save(folder: Path, remembered: Remembered) -> None:
    """Remembers it instead of what was there."""
    vault = FolderVault(folder)
    text = json.dumps({"address": remembered.address, "synced": format_time(remembered.synced)}, indent=2) + "\n"
    expected = vault.read(FILE).hash if vault.exists(FILE) else None
    vault.write(FILE, text, expected=expected)
