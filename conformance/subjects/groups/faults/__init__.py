"""Planted faults on group sizes, each a change at one seam of the coordinator, and legal variants
that must pass.
"""

from conformance.subjects.groups.faults import assigned, classic, syncing, timers
from conformance.subjects.groups.faults.fault import GroupFault

FAULTS: tuple[GroupFault, ...] = (
    *classic.FAULTS,
    *assigned.FAULTS,
    *syncing.FAULTS,
    *timers.FAULTS,
)
VARIANTS: tuple[GroupFault, ...] = (*classic.VARIANTS, *assigned.VARIANTS, *timers.VARIANTS)
