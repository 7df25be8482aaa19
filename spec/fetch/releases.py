"""Decisions of Kafka releases about Fetch, which a reading or a planted fault may take
otherwise.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

from spec.fact import fact
from spec.frozen import frozen
from spec.kafka import OLDEST_FETCH

if TYPE_CHECKING:
    from spec.fetch.hook import FetchHook


class Crossing(StrEnum):
    """The part that is sent of the batch that a byte limit falls into, after at least one whole
    batch (FET-102).
    """

    CUT = "cut"
    """Its first bytes, up to the limit."""
    LEFT_OUT = "left_out"
    """Nothing."""


class AbortedExtent(StrEnum):
    """The reach of the list of aborted transactions past the returned records (FET-052)."""

    RETURNED = "returned"
    """Transactions that overlap the returned offsets."""
    INDEXED = "indexed"
    """Up to the next entry of the offset index, the next segment or the end, whichever comes first.
    """


class Progress(StrEnum):
    """Which partitions of an answer may pass their limit by a first batch (FET-004)."""

    FIRST = "first"
    EVERY = "every"
    NONE = "none"


class StableBelowStart(StrEnum):
    """The last stable offset that is reported where the log start lies past the first offset of an
    open transaction (FET-172).
    """

    LOG_START = "log_start"
    BATCH_BASE = "batch_base"
    """The base offset of the batch that the log start lies in."""


@frozen(slots=False)
class FetchSemantics:
    """The named decisions about Fetch.

    Attributes:
        oldest_fetch, newest_fetch: the Fetch versions that are answered (FET-040).
        advertised: the lowest and the highest Fetch version that the broker advertises, where these
            are not the release's.
        fetch_max_bytes: the broker's `fetch.max.bytes` (FET-018).
        quota_window_s: the broker's `quota.window.num` less one, times its
            `quota.window.size.seconds` (FET-017).
        knows_quota_window: whether the broker reports it, or its user gives it.
        session_slots: the broker's `max.incremental.fetch.session.cache.slots` (FET-037).
        crossing: see `Crossing`.
        aborted_extent: see `AbortedExtent`.
        progress: see `Progress`.
        stable_below_start: see `StableBelowStart`.
        hook: what a draft changes of how fetches are answered; None in every release.
    """

    oldest_fetch: int = OLDEST_FETCH
    newest_fetch: int = 18
    advertised: tuple[int, int] | None = None
    fetch_max_bytes: int = 57671680
    quota_window_s: int = 10
    knows_quota_window: bool = True
    session_slots: int = 1000
    crossing: Crossing = Crossing.CUT
    aborted_extent: AbortedExtent = AbortedExtent.INDEXED
    progress: Progress = Progress.FIRST
    stable_below_start: StableBelowStart = StableBelowStart.BATCH_BASE
    hook: "FetchHook[FetchSemantics] | None" = None

    @fact
    def offered_versions(self) -> tuple[int, int]:
        """The lowest and the highest version outside of which no Fetch is answered; between, only
        the release's are judged.
        """
        low, high = self.advertised or (self.oldest_fetch, self.newest_fetch)
        return min(low, self.oldest_fetch), max(high, self.newest_fetch)


FETCH_RELEASES: Mapping[str, FetchSemantics] = {
    "4.0": FetchSemantics(newest_fetch=17),
    "4.1": FetchSemantics(),
    "4.2": FetchSemantics(),
    "4.3": FetchSemantics(),
    "4.4": FetchSemantics(),
}
