"""Turns: what the clauses about offsets look at."""

from dataclasses import field

from spec.frozen import frozen
from spec.kafka import Error
from spec.offsets.model import Commits, Timelines, is_known, is_named_twice
from spec.offsets.outcomes import Found, ListOffsetsAnswer
from spec.offsets.releases import OffsetSemantics
from spec.offsets.steps import (
    EPOCH_SINCE,
    ListOffsets,
    Lookup,
    OffsetCommit,
    OffsetFetch,
    OffsetForLeaderEpoch,
)
from spec.offsets.timeline import Timeline, target_of
from spec.outcomes import Outcome
from spec.steps import DeleteRecords


@frozen
class EarlierLookup:
    """A lookup of the same partition that was answered since the last write, without an error.

    Attributes:
        lookup, isolation: what was asked.
        found: what was answered.
    """

    lookup: Lookup
    isolation: int
    found: Found


Asked = ListOffsets | DeleteRecords | OffsetForLeaderEpoch | OffsetCommit | OffsetFetch


@frozen
class Turn:
    """One request, or one lookup of it, the state that it met, and the response.

    Attributes:
        step: the request.
        timelines: the partitions before it.
        outcome: the response.
        semantics: the decisions of the release.
        lookup: which lookup this is about; None for the request as a whole.
        found: its entry of the response; None where it has none, or more than one.
        earlier: the lookups of its partition that were answered since the last write.
        commits: the last commit of each partition.
    """

    step: Asked
    timelines: Timelines
    outcome: Outcome
    semantics: OffsetSemantics
    lookup: Lookup | None = None
    found: Found | None = None
    earlier: tuple[EarlierLookup, ...] = ()
    commits: Commits = field(default_factory=dict)

    @property
    def request(self) -> ListOffsets:
        """The request, which is a ListOffsets."""
        assert isinstance(self.step, ListOffsets)
        return self.step

    @property
    def asked_lookup(self) -> Lookup:
        """The lookup, which there is."""
        assert self.lookup is not None
        return self.lookup

    @property
    def response_entry(self) -> Found:
        """The entry of the response, which there is."""
        assert self.found is not None
        return self.found

    @property
    def answer(self) -> ListOffsetsAnswer:
        """The response, which is an answer."""
        assert isinstance(self.outcome, ListOffsetsAnswer)
        return self.outcome

    @property
    def exists(self) -> bool:
        """Whether the partition of the lookup is one of the layout."""
        return self.asked_lookup.partition < len(self.timelines)

    @property
    def timeline(self) -> Timeline:
        """The partition before the request."""
        if isinstance(self.step, ListOffsets):
            return self.timelines[self.asked_lookup.partition]
        assert isinstance(self.step, DeleteRecords | OffsetForLeaderEpoch)
        return self.timelines[self.step.partition]

    @property
    def bound(self) -> int:
        """The offset that the lookup may not reach."""
        return self.timeline.bound(self.request.isolation)

    @property
    def target(self) -> float:
        """The time that the lookup looks for, relative to the partition's."""
        return target_of(self.asked_lookup.timestamp, relative=self.asked_lookup.relative)

    @property
    def asked_well(self) -> bool:
        """Whether the version has what is asked for, and the partition is named once."""
        return is_known(self.asked_lookup, self.request.version) and not is_named_twice(
            self.request, self.asked_lookup.partition
        )

    @property
    def is_allowed(self) -> bool:
        """Whether nothing speaks against the lookup: the version has what is asked for, the
        partition exists and is named once, and its leader epoch is the current one or none.
        """
        return (
            self.asked_well
            and self.exists
            and (self.request.version < EPOCH_SINCE or not self.asked_lookup.leader_epoch)
        )

    @property
    def is_served(self) -> bool:
        """Whether the lookup is allowed and was answered without an error."""
        return self.is_allowed and self.response_entry.error == Error.NONE
