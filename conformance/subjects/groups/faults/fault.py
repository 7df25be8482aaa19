"""A planted fault on group sizes: a change at one seam of the coordinator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spec.frozen import frozen

if TYPE_CHECKING:
    from conformance.faults.planted import Expected
    from spec.groups.seams import Coordinator


@frozen
class GroupFault:
    """A way for a group coordinator to be wrong, or different.

    Its fields are those of `conformance.subjects.fetch.faults.fault.Fault`, with a `coordinator` in
    place of what answers.
    """

    name: str
    clause: str
    expected: Expected
    summary: str
    coordinator: Coordinator
