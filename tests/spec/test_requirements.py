"""Requirement sets are made from the clauses, frozen by digest, and decide what is judged."""

from dataclasses import replace

import pytest

from spec.catalogue import catalogue, clauses_of
from spec.clause import Clause
from spec.judge import judge
from spec.releases import RELEASES, semantics_for
from spec.requirement_set import clauses_in, holds_in, newest_revision, set_of
from spec.requirements import UnknownRequirementSetError, requirement_set, requirement_sets
from spec.subject import Subject
from spec.subject_registry import SUBJECTS, subject_named
from spec.verdict import LimitClass, Strength

EVERY_SUBJECT = pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)


@EVERY_SUBJECT
def test_each_set_is_frozen(subject: Subject) -> None:
    changed = [
        one
        for one in requirement_sets()
        if one.subject == subject.name and subject.frozen.get(one.name) != one.digest
    ]
    lines = "\n".join([f'    "{one.name}": "{one.digest}",' for one in changed])
    assert not changed, (
        f"the clauses that count for the subject {subject.name} have changed, in number or "
        "strength. Change no line of FROZEN in its requirements.py; if the change is meant, add "
        f"these, and say in CHANGELOG.md what counts now:\n{lines}"
    )


@EVERY_SUBJECT
def test_revisions_are_numbered_without_a_gap(subject: Subject) -> None:
    for release in {
        name.removeprefix(f"{subject.name}-").partition("@")[0] for name in subject.frozen
    }:
        newest = newest_revision(subject.name, release, subject.frozen)
        names = {f"{subject.name}-{release}@{number}" for number in range(1, newest + 1)}
        assert names <= subject.frozen.keys()


@pytest.mark.parametrize("release", RELEASES)
@EVERY_SUBJECT
def test_every_clause_counts_or_is_excluded_with_a_reason(subject: Subject, release: str) -> None:
    found = requirement_set(subject.name, release)
    of_subject = clauses_in(clauses_of(subject.name), release)
    assert sorted([*found.clauses, *found.excluded]) == sorted(of_subject)
    assert all(of_subject[clause_id].excluded for clause_id in found.excluded)
    assert all(of_subject[clause_id].check is not None for clause_id in found.clauses)


def test_the_clauses_of_a_release_are_those_that_came_with_it_or_before() -> None:
    newer = {one.id for one in catalogue().values() if one.since in {"4.2", "4.3", "4.4"}}
    assert {"SHR-123", "GRP-036"} <= newer
    for subject in SUBJECTS:
        assert not newer & {*requirement_set(subject.name, "4.1").clauses}
        assert {one for one in newer if one.startswith(subject.prefix)} <= {
            *requirement_set(subject.name, "4.4").clauses
        }


def test_releases_are_compared_as_numbers() -> None:
    clause = replace(catalogue()["FET-001"], since="4.10")
    assert not holds_in(clause, "4.9")
    assert holds_in(clause, "4.10")
    assert holds_in(clause, "5.0")


RULE: Clause[object] = Clause(
    "NEW-001",
    "new/rule/first",
    "",
    Strength.MUST,
    LimitClass.HARD,
    (),
    check=bool,  # type: ignore[arg-type]
)
OTHER = replace(RULE, id="NEW-002")


def test_what_a_set_decides_changes_its_digest_and_the_words_do_not() -> None:
    clauses = (RULE, OTHER)
    others = [
        set_of("new", "4.2", clauses, {}),
        set_of("newer", "4.3", clauses, {}),
        set_of("new", "4.3", (RULE,), {}),
        set_of("new", "4.3", (RULE, replace(OTHER, excluded="it can't be seen")), {}),
        set_of("new", "4.3", (RULE, replace(OTHER, strength=Strength.REFERENCE)), {}),
        set_of("new", "4.3", (RULE, replace(OTHER, since="4.4")), {}),
    ]
    one = set_of("new", "4.3", clauses, {})
    assert one.digest not in {other.digest for other in others}
    reworded = set_of("new", "4.3", (replace(RULE, statement="The same."), OTHER), {})
    assert reworded.digest == one.digest


def test_a_set_that_changed_has_the_next_revision_until_it_is_frozen() -> None:
    first = set_of("new", "4.3", (RULE,), {})
    frozen = {first.name: first.digest}
    assert first.name == set_of("new", "4.3", (RULE,), frozen).name == "new-4.3@1"
    second = set_of("new", "4.3", (RULE, OTHER), frozen)
    assert second.name == "new-4.3@2"
    assert set_of("new", "4.3", (RULE, OTHER), {**frozen, second.name: second.digest}) == second


@pytest.mark.parametrize("release", RELEASES)
@EVERY_SUBJECT
def test_the_judge_does_not_speak_of_a_clause_that_is_not_in_the_set(
    subject: Subject, release: str
) -> None:
    """Each worked example, answered as the newest release does, is judged as an older one."""
    newest = list(RELEASES)[-1]
    spoken = set()
    for chapter in subject.chapters:
        for example in [each for clause in chapter.clauses for each in clause.examples]:
            observed = subject_named(subject.name).answer_all(
                example.scenario, semantics_for(newest)
            )
            found = judge(example.scenario, observed, semantics_for(release))
            spoken |= {verdict.clause for verdict in found.verdicts}
    assert spoken - {"*"} <= {*requirement_set(subject.name, release).clauses}


def test_a_set_is_found_by_release() -> None:
    assert requirement_set("fetch", "4.3").name == "fetch-4.3@4"


def test_a_set_that_is_not_published_is_an_error_that_names_those_that_are() -> None:
    with pytest.raises(UnknownRequirementSetError, match=r"'3\.9'.*fetch-4\.0@4"):
        requirement_set("fetch", "3.9")
