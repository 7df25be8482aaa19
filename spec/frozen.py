"""Frozen dataclasses that cost as little as others.

`dataclass(frozen=True)` sets each field by way of `object.__setattr__`, which takes some ten times
as long as an assignment on Python 3.11: an object of ten fields takes 1 to 3 us instead of 0.1, and
a dozen are made for each request that is judged. These are frozen to the type checker alone, which
sees all code of the project; they compare, hash and are replaced as frozen ones are.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform, overload

if TYPE_CHECKING:
    from dataclasses import replace  # so that the type checker sees which fields there are

__all__ = ["frozen", "replace"]

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


if not TYPE_CHECKING:

    def replace(one: Kind, /, **changes: Any) -> Kind:
        """The same dataclass with other values in some fields, as `dataclasses.replace` gives it.

        That one walks over all fields each time, which takes five times as long as to make the
        object. It is changed several times for each request of a share group. No field may be
        `kw_only`.
        """
        places, values_of = _made_of(type(one))
        values = list(values_of(one))
        for name, value in changes.items():
            values[places[name]] = value
        return type(one)(*values)


@cache
def _made_of(kind: type[Any]) -> tuple[dict[str, int], Callable[[Any], tuple[Any, ...]]]:
    """The places of the fields that a dataclass is made of, and what reads them all from an
    object.
    """
    names = [one.name for one in fields(kind) if one.init]
    places = {name: place for place, name in enumerate(names)}
    if len(names) > 1:
        return places, attrgetter(*names)
    return places, lambda one: tuple([getattr(one, name) for name in names])
