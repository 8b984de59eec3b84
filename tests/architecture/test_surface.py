"""The public names. Adding one is a decision; taking one away breaks somebody."""

from __future__ import annotations

from importlib.metadata import entry_points

import pytest

import scrubjay

PUBLIC = [
    "Decision",
    "Fact",
    "Hit",
    "Memory",
    "MemoryTool",
    "Message",
    "Note",
    "Plan",
    "Proposal",
    "Query",
    "Recall",
    "ScrubjayError",
    "Session",
    "StoredFact",
]


def test_the_package_exports_exactly_these_names() -> None:
    assert scrubjay.__all__ == PUBLIC
    assert dir(scrubjay) == sorted([*PUBLIC, "__version__"])


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_there_and_explains_itself(name: str) -> None:
    assert getattr(scrubjay, name).__doc__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Mammory"):
        _ = scrubjay.Mammory


def test_the_version_is_that_of_the_installed_package() -> None:
    scripts = [script for script in entry_points(group="console_scripts") if script.name in {"scrubjay", "jay"}]
    if not scripts:
        pytest.skip("the package is not installed in this environment")
    assert {script.value for script in scripts} == {"scrubjay.interfaces.cli:main"}
    assert {script.dist.version for script in scripts if script.dist} == {scrubjay.__version__}
