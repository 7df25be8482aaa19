"""One fetch with the draft field, beside what the same broker answered before in the same
scenario.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from drafts.max_records.change import limit_in, version_of
from drafts.max_records.profile import Profile
from drafts.max_records.units import View
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.steps import Fetch
from spec.fetch.turn import Served
from spec.fetch.turn import Turn as Fetched
from spec.frozen import frozen, replace
from spec.kafka import READ_COMMITTED
from spec.layout import Codec


@frozen(slots=False)
class Turn:
    """One fetch and its answer, with those before it.

    Attributes:
        fetched: the fetch beside what the logs held; its own reads know of no limit of records.
        profile: how the broker takes the field on the wire. No clause asks it for more.
        earlier: the fetches that were answered before, and their answers.
    """

    fetched: Fetched
    profile: Profile
    earlier: tuple[tuple[Fetch, FetchAnswer], ...] = ()

    @property
    def limit(self) -> int | None:
        """The limit of records, where the request carries one above 0."""
        value = limit_in(self.fetched.fetch)
        return value if value is not None and value > 0 and self.carries else None

    @property
    def carries(self) -> bool:
        """Whether the request's version has the field."""
        return self.fetched.fetch.version >= version_of(self.profile)

    @cached_property
    def plain(self) -> bool:
        """Whether it is a sessionless read by a consumer with legal parameters, and was
        answered.
        """
        return self.fetched.plain and self.fetched.fetch.epoch < 0

    @cached_property
    def unlimited(self) -> FetchAnswer | None:
        """The answer to the same fetch without the field; None where it was not asked."""
        return next(
            (
                answer
                for fetch, answer in self.earlier
                if limit_in(fetch) is None and _alike(fetch, self.fetched.fetch)
            ),
            None,
        )

    @property
    def with_less(self) -> Iterator[tuple[int, FetchAnswer]]:
        """The lower limits above 0 with which the same was asked, and the answers."""
        mine = self.limit or 0
        for fetch, answer in self.earlier:
            less = limit_in(fetch) or 0
            if 0 < less < mine and _alike(fetch, self.fetched.fetch):
                yield less, answer

    def most_of(self, served: Served) -> int:
        """The most that all batches of the partition can count under any reading."""
        return sum(max(batch.records, batch.last - batch.base + 1) for batch in served.run)

    def least_of(self, served: Served) -> int:
        """The least that what was answered of the partition can count under any reading: one for
        each batch that a consumer uses.

        Batches that count one and others may have a limit each (`mixed=separate`), and which codecs
        count one is a reading too.
        """
        if served.got is None or served.log is None:
            return 0
        view = View(served.log, served.ask.offset, self.fetched.fetch.isolation)
        committed = self.fetched.fetch.isolation == READ_COMMITTED
        used = [
            one for one in served.run[: len(served.got.batches)] if one.records and not one.control
        ]
        kinds = [
            _KINDS.get(one.codec, "slow") for one in used if not (committed and view.dropped(one))
        ]
        return max(Counter(kinds).values(), default=0)


_KINDS = {Codec.NONE: "plain", Codec.LZ4: "fast", Codec.SNAPPY: "fast"}
"""Codecs of which no reading counts some batches by one limit and some by another."""


def _alike(one: Fetch, other: Fetch) -> bool:
    """Whether two fetches ask the same but for the limit and the version that carries it; both go
    by topic ids, or neither does.
    """
    return replace(one, extra=(), version=0) == replace(other, extra=(), version=0)
