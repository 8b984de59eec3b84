"""Which relations hold once (F88)."""

import pytest

from scrubjay.text.predicates import holds_once


@pytest.mark.parametrize("predicate", ["lives in", "Works At", "favorite editor", "name", "is"])
def test_one_object_at_a_time(predicate: str) -> None:
    assert holds_once(predicate)


@pytest.mark.parametrize("predicate", ["likes", "Uses", "always drinks", "no longer uses", "儿子", ""])
def test_several_objects_beside_one_another(predicate: str) -> None:
    assert not holds_once(predicate)
