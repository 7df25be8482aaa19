"""A draft on the wire: its message definitions, how a request carries its fields, and
its planted faults.

Each package that `spec.draft_registry` finds has a module `plug` with the object `PLUG`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from spec.draft_registry import draft_named, packages
from spec.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.subjects.fetch.faults.fault import Fault
    from conformance.wire.definitions import Definitions
    from spec.draft import Draft, Drafted
    from spec.fetch.steps import DraftField


@frozen
class Plug:
    """A draft on the wire.

    Attributes:
        draft: which.
        patched: Kafka's message definitions as a profile of the draft changes them.
        fields_in: the draft's fields in the body of a Fetch request that was decoded by those
            definitions; a field at a default that means absence is left out.
        faults: ways to get it wrong, each with the clause that it breaks, and legal variants.
    """

    draft: Draft
    patched: Callable[[Definitions, Any], Definitions]
    fields_in: Callable[[Mapping[str, Any], Any], tuple[DraftField, ...]]
    faults: tuple[Fault, ...] = ()


@cache
def plugs() -> tuple[Plug, ...]:
    """The plug of every draft."""
    found = []
    for one in packages():
        if one.draft is not None and draft_named(one.draft.name) is one.draft:
            plug = import_module(f"{one.package}.plug").PLUG
            assert isinstance(plug, Plug), (
                f"expected {one.package}.plug.PLUG to be a Plug, found a {type(plug).__name__}"
            )
            found.append(plug)
    return tuple(found)


@cache
def plug_of(draft: Draft) -> Plug:
    """The plug of a draft."""
    return next(plug for plug in plugs() if plug.draft is draft)


def patch_definitions(definitions: Definitions, drafted: Drafted | None) -> Definitions:
    """The definitions as a draft changes them; unchanged without one."""
    return (
        definitions
        if drafted is None
        else plug_of(drafted.draft).patched(definitions, drafted.profile)
    )
