"""The published requirement sets of all subjects, by name and by release."""

from collections.abc import Mapping

from spec.requirement_set import RequirementSet
from spec.subjects import SUBJECTS


class UnknownRequirementSetError(LookupError):
    """No requirement set is published for this subject and release."""


PUBLISHED: tuple[RequirementSet, ...] = tuple(
    [published for subject in SUBJECTS for published in subject.requirement_sets]
)
"""Every set ever published, subject by subject, oldest version first."""

_BY_NAME: Mapping[str, RequirementSet] = {published.name: published for published in PUBLISHED}


def requirement_set(subject: str, release: str) -> RequirementSet:
    """The newest set for a subject and release.

    Raises:
        UnknownRequirementSetError: there is none; the message names those that there are.
    """
    found = [
        published
        for published in PUBLISHED
        if (published.subject, published.release) == (subject, release)
    ]
    if not found:
        raise UnknownRequirementSetError(
            f"no requirement set for {subject!r} of Kafka {release!r}; there are "
            f"{', '.join(_BY_NAME)}; choose one of their releases"
        )
    return max(found, key=lambda published: published.version)
