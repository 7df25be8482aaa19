"""Frozen dataclasses that cost as little as others.

`dataclass(frozen=True)` sets each field by way of `object.__setattr__`, which takes some ten times
as long as an assignment on Python 3.11: an object of ten fields takes 1 to 3 us instead of 0.1, and
a dozen are made for each request that is judged. These are frozen to the type checker alone, which
sees all code of the project; they compare, hash and are replaced as frozen ones are.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform, overload

Kind = TypeVar("Kind")


@overload
def frozen(kind: type[Kind]) -> type[Kind]: ...
@overload
def frozen(*, slots: bool) -> Callable[[type[Kind]], type[Kind]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(
    kind: type[Kind] | None = None, *, slots: bool = True
) -> type[Kind] | Callable[[type[Kind]], type[Kind]]:
    """Make a class a dataclass whose fields are never assigned to once it is made.

    Args:
        kind: the class.
        slots: whether it has slots; one with facts (`spec.fact`) has none.
    """
    make = dataclass(slots=slots, unsafe_hash=True)
    return make if kind is None else make(kind)
