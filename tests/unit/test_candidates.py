"""Candidates and verdicts say what they must, or are errors."""

import pytest

from scrubjay.errors import BadInput
from scrubjay.types import Candidate, Verdict


def test_a_candidate_needs_a_text_and_a_sensible_confidence() -> None:
    kept = {"quote": "I prefer tea", "message_id": "m1", "rule": "prefers"}
    assert Candidate(text="Ada prefers tea", **kept).confidence == 0.8
    with pytest.raises(BadInput):
        Candidate(text=" ", **kept)
    with pytest.raises(BadInput):
        Candidate(text="Ada prefers tea", confidence=1.2, **kept)


def test_a_verdict_names_a_fact_exactly_when_the_statement_is_not_new() -> None:
    assert Verdict().relation == "new"
    assert Verdict(relation="update", fact_id="f1").fact_id == "f1"
    with pytest.raises(BadInput):
        Verdict(relation="update")
    with pytest.raises(BadInput):
        Verdict(fact_id="f1")
    with pytest.raises(BadInput):
        Verdict(relation="similar", fact_id="f1")  # type: ignore[arg-type]
