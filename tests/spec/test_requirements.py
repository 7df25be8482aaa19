"""Requirement sets stay as they were published, and leave no clause out in silence."""

import pytest

from spec.catalogue import SUBJECTS, catalogue
from spec.requirements import PUBLISHED, RequirementSet, UnknownRequirementSetError, requirement_set, requirement_set_named
from spec.semantics import RELEASES

DIGESTS = {
    "fetch-4.0@1": "58c67b9482c1ce334a69bd7dcb0d961d8b7e9ded2e6f5b030567af6706cf65fe",
    "fetch-4.1@1": "4b039197962ed999bd35490dae32e739bb7418f12a8d9f7afd830505da9917f3",
    "fetch-4.2@1": "40b046383d74e852a0e176d65207344621d15890477b195b85ad06a41efb90f3",
    "fetch-4.3@1": "8869d7124d9ea6448bb843d1ce57a48ab34fe32f15869a75cc674b27195a2ff1",
    "fetch-4.4@1": "797300d44a0e9741e482bd558fa4edd8997220cc7499e1cec90b6b91d47624e6",
}
"""Never change a line here: publish a set with the next version, and add its line."""


@pytest.mark.parametrize("published", PUBLISHED, ids=lambda published: published.name)
def test_a_published_set_is_never_edited(published: RequirementSet) -> None:
    assert published.digest == DIGESTS.get(published.name), "publish a set with the next version instead of editing this one"


def test_no_published_set_is_withdrawn() -> None:
    assert [published.name for published in PUBLISHED] == list(DIGESTS)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_clause_counts_or_is_excluded_with_a_reason(subject: str, release: str) -> None:
    newest = requirement_set(subject, release)
    of_subject = {clause.id: clause for clause in catalogue().values() if clause.id.startswith(SUBJECTS[subject])}
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


def test_a_set_is_found_by_release_and_by_name() -> None:
    assert requirement_set("fetch", "4.3").name == "fetch-4.3@1"
    assert requirement_set_named("fetch-4.3@1") is requirement_set("fetch", "4.3")


def test_a_set_that_is_not_published_is_an_error_that_names_those_that_are() -> None:
    with pytest.raises(UnknownRequirementSetError, match=r"'3\.9'.*fetch-4\.0@1"):
        requirement_set("fetch", "3.9")
    with pytest.raises(UnknownRequirementSetError, match=r"fetch-4\.3@99.*fetch-4\.3@1"):
        requirement_set_named("fetch-4.3@99")
