"""The subjects, one line each, and those of drafts: what iterates over them knows none by its
name.
"""

from functools import cache

import spec.fairness.subject as fairness
import spec.fetch.subject as fetch
import spec.groups.subject as groups
import spec.limits.subject as limits
import spec.offsets.subject as offsets
import spec.produce.subject as produce
import spec.replication.subject as replication
import spec.segments.subject as segments
import spec.share.subject as share
from spec.draft_registry import drafts
from spec.subject import Subject

SUBJECTS: tuple[Subject, ...] = (
    fetch.SUBJECT,
    share.SUBJECT,
    groups.SUBJECT,
    offsets.SUBJECT,
    produce.SUBJECT,
    segments.SUBJECT,
    limits.SUBJECT,
    fairness.SUBJECT,
    replication.SUBJECT,
    *[draft.subject for draft in drafts()],
)


class UnknownSubjectError(LookupError):
    """No subject has this name."""


@cache
def subject_named(name: str) -> Subject:
    """The subject of this name.

    Raises:
        UnknownSubjectError: there is none; the message names those that there are.
    """
    for subject in SUBJECTS:
        if subject.name == name:
            return subject
    known = ", ".join(subject.name for subject in SUBJECTS)
    raise UnknownSubjectError(f"expected one of the subjects {known}, found {name!r}")
