"""A server in this process, over a memory without a model, and clients that connect to it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from scrubjay import Memory
from scrubjay.interfaces.mcp.keeper import Keeper
from scrubjay.interfaces.mcp.server import Place, build
from tests.interfaces.mcp.clients import LEGACY, Connect


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder that agents may learn files from."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def keeper(open_memory: Callable[..., Memory], tmp_path: Path) -> Keeper:
    """Keeps a memory over ``tmp_path/vault``, searched by words only."""
    return Keeper(open_memory)


@pytest.fixture
def connect(keeper: Keeper, project: Path) -> Connect:
    """Connects a client to a server beside it: ``async with connect() as client``."""

    def connected(mode: str = LEGACY, *, folder: Path | None = project, **options: Any) -> Client:
        return Client(build(keeper, Place(folder=folder, inbox="scrubjay inbox")), mode=mode, **options)

    return connected
