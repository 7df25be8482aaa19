"""Requirement sets stay as they were published, and leave no clause out in silence."""

import pytest

from spec.catalogue import catalogue
from spec.drafts import draft_of
from spec.releases import RELEASES
from spec.requirement_set import RequirementSet
from spec.requirements import PUBLISHED, UnknownRequirementSetError, requirement_set
from spec.subject import Subject
from spec.subjects import SUBJECTS

DIGESTS = {
    "fetch-4.0@1": "62db79be3f32810a5c0b1e086cfea9e487b8f867a279ee4dda230a1c32322c3b",
    "fetch-4.1@1": "e4a546296021649a29e208af5750cd9e73e1986aa744910d94087725c0a4048c",
    "fetch-4.2@1": "14a8630b34ba7264c8979a3212e51b01cb47cbd0993980f1ac9822c200f328f2",
    "fetch-4.3@1": "49934964f3a29b374ee06d3e9e9ae17d4e88d4142e8d877d566b0cb02c0de362",
    "fetch-4.4@1": "a0b891d3f5d0dcc8361bfca3fb78e3d258085a7cc8c9e2280c8fbe89d899c9af",
    "share-4.0@1": "e295062235e3eb1a3f76dd21e9a4f52235e7e4380176b9506795d7d37ccc481b",
    "share-4.1@1": "c2217d16c307519b292e985b87b4590ccd0253af05f91ccd0e367a77436b1c96",
    "share-4.2@1": "0ad960733076b81eb21019a07e3b115b656c6eb3bac01b7a179346cfb160c583",
    "share-4.3@1": "002b8856508de3255ea0390a3d97dcc0a9f0040efdf68642e759bc13215e6b62",
    "share-4.4@1": "ff1e51e7848e922cf996391739db683c4ab1c3729d7e6666c34e0a6e8f1a19ec",
    "groups-4.0@1": "617981416306ee17b5a398fbd6b80708efa62aed06a3fde9e50233f24feab45e",
    "groups-4.1@1": "e9703b7cbd5ccd2689687f1c1e62afe82e64cfa56bd8b05f5f214e8db39da8c0",
    "groups-4.2@1": "384cb14057fb9cff8dc11d207562c49b857a763a0f6cae4972c21b95d892da5a",
    "groups-4.3@1": "729cab86fee85607d798a2a737da5a277bb79cf3aab038864c6bc23108046d01",
    "groups-4.4@1": "f5b4c650a14518577ebd0a6d9832a4299be9893f3750ec528f4104a627295635",
}
"""Never change a line here: publish a set with the next version, and add its line. Those of a draft
stand in its own tests.
"""
RELEASED = [published for published in PUBLISHED if draft_of(published.subject) is None]


@pytest.mark.parametrize("published", RELEASED, ids=lambda published: published.name)
def test_a_published_set_is_never_edited(published: RequirementSet) -> None:
    assert published.digest == DIGESTS.get(published.name), (
        "publish a set with the next version instead of editing this one"
    )


def test_no_published_set_is_withdrawn() -> None:
    assert sorted(published.name for published in RELEASED) == sorted(DIGESTS)


def _number(release: str) -> list[int]:
    return [int(part) for part in release.split(".")]


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_every_clause_counts_or_is_excluded_with_a_reason(subject: Subject, release: str) -> None:
    newest = requirement_set(subject.name, release)
    of_subject = {
        clause.id: clause
        for clause in catalogue().values()
        if clause.id.startswith(subject.prefix)
        and (clause.excluded or _number(clause.since) <= _number(release))
    }
    assert sorted([*newest.clauses, *newest.excluded]) == sorted(of_subject)
    assert all(of_subject[clause_id].excluded for clause_id in newest.excluded)
    assert all(of_subject[clause_id].check is not None for clause_id in newest.clauses)


def test_an_edit_of_any_part_changes_the_digest() -> None:
    one = RequirementSet("fetch", "4.3", 1, ("FET-001", "FET-002"), ("FET-003",))
    others = [
        RequirementSet("fetch", "4.2", 1, ("FET-001", "FET-002"), ("FET-003",)),
        RequirementSet("fetch", "4.3", 2, ("FET-001", "FET-002"), ("FET-003",)),
        RequirementSet("fetch", "4.3", 1, ("FET-001",), ("FET-003",)),
        RequirementSet("fetch", "4.3", 1, ("FET-001", "FET-002", "FET-003"), ()),
    ]
    assert len({one.digest, *(other.digest for other in others)}) == 5


def test_a_set_is_found_by_release() -> None:
    assert requirement_set("fetch", "4.3").name == "fetch-4.3@1"


def test_a_set_that_is_not_published_is_an_error_that_names_those_that_are() -> None:
    with pytest.raises(UnknownRequirementSetError, match=r"'3\.9'.*fetch-4\.0@1"):
        requirement_set("fetch", "3.9")
