"""Addresses that git may be given (SEC-5, F110, F112)."""

from __future__ import annotations

from pathlib import Path

import pytest

from scrubjay.errors import BadInput, Refused, ScrubjayError
from scrubjay.vaults.remote_address import checked, shown

TOKEN = "ghp_" + "x7Kq2mZ9" * 4 + "Ab3d"


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/team/memory.git",
        "https://ada@example.org/team/memory",
        "ssh://git@example.org:2222/team/memory.git",
        "git@example.org:team/memory.git",
        "example.org:memory",
        "file:///srv/memory.git",
    ],
)
def test_usual_addresses_are_taken_as_they_are(address: str) -> None:
    assert checked(f" {address} ") == address


def test_a_folder_is_taken_by_its_full_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "m.git").mkdir()
    monkeypatch.chdir(tmp_path)
    assert checked("./m.git") == checked("m.git") == str(tmp_path / "m.git")
    with pytest.raises(BadInput, match="There is no folder"):
        checked("./other.git")


@pytest.mark.parametrize(
    "address",
    [
        "ext::sh -c touch%20x",
        "fd::17",
        "-oProxyCommand=x",
        "--upload-pack=x",
        "ssh://-oProxyCommand=x/y",
        "ssh://-u@host/y",
        "http://example.org/x",
        "git://example.org/x",
        "ftp://example.org/x",
        "https://user:password@example.org/x",
        f"https://{TOKEN}@example.org/x",
        f"https://example.org/x?token={TOKEN}",
        "",
        "host:-x",
        "https:///x",
        "a\nb",
        "x" * 3000,
    ],
)
def test_f112_addresses_that_run_something_or_hold_secrets_are_refused(address: str) -> None:
    with pytest.raises(ScrubjayError) as caught:
        checked(address)
    assert "password@" not in str(caught.value)
    assert TOKEN not in str(caught.value)


def test_f110_what_is_shown_has_no_user_and_no_secret() -> None:
    assert shown("fatal: unable to access 'https://ada:pw@example.org/x'") == (
        "fatal: unable to access 'https://example.org/x'"
    )
    assert TOKEN not in shown(f"https://example.org/?t={TOKEN}")


def test_refusals_say_what_to_do() -> None:
    with pytest.raises(Refused) as caught:
        checked("https://a:b@example.org/x")
    assert "credential helper" in caught.value.hint
