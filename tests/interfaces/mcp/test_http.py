"""By which names a server over HTTP may be called, and where it may listen without a token (F112)."""

from __future__ import annotations

import pytest

from scrubjay.interfaces.mcp.http import is_loopback, security


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "localhost", "LocalHost"])
def test_only_this_machine_reaches_a_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.com", "localhost.example.com", "", "127.1"])
def test_everything_else_needs_a_token(host: str) -> None:
    assert not is_loopback(host)


def test_names_are_those_of_this_machine_and_those_that_were_allowed() -> None:
    found = security("192.168.1.7", ["memory.example"])
    assert {"192.168.1.7", "memory.example:*", "localhost:*", "127.0.0.1:*", "[::1]:*"} <= set(found.allowed_hosts)
    assert "http://memory.example:*" in found.allowed_origins
    assert all(origin.startswith("http://") for origin in found.allowed_origins)
    assert "[fe80::1]:*" in security("fe80::1", []).allowed_hosts
