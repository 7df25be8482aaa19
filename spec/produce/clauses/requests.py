"""What a request as a whole decides: its `acks`, and partitions that do not exist."""

from spec.clause import Chapter, Code, Doc, Held, Report, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.kafka import Error, error_name
from spec.outcomes import Closed
from spec.produce.clauses.codes import expect_error, expect_refusal
from spec.produce.examples import LIMIT, LOOK, alone, empty, pair, scenario
from spec.produce.outcomes import ProduceAnswer
from spec.produce.releases import REQUEST_MAX_BYTES
from spec.produce.steps import TOPIC_IDS_SINCE, Flaw, Outgoing, Produce, UseTopic
from spec.produce.topic import TopicSettings
from spec.produce.turn import Attempt, Turn, of_batch, of_request
from spec.scenario import Scenario
from spec.verdict import LimitClass, Side, Strength, side_of_range

chapter: Chapter[Turn] = Chapter()
of_requests = chapter.under(of_request)
of_batches = chapter.under(of_batch)

ACKS = Doc(
    "protocol guide, Produce: acks is 0 for no acknowledgements, 1 for the leader's alone, -1 for "
    "those of the full ISR"
)
INVALID = Doc("protocol guide, error INVALID_REQUIRED_ACKS")
PER_PARTITION = Doc("protocol guide, Produce: the answer has an error code for each partition")
HANDLED = Code("KafkaApis.scala", "396-450")
FENCE = Fence("acks", Unit.VALUES, "-1 to 1", meaning="at: -1, 0 or 1")


@of_requests.clause(
    "PRO-061",
    Strength.MUST,
    LimitClass.HARD,
    ACKS,
    slug="produce/request/answered",
)
def a_request_is_answered(turn: Turn) -> Held | None:
    """A Produce request whose acks is not 0, and that is not longer than socket.request.max.bytes,
    is answered.
    """
    sent = turn.request
    if not sent.step.acks or sent.may_be_too_long:
        return None
    if sent.answer is not None:
        return holds()
    return fails(f"acks={sent.step.acks}: expected an answer, found {sent.outcome}", "unanswered")


@a_request_is_answered.example("a batch for all replicas in sync, and one for the leader")
def _answered_example() -> Scenario:
    return scenario(alone(), alone(acks=1))


@of_requests.clause(
    "PRO-070",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, Produce: with acks=0 the broker sends no answer"),
    slug="produce/request/not-answered",
)
def a_request_without_acks_is_not_answered(turn: Turn) -> Held | None:
    """A Produce request whose acks is 0 gets no answer."""
    sent = turn.request
    if sent.step.acks:
        return None
    if not isinstance(sent.outcome, ProduceAnswer):
        return holds()
    return fails("acks=0: expected no answer, found one", "answered")


@a_request_without_acks_is_not_answered.example("a batch that nobody acknowledges")
def _not_answered() -> Scenario:
    return scenario(alone(acks=0))


@of_requests.clause(
    "PRO-118",
    Strength.REFERENCE,
    LimitClass.HARD,
    HANDLED,
    slug="produce/request/closed",
)
def an_error_without_acks_closes(turn: Turn) -> Held | None:
    """Where acks is 0 and a batch of the request is refused, the connection is closed; where none
    is, it stays open. A request with a batch whose compressed size decides is not looked at.

    A producer that asks for no answers learns of an error in this way.
    """
    sent = turn.request
    if sent.step.acks or sent.undecided or isinstance(sent.outcome, ProduceAnswer):
        return None
    if sent.may_be_too_long:
        return None
    closed = isinstance(sent.outcome, Closed)
    if closed == any(sent.expected):
        return holds()
    if closed:
        return fails("acks=0, nothing refused: expected it open, found it closed", "closed")
    return fails("acks=0, a batch refused: expected it closed, found it open", "left open")


@an_error_without_acks_closes.example("a sound batch, then one with a wrong checksum")
def _closes() -> Scenario:
    return scenario(alone(acks=0), alone(flaw=Flaw.CRC, acks=0))


@of_batches.clause(
    "PRO-018",
    Strength.MUST,
    LimitClass.HARD,
    ACKS,
    INVALID,
    slug="produce/request/acks",
    fence=FENCE,
)
def acks_is_one_of_three(turn: Turn) -> Held | None:
    """A batch of a request whose acks is neither -1, 0 nor 1 is answered with an error."""
    sent = turn.sent_batch
    where = side_of_range(sent.sending.step.acks, -1, 1)
    if sent.before is None:
        return None
    if sent.sending.step.acks in {-1, 0, 1}:
        return holds(where) if sent.code != Error.INVALID_REQUIRED_ACKS else None
    return expect_refusal(sent, f"acks={sent.sending.step.acks}", where)


@acks_is_one_of_three.example("acks=-2, -1, 1 and 2")
def _acks() -> Scenario:
    return scenario(*[alone(acks=acks) for acks in (-2, -1, 1, 2)])


@of_batches.clause(
    "PRO-119",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ReplicaManager.scala", "647"),
    slug="produce/request/acks-code",
    fence=FENCE,
)
def wrong_acks_have_their_code(turn: Turn) -> Held | None:
    """A batch with nothing wrong is answered with INVALID_REQUIRED_ACKS (21) if and only if the
    acks of its request is neither -1, 0 nor 1.
    """
    sent = turn.sent_batch
    where = side_of_range(sent.sending.step.acks, -1, 1)
    expected = Error.INVALID_REQUIRED_ACKS
    if sent.before is None or sent.batch.flaw is not Flaw.NONE or sent.sending.fails_whole:
        return None
    if sent.error == expected:
        return expect_error(sent, expected, f"acks={sent.sending.step.acks}", where)
    if sent.sending.step.acks not in {-1, 0, 1}:
        return None
    return expect_error(sent, Error.NONE, "acks", where) if sent.code == expected else holds(where)


@wrong_acks_have_their_code.example("acks=-2, -1, 1 and 2")
def _acks_coded() -> Scenario:
    return scenario(*[alone(acks=acks) for acks in (-2, -1, 1, 2)])


@of_batches.clause(
    "PRO-019",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, error UNKNOWN_TOPIC_OR_PARTITION"),
    PER_PARTITION,
    slug="produce/request/unknown-partition",
)
def an_unknown_partition_is_refused(turn: Turn) -> Held | None:
    """A batch for a partition that does not exist is answered with an error."""
    return (
        expect_refusal(turn.sent_batch, "no such partition")
        if turn.sent_batch.before is None
        else None
    )


@an_unknown_partition_is_refused.example("a partition past the last one")
def _unknown() -> Scenario:
    return scenario(alone(partition=1))


@of_batches.clause(
    "PRO-120",
    Strength.REFERENCE,
    LimitClass.HARD,
    HANDLED,
    slug="produce/request/unknown-partition-code",
)
def an_unknown_partition_has_its_code(turn: Turn) -> Held | None:
    """A batch for a partition that does not exist, of a topic that does, is answered with
    UNKNOWN_TOPIC_OR_PARTITION (3), whether the topic is named or has its id, if nothing fails the
    whole request (PRO-066, PRO-045, PRO-117).
    """
    sent = turn.sent_batch
    if sent.before is not None or sent.sending.fails_whole:
        return None
    return expect_error(sent, Error.UNKNOWN_TOPIC_OR_PARTITION, "no such partition")


@an_unknown_partition_has_its_code.example("a partition past the last one")
def _unknown_coded() -> Scenario:
    return scenario(alone(partition=1))


@an_unknown_partition_has_its_code.example("such a partition, in the version with topic ids")
def _unknown_id() -> Scenario:
    return scenario(alone(partition=1, version=TOPIC_IDS_SINCE))


@of_batches.clause(
    "PRO-067",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, Produce: error code 0 if there was no error"),
    slug="produce/request/accepted",
)
def a_sound_batch_is_accepted(turn: Turn) -> Held | None:
    """A whole, sound batch within the limits of its topic, for a partition that exists and of no
    idempotent producer, is answered without an error, if no batch of its request is refused.

    Left out are batches whose stored size a compressor decides, and answers of a topic that lacks
    replicas in sync (PRO-055).
    """
    sent = turn.sent_batch
    if sent.error or not _is_plain(sent) or sent.neighbour_refused:
        return None
    return _expect_accepted(turn, "a sound batch")


@a_sound_batch_is_accepted.example("two partitions, a batch for each")
def _accepted_example() -> Scenario:
    return scenario(Produce((Outgoing(0, 100), Outgoing(1, 300, 4))), partitions=2)


@of_batches.clause(
    "PRO-053",
    Strength.MUST,
    LimitClass.HARD,
    PER_PARTITION,
    slug="produce/request/neighbours",
)
def a_refused_batch_leaves_its_neighbours(turn: Turn) -> Held | None:
    """A whole, sound batch of no idempotent producer is answered without an error though
    another batch of its request is refused, if that one does not fail the whole request
    (PRO-066, PRO-045, PRO-117) and the acks of the request is -1, 0 or 1. Left out is what PRO-067
    leaves out.
    """
    sent = turn.sent_batch
    if sent.error or not _is_plain(sent) or not sent.neighbour_refused:
        return None
    return _expect_accepted(turn, "a sound batch beside a refused one")


@a_refused_batch_leaves_its_neighbours.example("a wrong checksum beside a sound batch")
def _neighbours() -> Scenario:
    return scenario(pair(Flaw.CRC), partitions=2)


@a_refused_batch_leaves_its_neighbours.example("a sound batch beside a partition that is not there")
def _beside_nothing() -> Scenario:
    return scenario(Produce((Outgoing(1, 100), Outgoing(0, 300, 4))))


LONGEST = Doc("config socket.request.max.bytes: the maximum number of bytes in a socket request")
TOO_LONG = Produce((Outgoing(0, 200),), length=REQUEST_MAX_BYTES + 1)


@of_requests.clause(
    "PRO-050",
    Strength.MUST,
    LimitClass.SOFT,
    LONGEST,
    Report("Azure/azure-event-hubs-for-kafka#255"),
    slug="produce/request/length",
    fence=Fence(
        "bytes of the request, without the length before it", Unit.BYTES, "socket.request.max.bytes"
    ),
)
def a_request_is_not_too_long(turn: Turn) -> Held | None:
    """No batch of a request of more bytes than socket.request.max.bytes is accepted. A request of
    as many or fewer, whose acks is not 0, is answered.

    Apache Kafka closes the connection once it has read the length (NetworkReceive.java:91-95).
    """
    sent = turn.request
    where = sent.where
    if where is None or (where is not Side.ABOVE and not sent.step.acks):
        return None
    what = f"a request of {sent.step.lengths[0]} bytes where {sent.limit} are allowed"
    if where is not Side.ABOVE:
        found = f"{what}: expected an answer, found {sent.outcome}"
        return holds(where) if sent.answer is not None else breaks(where, found, "unanswered")
    accepted = sent.answer is not None and not all(one.error for one in sent.answer.partitions)
    return breaks(where, f"{what}: accepted", "accepted") if accepted else holds(where)


@a_request_is_not_too_long.example("one byte more than by default, and a small one")
def _too_long() -> Scenario:
    return scenario(TOO_LONG, alone(200, 2))


INSYNC = Doc(
    "config min.insync.replicas: how many replicas in sync a write needs when a producer sets acks "
    "to all"
)
TWO_IN_SYNC = UseTopic(TopicSettings(LIMIT, min_insync=2))


@of_batches.clause(
    "PRO-054",
    Strength.MUST,
    LimitClass.SOFT,
    INSYNC,
    slug="produce/request/min-insync-replicas",
)
def replicas_in_sync_matter_to_all(turn: Turn) -> Held | None:
    """A batch of a request whose acks is 1 is not answered with NOT_ENOUGH_REPLICAS or
    NOT_ENOUGH_REPLICAS_AFTER_APPEND, whatever min.insync.replicas is.
    """
    sent = turn.sent_batch
    if sent.sending.step.acks != 1 or sent.before is None or sent.topic.min_insync < 2:
        return None
    if sent.code not in {Error.NOT_ENOUGH_REPLICAS, Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND}:
        return holds()
    return fails(f"acks=1: expected none of it, found {error_name(sent.code)}", "refused")


@replicas_in_sync_matter_to_all.example("two replicas in sync are asked for, acks=1")
def _leader_alone() -> Scenario:
    return Scenario(empty(1), (TWO_IN_SYNC, alone(acks=1), *LOOK))


@of_batches.clause(
    "PRO-055",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code("Partition.scala", "effectiveMinIsr"),
    slug="produce/request/fewer-replicas",
)
def no_more_replicas_are_asked_for_than_there_are(turn: Turn) -> Held | None:
    """A sound batch with acks=-1 for a topic whose min.insync.replicas is 2 is answered with
    neither NOT_ENOUGH_REPLICAS nor NOT_ENOUGH_REPLICAS_AFTER_APPEND while all replicas are in sync,
    also if there is one: no more are asked for than there are.

    By the config's documentation a broker may answer NOT_ENOUGH_REPLICAS (19) there.
    """
    sent = turn.sent_batch
    if sent.sending.step.acks != -1 or sent.topic.min_insync != 2 or sent.error:
        return None
    if sent.before is None or sent.is_undecided:
        return None
    return fails(f"found {error_name(sent.code)}", "refused") if sent.lacks_replicas else holds()


@no_more_replicas_are_asked_for_than_there_are.example("two are asked for, acks=-1")
def _in_sync() -> Scenario:
    return Scenario(empty(1), (TWO_IN_SYNC, alone(), alone(200, 2), *LOOK))


def _is_plain(sent: Attempt) -> bool:
    """Whether it has no flaw, no producer whose earlier batches count, a size that no compressor
    decides, and a topic that does not lack replicas.
    """
    plain = sent.batch.flaw is Flaw.NONE and sent.batch.producer is None
    return plain and not sent.is_undecided and not sent.lacks_replicas


def _expect_accepted(turn: Turn, what: str) -> Held:
    code = turn.sent_batch.code
    if not code:
        return holds()
    return fails(f"{what}: expected no error, found {error_name(code)}", "refused")
