"""Dataclasses that are frozen to the type checker: otherwise as frozen ones are."""

import dataclasses
import pickle
from dataclasses import dataclass, fields

import pytest

from spec.frozen import frozen, replace


@frozen
class Light:
    """As the project makes them."""

    number: int
    words: tuple[str, ...] = ()


@frozen(slots=False)
class WithFacts:
    """One that keeps facts."""

    number: int
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Heavy:
    """As the standard library makes them."""

    number: int
    words: tuple[str, ...] = ()


@pytest.mark.parametrize("kind", [Light, WithFacts])
def test_it_compares_and_hashes_as_a_frozen_one(kind: type[Light]) -> None:
    one, heavy = kind(1, ("a",)), Heavy(1, ("a",))
    assert hash(one) == hash(heavy)
    assert one == kind(1, ("a",))
    assert one != kind(2, ("a",))
    assert repr(one) == repr(heavy).replace("Heavy", kind.__name__)
    assert [field.name for field in fields(one)] == [field.name for field in fields(heavy)]
    assert dataclasses.replace(one, number=2) == kind(2, ("a",))
    assert pickle.loads(pickle.dumps(one)) == one


def test_slots_are_left_out_where_facts_are_kept() -> None:
    assert not hasattr(Light(1), "__dict__")
    assert hasattr(WithFacts(1), "__dict__")


@pytest.mark.parametrize("kind", [Light, WithFacts, Heavy])
def test_it_is_replaced_as_a_frozen_one(kind: type[Light]) -> None:
    one = kind(1, ("a",))
    assert replace(one) == one
    assert replace(one, words=("b",)) == kind(1, ("b",))
    assert replace(one, words=(), number=3) == kind(3)
    with pytest.raises(LookupError):
        replace(one, letters=())  # type: ignore[call-arg]
