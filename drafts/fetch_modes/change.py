"""The draft as a change of the model: two fields of Fetch v19, and a read path that counts
records.
"""

from collections.abc import Mapping, Sequence

from drafts.fetch_modes.profile import First, Profile, Unknown
from spec.fetch.hook import Reads
from spec.fetch.model import reference
from spec.fetch.model.read import Read
from spec.fetch.model.request import Ask
from spec.fetch.model.session import Admission
from spec.fetch.releases import FetchSemantics
from spec.fetch.steps import DraftField, Fetch
from spec.frozen import frozen, replace
from spec.kafka import Error
from spec.log import Log, bytes_of
from spec.semantics import Change, Semantics

SUBJECT = "fetch_modes"
RECORDS, MODE = "fetch_records", "fetch_mode"
"""The fields: a limit of records, and how it is kept."""
BATCH_OPTIMIZED, RECORD_LIMIT = 0, 1
DRAFT_VERSION = 19


def limit_fields(records: int | None, mode: int = BATCH_OPTIMIZED) -> tuple[DraftField, ...]:
    """The extra fields of a fetch with this limit and mode; None leaves the limit out, 0 is the
    mode that needs no field.
    """
    found = () if records is None else (DraftField(RECORDS, records, SUBJECT),)
    return (*found, DraftField(MODE, mode, SUBJECT)) if mode else found


def limit_in(fetch: Fetch) -> int | None:
    """The limit of records that holds for a fetch; None for none."""
    value = fetch.value_of(RECORDS)
    return value if value is not None and value > 0 and fetch.version >= DRAFT_VERSION else None


def mode_in(fetch: Fetch) -> int:
    """The mode of a fetch."""
    return fetch.value_of(MODE) or BATCH_OPTIMIZED


@frozen
class FetchModes:
    """The read path with a limit of records.

    Attributes:
        profile: how the draft is read.
    """

    profile: Profile

    def refuses(self, fetch: Fetch, admission: Admission) -> int:
        """Return INVALID_REQUEST for a mode that is not known, where it is not taken for
        another.
        """
        del admission
        unknown = fetch.version >= DRAFT_VERSION and mode_in(fetch) not in {
            BATCH_OPTIMIZED,
            RECORD_LIMIT,
        }
        return Error.INVALID_REQUEST if unknown and self.profile.unknown is Unknown.INVALID else 0

    def read(
        self,
        fetch: Fetch,
        admission: Admission,
        asks: Sequence[Ask],
        logs: Mapping[int, Log],
        limit: int,
        semantics: FetchSemantics,
    ) -> Reads | None:
        """Read the partitions in order, whole batches only, as long as the records before leave
        room.
        """
        del admission
        most = limit_in(fetch)
        if most is None:
            return None
        strict = mode_in(fetch) == RECORD_LIMIT
        right = not strict or self.profile.first is First.RETURNED
        reads: list[Read] = []
        taken = 0
        for ask in asks:
            log = logs[ask.partition]
            found = reference.read_one(
                log,
                ask,
                min(ask.max_bytes, limit),
                fetch.isolation,
                semantics,
                progress=not any(read.size for read in reads),
            )
            batches = log.batches[found.first : found.first + found.whole] if found.size else ()
            kept = 0
            for batch in batches:
                fits = taken + batch.records <= most if strict else taken < most
                if not fits and not (right and not taken):
                    break
                kept, taken = kept + 1, taken + batch.records
            size = bytes_of(batches[:kept])
            reads.append(
                found
                if found.error
                else Read(first=found.first, size=size, whole=kept)
                if kept
                else Read()
            )
            limit = max(0, limit - size)
        held = taken < most and reference.waits(
            asks, logs, reads, min(fetch.min_bytes, limit), fetch.max_wait_ms, fetch.isolation
        )
        return Reads(reads, held)


def draft_change(profile: Profile) -> Change:
    """A release with the draft, read in this way."""
    hook = FetchModes(profile)
    return lambda semantics: semantics.with_decisions(
        FetchSemantics, hook=hook, newest_fetch=DRAFT_VERSION
    )


def is_known(semantics: Semantics) -> bool:
    """Whether the broker has the draft."""
    return isinstance(semantics.of(FetchSemantics).hook, FetchModes)


def without_fields(fetch: Fetch) -> Fetch:
    """The same fetch without the draft's fields and whatever its version: what two fetches must
    share to be compared.
    """
    return replace(fetch, extra=(), version=0)
