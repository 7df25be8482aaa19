"""A turn: what a clause about a client judges at a time. It is one step of the scenario with what
the client returned (a poll, a commit), one request that the client sent meanwhile, or one span of
records that it delivered of a partition; a clause's condition says which.
"""

from collections.abc import Mapping
from dataclasses import field

from spec.fairness.model.options import Options
from spec.fairness.model.visible import Visible, visible
from spec.fairness.outcomes import (
    CommitReturned,
    PollReturned,
    PositionReturned,
    ServedFetch,
)
from spec.fairness.sending import Record
from spec.fairness.sharing import Held
from spec.fairness.steps import ClientKind, StartClient
from spec.frozen import frozen
from spec.log import Log
from spec.outcomes import Outcome
from spec.steps import Step


@frozen
class Chunk:
    """What one response held of one partition that its client can deliver.

    Attributes:
        partition: its number in the layout.
        arrival: number of the response, and of the partition in it.
        left: the offsets of its records that were not delivered, in order.
        node: the broker that sent it.
        arrived_ms: since when it can be delivered: when it was sent, or its partition resumed.
        begun: whether some of its records were delivered.
        recent: whether the last poll that returned records returned some of it.
        displaced: whether its partition was paused since it arrived.
    """

    partition: int
    arrival: tuple[int, int]
    left: tuple[int, ...]
    node: int = 0
    arrived_ms: float = 0.0
    begun: bool = False
    recent: bool = False
    displaced: bool = False


@frozen
class ClientPosition:
    """How far a client has come in a partition, before a step.

    Attributes:
        start: where it began: the position it was given; None where the client chose it.
        last: the offset that it delivered last since; None where it delivered none.
        due: the first record that it has to deliver next; None where there is none yet, or the
            start is not known.
        sent: the offset up to which it was sent everything from its position on that can be parsed.
        spoiled: number of the response, and of the partition in it, that held what follows there so
            that it can't be parsed; None where none did.
        unreadable: whether what follows there has a checksum that does not fit, or an unknown
            format, and the client has reported no error since it began.
        idle: how many polls in a row returned nothing though something was sent that it had to
            deliver or to pass over.
        silent: how many polls in a row returned nothing though it was `unreadable`.
        paused: whether it is paused.
        overtaken: how many records of others were delivered since it had something to deliver, or
            since it delivered something and had more.
        ahead: how many records of others were waiting then.
    """

    start: int | None
    last: int | None = None
    due: int | None = None
    sent: int = 0
    spoiled: tuple[int, int] | None = None
    unreadable: bool = False
    idle: int = 0
    silent: int = 0
    paused: bool = False
    overtaken: int = 0
    ahead: int = 0

    @property
    def next(self) -> int | None:
        """The lowest offset that it may read next; None where the client chose it."""
        return self.start if self.last is None else self.last + 1

    @property
    def is_stuck(self) -> bool:
        """Whether the client stands before something `unreadable`."""
        return self.unreadable and self.next is not None and self.next <= self.sent


@frozen
class LeaderMove:
    """The last move of a partition's leader.

    Attributes:
        node: who leads it since.
        was_fetched: whether the client had asked for the partition before.
        is_followed: whether the client has asked this node for the partition since, and was not
            sent elsewhere.
        waited_ms: for how long polls that returned nothing have waited since.
        is_failing: whether every response holds another error in place of the partition.
    """

    node: int
    was_fetched: bool
    is_followed: bool = False
    waited_ms: float = 0.0
    is_failing: bool = False


@frozen
class Truncation:
    """A log was truncated, and the client has delivered a record that was written since.

    Attributes:
        end: the offset at which the log was truncated.
        first: the first record written since that was delivered.
        passed: the records before it that the client had to deliver and did not, those written
            since and those that the truncation left.
        repeated: the records that it delivered again since.
        names_epochs: whether it named a leader epoch when it fetched what it had delivered.
        was_reported: whether a poll has reported an error since.
    """

    end: int
    first: int
    passed: tuple[int, ...] = ()
    repeated: tuple[int, ...] = ()
    names_epochs: bool = False
    was_reported: bool = False


@frozen
class DeliveredSpan:
    """What a client delivered of a partition from a place where it began to the next one.

    Attributes:
        partition: its number in the layout.
        start: the position that it was given; None where the client chose it.
        delivered: the offsets in order of delivery.
        excused: offsets that it may leave out: of a batch that can't be parsed, once it has
            reported an error.
        at_error: offsets that it had been sent and had not delivered when a poll reported an error
            and returned no record.
    """

    partition: int
    start: int | None
    delivered: tuple[int, ...]
    excused: frozenset[int] = frozenset()
    at_error: frozenset[int] = frozenset()


@frozen
class Turn:
    """One step and what the client returned; one request of the client; or one span.

    Attributes:
        started: the options that the client was given.
        options: the same, with the defaults of Kafka's consumer.
        logs: the partitions after the step.
        step, outcome: None for a span.
        elapsed_ms: how long the step took.
        places: the assigned partitions before the step.
        damaged: the offsets of each partition that a response may hold damaged.
        served: one request, of those during the step; None for the step as a whole.
        span: one span.
        before, after: what was sent and not delivered before the step, and after it, in order of
            arrival; without what is paused.
        number: number of the request's response.
        held: of a share consumer, what it holds: before a request, or after the requests of a step
            and before what the step delivers.
        owed: of a share consumer, what it had to deliver before a step, and still has.
        last: of a share consumer, what the last poll returned.
        idle: how many polls in a row returned nothing though a share consumer owed something.
        given: of a producer, the records that it was given, in order, those of the step at the end.
        moves: where partitions' leaders are since they moved last, after a step.
        truncations: the logs that were truncated, by partition, where a poll delivered the first
            record that was written since.
        is_refused: whether its group has refused the client, and no poll has returned a record or
            an error since.
        unreported: in how many polls in a row that took long enough, up to this one.
        quiet_ms: for how long the client could have sent a request to a broker that had sent it
            something that it had not delivered, and sent none.
    """

    started: StartClient
    options: Options
    logs: Mapping[int, Log]
    step: Step | None = None
    outcome: Outcome | None = None
    elapsed_ms: float = 0.0
    places: Mapping[int, ClientPosition] = field(default_factory=dict)
    damaged: Mapping[int, frozenset[int]] = field(default_factory=dict)
    served: ServedFetch | None = None
    span: DeliveredSpan | None = None
    before: tuple[Chunk, ...] = ()
    after: tuple[Chunk, ...] = ()
    number: int = 0
    moves: Mapping[int, LeaderMove] = field(default_factory=dict)
    quiet_ms: float = 0.0
    held: Held = field(default_factory=dict)
    owed: tuple[tuple[int, int], ...] = ()
    last: tuple[tuple[int, int], ...] = ()
    idle: int = 0
    given: tuple[Record, ...] = ()
    truncations: Mapping[int, Truncation] = field(default_factory=dict)
    is_refused: bool = False
    unreported: int = 0

    @property
    def is_consumer(self) -> bool:
        """Whether the client reads from its own positions."""
        return self.started.client_kind is ClientKind.CONSUMER

    @property
    def is_step(self) -> bool:
        """Whether it is a step as a whole."""
        return self.step is not None and self.served is None

    @property
    def poll(self) -> PollReturned:
        """What a poll returned."""
        assert isinstance(self.outcome, PollReturned)
        return self.outcome

    @property
    def position(self) -> PositionReturned:
        """The position that was reported."""
        assert isinstance(self.outcome, PositionReturned)
        return self.outcome

    @property
    def commit(self) -> CommitReturned:
        """What was committed."""
        assert isinstance(self.outcome, CommitReturned)
        return self.outcome

    @property
    def request(self) -> ServedFetch:
        """The request, which there is."""
        assert self.served is not None
        return self.served

    def delivered_offsets(self, partition: int) -> frozenset[int]:
        """The offsets of a partition that a poll returned."""
        return frozenset([one.offset for one in self.poll.records if one.partition == partition])

    @property
    def part(self) -> DeliveredSpan:
        """The span, which there is."""
        assert self.span is not None
        return self.span

    def visible(self, partition: int, isolation: int | None = None) -> Visible:
        """The records of a partition that the client may read."""
        level = self.options.isolation if isolation is None else isolation
        return visible(self.logs[partition], level)
