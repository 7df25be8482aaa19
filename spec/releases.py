"""The model's decisions for each Kafka release in the catalogue."""

from collections.abc import Mapping

from spec.semantics import Semantics
from spec.subject_registry import SUBJECTS


def _release(name: str) -> Semantics:
    return Semantics(
        name, tuple([subject.releases[name] for subject in SUBJECTS if name in subject.releases])
    )


RELEASES: Mapping[str, Semantics] = {
    name: _release(name)
    for name in dict.fromkeys(name for one in SUBJECTS for name in one.releases)
}
"""By `major.minor`, oldest first."""


def semantics_for(release: str) -> Semantics:
    """The model as this Kafka release decides.

    Args:
        release: `major.minor`.

    Raises:
        KeyError: the catalogue does not speak of that release.
    """
    return RELEASES[release]
