"""Planted faults of segments, and legal variants."""

from conformance.subjects.segments.faults.disk import FAULTS as OF_DISK
from conformance.subjects.segments.faults.disk import VARIANTS as DISK_VARIANTS
from conformance.subjects.segments.faults.fault import SegmentFault
from conformance.subjects.segments.faults.indexes import FAULTS as OF_INDEXES
from conformance.subjects.segments.faults.indexes import VARIANTS as INDEX_VARIANTS
from conformance.subjects.segments.faults.logs import FAULTS as OF_LOGS
from conformance.subjects.segments.faults.logs import VARIANTS as LOG_VARIANTS
from conformance.subjects.segments.faults.retention import FAULTS as OF_RETENTION
from conformance.subjects.segments.faults.retention import VARIANTS as RETENTION_VARIANTS
from conformance.subjects.segments.faults.times import FAULTS as OF_TIMES
from conformance.subjects.segments.faults.times import VARIANTS as TIME_VARIANTS

__all__ = ["DRY", "FAULTS", "SERVED", "VARIANTS", "SegmentFault"]

FAULTS = (*OF_LOGS, *OF_RETENTION, *OF_INDEXES, *OF_DISK, *OF_TIMES)
VARIANTS = tuple([one for one in LOG_VARIANTS if one.is_served])
SERVED = tuple([one for one in FAULTS if one.is_served])
DRY = (
    *[one for one in (*FAULTS, *LOG_VARIANTS) if not one.is_served],
    *DISK_VARIANTS,
    *RETENTION_VARIANTS,
    *INDEX_VARIANTS,
    *TIME_VARIANTS,
)
"""Faults of what a served model does not have: files, and other answers on offsets and records than
those of the model of a log.
"""
