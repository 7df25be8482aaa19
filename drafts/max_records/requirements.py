"""The requirement sets about the draft MaxRecords."""

from spec.requirement_set import RequirementSet

_MAX_RECORDS_1 = (
    "MXR-100",
    "MXR-101",
    "MXR-102",
    "MXR-103",
    "MXR-104",
    "MXR-105",
    "MXR-106",
    "MXR-107",
)
_MAX_RECORDS_1_EXCLUDED = ("MXR-120", "MXR-121", "MXR-122")

SETS = tuple(
    [
        RequirementSet("max_records", release, 1, _MAX_RECORDS_1, _MAX_RECORDS_1_EXCLUDED)
        for release in ("4.0", "4.1", "4.2", "4.3", "4.4")
    ]
)
