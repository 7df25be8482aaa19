"""The draft as a change of the model: which requests carry the field, and what it says in them."""

from collections.abc import Mapping, Sequence

from drafts.max_records import walk
from drafts.max_records.profile import Encoding, InSession, Profile
from spec.fetch.hook import Reads
from spec.fetch.model.request import Ask
from spec.fetch.model.session import Admission, Mode
from spec.fetch.releases import FetchSemantics
from spec.fetch.steps import DraftField, Fetch
from spec.frozen import frozen
from spec.kafka import FLEXIBLE_SINCE
from spec.log import Log
from spec.semantics import Change, Semantics

SUBJECT = "max_records"
FIELD = "max_records"
"""The field's name in a scenario and in Kafka's message definitions as the codec names them."""
DRAFT_VERSION = 19
"""The Fetch version that the draft would make: one more than the newest of any release (FET-040).
"""


def limited_to(value: int | None) -> tuple[DraftField, ...]:
    """The extra fields of a fetch with this limit of records; None leaves the field out."""
    return () if value is None else (DraftField(FIELD, value, SUBJECT),)


def limit_in(fetch: Fetch) -> int | None:
    """The value of the field in a fetch; None where it is absent."""
    return fetch.value_of(FIELD)


@frozen
class MaxRecords:
    """A read path with a limit of records, read in one way.

    Attributes:
        profile: how the draft is read.
    """

    profile: Profile

    def refuses(self, fetch: Fetch, admission: Admission) -> int:
        """Return the error with which the whole request is answered; 0 where it is taken."""
        return walk.refusal_error(limit_in_force(fetch, admission, self.profile), self.profile)

    def read(
        self,
        fetch: Fetch,
        admission: Admission,
        asks: Sequence[Ask],
        logs: Mapping[int, Log],
        limit: int,
        semantics: FetchSemantics,
    ) -> Reads | None:
        """Read the partitions under `limit` bytes and the limit of records; None where that is
        absent.
        """
        value = limit_in_force(fetch, admission, self.profile)
        if value is None:
            return None
        walked = walk.read_all(asks, logs, limit, fetch.isolation, semantics, value, self.profile)
        least = min(fetch.min_bytes, limit)
        waits = walk.waits(
            asks, logs, walked, least, fetch.max_wait_ms, fetch.isolation, self.profile
        )
        return Reads(walked.reads, waits)


def profile_of(semantics: Semantics) -> Profile | None:
    """How the draft is read; None where it is not known, as in every release."""
    hook = semantics.of(FetchSemantics).hook
    return hook.profile if isinstance(hook, MaxRecords) else None


def draft_change(profile: Profile) -> Change:
    """A release with the draft field, read in this way."""
    hook = MaxRecords(profile)
    if profile.encoding is Encoding.UNVERSIONED:
        return lambda semantics: semantics.with_decisions(FetchSemantics, hook=hook)
    return lambda semantics: semantics.with_decisions(
        FetchSemantics, hook=hook, newest_fetch=DRAFT_VERSION
    )


def version_of(profile: Profile) -> int:
    """The lowest Fetch version that carries the field."""
    return FLEXIBLE_SINCE if profile.encoding is Encoding.UNVERSIONED else DRAFT_VERSION


def limit_in_force(fetch: Fetch, admission: Admission, profile: Profile) -> int | None:
    """The field's value for this request, or for the session that it belongs to; None for
    neither.
    """
    if fetch.version < version_of(profile):
        return None
    value = limit_in(fetch)
    remembers = profile.session is InSession.CACHED and admission.mode is Mode.INCREMENTAL
    if value is None and remembers and admission.before:
        return next((one.value for one in admission.before.extra if one.name == FIELD), None)
    return value
