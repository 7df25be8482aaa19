"""The requirement sets of all subjects, by subject and release."""

from collections.abc import Iterable
from functools import cache

from spec.catalogue import clauses_of
from spec.releases import RELEASES
from spec.requirement_set import RequirementSet, set_of
from spec.subject import Subject
from spec.subject_registry import SUBJECTS


class UnknownRequirementSetError(LookupError):
    """There is no requirement set for this subject and release."""


@cache
def requirement_sets() -> tuple[RequirementSet, ...]:
    """The set of each subject and release as it is now, subject by subject, oldest release
    first.
    """
    return tuple(
        [
            set_of(subject.name, release, clauses_of(subject.name).values(), subject.frozen)
            for subject in SUBJECTS
            for release in _releases_of(subject)
        ]
    )


def requirement_set(subject: str, release: str) -> RequirementSet:
    """The set for a subject and release.

    Raises:
        UnknownRequirementSetError: there is none; the message names those that there are.
    """
    for one in requirement_sets():
        if (one.subject, one.release) == (subject, release):
            return one
    raise UnknownRequirementSetError(
        f"no requirement set for {subject!r} of Kafka {release!r}; there are "
        f"{', '.join([one.name for one in requirement_sets()])}; choose one of their releases"
    )


def _releases_of(subject: Subject) -> Iterable[str]:
    """The releases that a subject knows; a draft, which is in none, is tried on each."""
    return subject.releases or RELEASES
