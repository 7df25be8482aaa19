"""The requirement sets about the sizes of groups."""

from spec.requirement_set import RequirementSet

_GROUPS_1 = (
    "GRP-001",
    "GRP-002",
    "GRP-003",
    "GRP-004",
    "GRP-005",
    "GRP-006",
    "GRP-007",
    "GRP-008",
    "GRP-009",
    "GRP-010",
    "GRP-011",
    "GRP-012",
    "GRP-013",
    "GRP-014",
    "GRP-015",
    "GRP-016",
    "GRP-018",
    "GRP-019",
    "GRP-030",
    "GRP-031",
    "GRP-033",
    "GRP-034",
    "GRP-035",
    "GRP-037",
    "GRP-040",
    "GRP-042",
    "GRP-043",
    "GRP-045",
    "GRP-100",
    "GRP-101",
    "GRP-102",
    "GRP-103",
    "GRP-140",
    "GRP-150",
    "GRP-151",
    "GRP-154",
    "GRP-155",
)
_GROUPS_1_SINCE_4_2 = ("GRP-036", "GRP-038", "GRP-039")
_GROUPS_1_EXCLUDED = (
    "GRP-020",
    "GRP-021",
    "GRP-060",
)

_NEWER = tuple(sorted([*_GROUPS_1, *_GROUPS_1_SINCE_4_2]))

SETS = (
    *[
        RequirementSet("groups", release, 1, _GROUPS_1, _GROUPS_1_EXCLUDED)
        for release in ("4.0", "4.1")
    ],
    *[
        RequirementSet("groups", release, 1, _NEWER, _GROUPS_1_EXCLUDED)
        for release in ("4.2", "4.3", "4.4")
    ],
)
