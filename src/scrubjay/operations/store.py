"""A store is one vault with its index: the unit of locking, of privacy and of rebuilding."""

from __future__ import annotations

from dataclasses import dataclass

from scrubjay.ports import Index, Vault


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """``scope`` is who reads what is written here; ``key`` names the store among the stores of this machine.

    ``dialect`` names the format of another program's folder, such as ``claude_memory``: no facts, conversations or
    overviews of ours are put there, only what the dialect knows. It is empty for vaults of our own.
    """

    vault: Vault
    index: Index
    scope: str
    key: str = ""
    dialect: str = ""
