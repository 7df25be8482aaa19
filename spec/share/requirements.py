"""The requirement sets about share groups."""

from spec.requirement_set import RequirementSet

_SHARE_1 = (
    "SHR-001",
    "SHR-003",
    "SHR-004",
    "SHR-005",
    "SHR-006",
    "SHR-007",
    "SHR-009",
    "SHR-013",
    "SHR-017",
    "SHR-018",
    "SHR-020",
    "SHR-021",
    "SHR-022",
    "SHR-023",
    "SHR-100",
    "SHR-110",
    "SHR-112",
    "SHR-113",
    "SHR-115",
    "SHR-117",
    "SHR-120",
    "SHR-121",
    "SHR-122",
    "SHR-127",
    "SHR-128",
    "SHR-129",
    "SHR-131",
    "SHR-132",
    "SHR-140",
    "SHR-142",
    "SHR-143",
    "SHR-144",
    "SHR-150",
    "SHR-153",
    "SHR-154",
    "SHR-155",
    "SHR-170",
    "SHR-301",
    "SHR-302",
    "SHR-303",
    "SHR-304",
    "SHR-305",
    "SHR-307",
    "SHR-309",
    "SHR-312",
    "SHR-315",
    "SHR-316",
    "SHR-322",
    "SHR-330",
    "SHR-400",
    "SHR-401",
    "SHR-421",
    "SHR-425",
    "SHR-502",
    "SHR-503",
    "SHR-701",
)
_SHARE_1_SINCE_4_1 = ("SHR-402", "SHR-504")
_SHARE_1_SINCE_4_2 = ("SHR-012", "SHR-123", "SHR-126", "SHR-306", "SHR-405")
_SHARE_1_SINCE_4_3 = ("SHR-404",)
_SHARE_1_EXCLUDED = (
    "SHR-002",
    "SHR-008",
    "SHR-015",
    "SHR-111",
    "SHR-141",
    "SHR-160",
    "SHR-308",
    "SHR-321",
    "SHR-411",
    "SHR-420",
    "SHR-501",
)


def _share(release: str, *newer: tuple[str, ...]) -> RequirementSet:
    """The first set of a release: the clauses that hold from the start, and those that came with it
    or before.
    """
    clauses = sorted([*_SHARE_1, *[clause_id for more in newer for clause_id in more]])
    return RequirementSet("share", release, 1, tuple(clauses), _SHARE_1_EXCLUDED)


SETS = (
    _share("4.0"),
    _share("4.1", _SHARE_1_SINCE_4_1),
    _share("4.2", _SHARE_1_SINCE_4_1, _SHARE_1_SINCE_4_2),
    _share("4.3", _SHARE_1_SINCE_4_1, _SHARE_1_SINCE_4_2, _SHARE_1_SINCE_4_3),
    _share("4.4", _SHARE_1_SINCE_4_1, _SHARE_1_SINCE_4_2, _SHARE_1_SINCE_4_3),
)
