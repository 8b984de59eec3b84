"""The cross map of categories (XC-5)."""

from __future__ import annotations

import pytest

from scrubjay.operations import native_types, pam
from scrubjay.proposals import CATEGORIES
from scrubjay.types import Fact, Note


@pytest.mark.parametrize(
    ("native", "elsewhere"),
    [
        ("TECHNIQUE", {"memory_type": "procedural", "agent_type": "feedback"}),
        ("WORKFLOW", {"memory_type": "procedural", "agent_type": "feedback"}),
        ("PATTERN", {"memory_type": "procedural", "agent_type": "project"}),
        ("CONFIG", {"memory_type": "semantic", "agent_type": "reference", "fact_category": "Infrastructure"}),
        ("INSIGHT", {"memory_type": "semantic", "agent_type": "project"}),
        ("Preference", {"agent_type": "user"}),
        ("Identity", {"agent_type": "user"}),
        ("Process", {"agent_type": "feedback"}),
        ("Decision", {"agent_type": "project"}),
        ("FailureMode", {"memory_type": "episodic", "agent_type": "feedback"}),
        ("failure_mode", {"memory_type": "episodic", "agent_type": "feedback"}),
        ("STANDARD", {}),
        ("", {}),
    ],
)
def test_xc5_each_category_has_its_counterparts(native: str, elsewhere: dict[str, str]) -> None:
    assert dict(native_types.counterparts(native)) == elsewhere


def test_xc5_every_category_of_the_vault_is_mapped() -> None:
    assert all(native_types.counterparts(category)["agent_type"] for category in CATEGORIES)


def test_xc5_an_export_holds_the_native_type_and_the_map() -> None:
    exported = pam.from_note(Note(id="MEM-a", title="A", body="B.", native_type="CONFIG"))
    assert exported["metadata"] == {
        "native_type": "CONFIG",
        "memory_type": "semantic",
        "agent_type": "reference",
        "fact_category": "Infrastructure",
        "topic": "",
    }


def test_xc5_the_native_type_comes_back_whatever_it_is_mapped_to() -> None:
    fact = Fact(id="x", text="Deploys fail on Fridays.", category="FailureMode")
    exported = pam.from_fact(fact)
    assert exported["metadata"]["agent_type"] == "feedback"
    assert pam.to_fact(exported).category == "FailureMode"
