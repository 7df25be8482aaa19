"""Requirement sets: the clauses that count for one Kafka release, frozen by name and version.

A published set is never edited. When a clause is added, withdrawn or can be tested at last, each release that it touches gets a
new set with the next version number, and the old one stays, so that two runs can be compared by the name of theirs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class RequirementSet:
    """The clauses that count for one subject and release.

    Attributes:
        subject: `fetch`.
        release: `4.3`.
        version: from 1; a set that replaces another has the next number.
        clauses: the ids that count, sorted.
        excluded: the ids of the subject that can't be tested, sorted; the catalogue has the reason of each.
    """

    subject: str
    release: str
    version: int
    clauses: tuple[str, ...]
    excluded: tuple[str, ...]

    @property
    def name(self) -> str:
        """`fetch-4.3@1`."""
        return f"{self.subject}-{self.release}@{self.version}"

    @property
    def digest(self) -> str:
        """SHA-256, in hexadecimal, over the name and every id: what shows that a published set was edited."""
        text = "\n".join((self.name, *self.clauses, "excluded", *self.excluded))
        return sha256(text.encode()).hexdigest()


class UnknownRequirementSetError(LookupError):
    """No requirement set is published for this subject and release."""


_FETCH_1 = (
    "FET-001",
    "FET-002",
    "FET-003",
    "FET-004",
    "FET-005",
    "FET-006",
    "FET-007",
    "FET-008",
    "FET-009",
    "FET-010",
    "FET-011",
    "FET-012",
    "FET-013",
    "FET-014",
    "FET-015",
    "FET-016",
    "FET-017",
    "FET-018",
    "FET-020",
    "FET-021",
    "FET-022",
    "FET-023",
    "FET-030",
    "FET-031",
    "FET-032",
    "FET-033",
    "FET-034",
    "FET-035",
    "FET-036",
    "FET-038",
    "FET-040",
    "FET-041",
    "FET-042",
    "FET-043",
    "FET-044",
    "FET-045",
    "FET-046",
    "FET-047",
    "FET-050",
    "FET-051",
    "FET-052",
    "FET-054",
    "FET-055",
    "FET-060",
    "FET-070",
    "FET-071",
    "FET-072",
    "FET-073",
    "FET-075",
    "FET-076",
    "FET-077",
    "FET-078",
    "FET-079",
    "FET-101",
    "FET-102",
    "FET-103",
    "FET-104",
    "FET-107",
    "FET-120",
    "FET-121",
    "FET-122",
    "FET-123",
    "FET-130",
    "FET-133",
    "FET-140",
    "FET-152",
    "FET-172",
)
_FETCH_1_EXCLUDED = (
    "FET-037",
    "FET-056",
    "FET-132",
)

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


def _share(release: str, *newer: tuple[str, ...]) -> RequirementSet:
    """The first set of a release: the clauses that hold from the start, and those that came with it or before."""
    clauses = sorted([*_SHARE_1, *[clause_id for more in newer for clause_id in more]])
    return RequirementSet("share", release, 1, tuple(clauses), _SHARE_1_EXCLUDED)


_MAX_RECORDS_1 = ("MXR-100", "MXR-101", "MXR-102", "MXR-103", "MXR-104", "MXR-105", "MXR-106", "MXR-107")
_MAX_RECORDS_1_EXCLUDED = ("MXR-120", "MXR-121", "MXR-122")

PUBLISHED: tuple[RequirementSet, ...] = (
    RequirementSet("fetch", "4.0", 1, _FETCH_1, _FETCH_1_EXCLUDED),
    RequirementSet("fetch", "4.1", 1, _FETCH_1, _FETCH_1_EXCLUDED),
    RequirementSet("fetch", "4.2", 1, _FETCH_1, _FETCH_1_EXCLUDED),
    RequirementSet("fetch", "4.3", 1, _FETCH_1, _FETCH_1_EXCLUDED),
    RequirementSet("fetch", "4.4", 1, _FETCH_1, _FETCH_1_EXCLUDED),
    _share("4.0"),
    _share("4.1", _SHARE_1_SINCE_4_1),
    _share("4.2", _SHARE_1_SINCE_4_1, _SHARE_1_SINCE_4_2),
    _share("4.3", _SHARE_1_SINCE_4_1, _SHARE_1_SINCE_4_2, _SHARE_1_SINCE_4_3),
    _share("4.4", _SHARE_1_SINCE_4_1, _SHARE_1_SINCE_4_2, _SHARE_1_SINCE_4_3),
    *[
        RequirementSet("max_records", release, 1, _MAX_RECORDS_1, _MAX_RECORDS_1_EXCLUDED)
        for release in ("4.0", "4.1", "4.2", "4.3", "4.4")
    ],
    *[RequirementSet("groups", release, 1, _GROUPS_1, _GROUPS_1_EXCLUDED) for release in ("4.0", "4.1")],
    *[
        RequirementSet("groups", release, 1, tuple(sorted([*_GROUPS_1, *_GROUPS_1_SINCE_4_2])), _GROUPS_1_EXCLUDED)
        for release in ("4.2", "4.3", "4.4")
    ],
)
"""Every set ever published, oldest version first. Each clause on Fetch so far holds in each of these releases."""

_BY_NAME: Mapping[str, RequirementSet] = {published.name: published for published in PUBLISHED}


def requirement_set(subject: str, release: str) -> RequirementSet:
    """The newest set for a subject and release.

    Raises:
        UnknownRequirementSetError: there is none; the message names those that there are.
    """
    found = [published for published in PUBLISHED if (published.subject, published.release) == (subject, release)]
    if not found:
        raise UnknownRequirementSetError(
            f"no requirement set for {subject!r} of Kafka {release!r}; there are {', '.join(_BY_NAME)}; choose one of their releases"
        )
    return max(found, key=lambda published: published.version)
