"""Which producer ids and epochs a coordinator gives out (InitProducerId; KIP-98, KIP-360)."""

from spec.clause import KIP, Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.in_words import in_words
from spec.kafka import Error, error_name
from spec.produce.examples import empty
from spec.produce.model.coordinator import LAST_EPOCH, TransactionalIdKind, code_in
from spec.produce.releases import TRANSACTION_MAX_MS
from spec.produce.steps import EMPTY_ID, CarriedProducer, InitProducer
from spec.produce.turn import InitProducerExchange, Turn, of_initiation
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter(of_initiation)

LIMIT = "transaction.max.timeout.ms"
PROMISE = KIP(98, "Getting a producer Id")
RECOVERY = KIP(360, "Proposed Changes")
COORDINATOR = Code("TransactionCoordinator.scala", "handleInitProducerId")
METADATA = Code("TransactionMetadata.java", "prepareIncrementProducerEpoch")


def _is_plain(given: InitProducerExchange) -> bool:
    """Whether a request names a transactional id and claims nothing."""
    return given.naming is TransactionalIdKind.NAMED and given.step.claim is CarriedProducer.NONE


@chapter.clause(
    "PRO-170",
    Strength.MUST,
    LimitClass.SOFT,
    Doc(f"config {LIMIT}: a longer timeout is answered with an error in InitProducerId"),
    slug="produce/producer/timeout",
    fence=Fence("the transaction timeout", Unit.MILLISECONDS, LIMIT),
)
def a_timeout_is_at_most_so_long(turn: Turn) -> Held | None:
    """An InitProducerId request with a transactional id and a transaction timeout of more than
    transaction.max.timeout.ms is answered with an error; one of as much or less, and at least 1 ms,
    is not answered with INVALID_TRANSACTION_TIMEOUT.
    """
    given = turn.given
    asked, limit = given.step.timeout_ms, given.longest_ms
    if limit is None or asked < 1 or not _is_plain(given):
        return None
    where = side(asked, limit)
    what = f"a timeout of {asked} ms under {LIMIT}={limit}"
    if asked > limit:
        if given.answer.error:
            return holds(where)
        return breaks(where, f"{what}: expected an error, found none", "accepted")
    if given.answer.error == Error.INVALID_TRANSACTION_TIMEOUT:
        return breaks(where, f"{what}: found INVALID_TRANSACTION_TIMEOUT", "refused")
    return holds(where)


@a_timeout_is_at_most_so_long.example("1 ms, and one below the limit, at it and past it")
def _timeouts() -> Scenario:
    some = (1, *[TRANSACTION_MAX_MS + more for more in (-1, 0, 1)])
    return _play(*[InitProducer(0, timeout) for timeout in some])


@chapter.clause(
    "PRO-171",
    Strength.REFERENCE,
    LimitClass.SOFT,
    COORDINATOR,
    slug="produce/producer/timeout-code",
)
def a_long_timeout_has_its_code(turn: Turn) -> Held | None:
    """An InitProducerId request that is refused for a transaction timeout of more than
    transaction.max.timeout.ms is answered with INVALID_TRANSACTION_TIMEOUT (50).
    """
    given = turn.given
    if given.longest_ms is None or given.step.timeout_ms <= given.longest_ms:
        return None
    if not _is_plain(given) or not given.answer.error:
        return None
    return _expect(given, Error.INVALID_TRANSACTION_TIMEOUT)


@a_long_timeout_has_its_code.example("one past the limit")
def _too_long() -> Scenario:
    return _play(InitProducer(0, TRANSACTION_MAX_MS + 1))


@chapter.clause(
    "PRO-172",
    Strength.REFERENCE,
    LimitClass.HARD,
    COORDINATOR,
    slug="produce/producer/timeout-of-zero",
    fence=Fence("the transaction timeout", Unit.MILLISECONDS, "0"),
)
def a_timeout_is_positive(turn: Turn) -> Held | None:
    """An InitProducerId request with a transaction timeout of 0 or less is answered with
    INVALID_TRANSACTION_TIMEOUT (50), one of 1 ms is not.
    """
    given = turn.given
    if not _is_plain(given) or given.step.timeout_ms > 1:
        return None
    where, error = side(given.step.timeout_ms, 0), Error.INVALID_TRANSACTION_TIMEOUT
    refused = given.answer.error == error
    if refused == (given.step.timeout_ms <= 0):
        return holds(where)
    why = f"a timeout of {given.step.timeout_ms} ms: found {error_name(given.answer.error)}"
    return breaks(where, why, "refused" if refused else "accepted")


@a_timeout_is_positive.example("one below zero, zero, and one more")
def _positive() -> Scenario:
    return _play(*[InitProducer(0, timeout) for timeout in (-1, 0, 1)])


@chapter.clause(
    "PRO-173",
    Strength.REFERENCE,
    LimitClass.HARD,
    COORDINATOR,
    slug="produce/producer/without-name",
)
def a_producer_without_a_name_is_given_one(turn: Turn) -> Held | None:
    """An InitProducerId request without a transactional id, that carries a producer id with an
    epoch or neither, is answered without an error, whatever its transaction timeout.
    """
    given = turn.given
    if given.naming is not TransactionalIdKind.NULL or _carries_one(given):
        return None
    return _expect(given, Error.NONE)


@a_producer_without_a_name_is_given_one.example("timeouts that no transaction may have")
def _nameless() -> Scenario:
    return _play(*[InitProducer(None, timeout) for timeout in (-1, 0, TRANSACTION_MAX_MS + 1)])


@chapter.clause(
    "PRO-174",
    Strength.REFERENCE,
    LimitClass.HARD,
    COORDINATOR,
    slug="produce/producer/empty-name",
)
def an_empty_name_is_refused(turn: Turn) -> Held | None:
    """An InitProducerId request whose transactional id is an empty string is answered with
    INVALID_REQUEST (42).
    """
    given = turn.given
    return (
        _expect(given, Error.INVALID_REQUEST) if given.naming is TransactionalIdKind.EMPTY else None
    )


@an_empty_name_is_refused.example("an empty transactional id, and none")
def _empty_name() -> Scenario:
    return _play(InitProducer(EMPTY_ID), InitProducer())


@chapter.clause(
    "PRO-175",
    Strength.MUST,
    LimitClass.HARD,
    PROMISE,
    slug="produce/producer/unique",
)
def a_new_producer_has_an_id_of_its_own(turn: Turn) -> Held | None:
    """An InitProducerId request without a transactional id, or the first one with it, that is
    answered without an error is given a producer id that no answer of the scenario had before.
    """
    given = turn.given
    if given.pair is None or given.pairs:
        return None
    if given.answer.producer not in given.producers:
        return holds()
    return fails("expected a fresh producer id, found one that was given before", "given twice")


@a_new_producer_has_an_id_of_its_own.example("two without a transactional id, and two with one")
def _unique() -> Scenario:
    return _play(*[InitProducer(name) for name in (None, None, 0, 1, None)])


@chapter.clause(
    "PRO-176",
    Strength.REFERENCE,
    LimitClass.HARD,
    COORDINATOR,
    slug="produce/producer/first-epoch",
)
def a_new_producer_begins_at_epoch_zero(turn: Turn) -> Held | None:
    """The epoch of a producer id that no InitProducerId answer of the scenario had before is 0."""
    given = turn.given
    if given.pair is None or given.answer.producer in given.producers:
        return None
    if given.answer.epoch == 0:
        return holds()
    return fails(f"expected epoch 0, found {in_words(given.answer.epoch)}", "other epoch")


@a_new_producer_begins_at_epoch_zero.example("one without a transactional id, and one with it")
def _first_epoch() -> Scenario:
    return _play(InitProducer(), InitProducer(0))


@chapter.clause(
    "PRO-177",
    Strength.MUST,
    LimitClass.HARD,
    PROMISE,
    slug="produce/producer/fences",
)
def the_same_name_has_the_same_producer(turn: Turn) -> Held | None:
    """An InitProducerId request with a transactional id that was given a producer id before, and
    that carries none or the last pair of producer id and epoch, if it is answered without an error,
    is given that producer id with a newer epoch, or from epoch 32766 on a producer id that no
    answer had before, so that who had it before is fenced.
    """
    given = turn.given
    if given.pair is None or not given.pairs:
        return None
    if given.step.claim is not CarriedProducer.NONE and not given.claims_last:
        return None
    (producer, epoch), (before, last) = given.pair, given.pairs[-1]
    if producer == before and epoch > last:
        return holds()
    if producer != before and last >= LAST_EPOCH and producer not in given.producers:
        return holds()
    if producer != before:
        return fails("expected the same producer id, found another", "other producer")
    return fails(f"expected an epoch after {last}, found {epoch}", "not fenced")


@the_same_name_has_the_same_producer.example("a transactional id comes three times")
def _thrice() -> Scenario:
    return _play(InitProducer(0), InitProducer(1), InitProducer(0), InitProducer(0))


@chapter.clause(
    "PRO-178",
    Strength.REFERENCE,
    LimitClass.HARD,
    METADATA,
    slug="produce/producer/next-epoch",
)
def the_epoch_grows_by_one(turn: Turn) -> Held | None:
    """Where InitProducerId gives the same producer id with a newer epoch, it is the last one plus
    1.
    """
    given = turn.given
    if given.pair is None or not given.pairs:
        return None
    (producer, epoch), (before, last) = given.pair, given.pairs[-1]
    if producer != before or epoch <= last:
        return None
    return holds() if epoch == last + 1 else fails(f"{epoch} after {last}", "other epoch")


@the_epoch_grows_by_one.example("a transactional id comes twice")
def _next() -> Scenario:
    return _play(InitProducer(0), InitProducer(0))


@chapter.clause(
    "PRO-179",
    Strength.MUST,
    LimitClass.HARD,
    RECOVERY,
    slug="produce/producer/claimed",
)
def who_holds_the_epoch_gets_the_next(turn: Turn) -> Held | None:
    """An InitProducerId request that carries the producer id and epoch which were given last for
    its transactional id is answered without an error, if its timeout is within the limit.
    """
    given = turn.given
    if (
        given.naming is not TransactionalIdKind.NAMED
        or not given.claims_last
        or not given.has_legal_timeout
    ):
        return None
    return _expect(given, Error.NONE)


@who_holds_the_epoch_gets_the_next.example("a producer asks twice for its next epoch")
def _claimed_example() -> Scenario:
    return _play(
        *[
            InitProducer(0, claim=one)
            for one in (CarriedProducer.NONE, CarriedProducer.NOW, CarriedProducer.NOW)
        ]
    )


@chapter.clause(
    "PRO-180",
    Strength.MUST,
    LimitClass.HARD,
    RECOVERY,
    slug="produce/producer/claimed-wrongly",
)
def who_was_fenced_stays_fenced(turn: Turn) -> Held | None:
    """An InitProducerId request that carries another producer id or epoch than were given last for
    its transactional id is answered with an error, unless it carries those by which the last ones
    were given. Its transaction timeout is one that a transaction may have (PRO-170).
    """
    given = turn.given
    if not given.claims_wrongly:
        return None
    if given.answer.error:
        return holds()
    return fails(f"claim {given.step.claim}: expected an error, found none", "not fenced")


@who_was_fenced_stays_fenced.example("a fenced producer, a newer epoch, another producer")
def _fenced_example() -> Scenario:
    claims = (
        CarriedProducer.NONE,
        CarriedProducer.NONE,
        CarriedProducer.BEFORE,
        CarriedProducer.NEWER,
        CarriedProducer.OTHER,
        CarriedProducer.NOW,
    )
    return _play(*[InitProducer(0, claim=one) for one in claims])


@chapter.clause(
    "PRO-181",
    Strength.REFERENCE,
    LimitClass.HARD,
    COORDINATOR,
    KIP(588, "Proposed Changes"),
    slug="produce/producer/claimed-wrongly-code",
)
def who_was_fenced_hears_it(turn: Turn) -> Held | None:
    """An InitProducerId request that is refused for the producer id or epoch that it carries
    (PRO-180) is answered with PRODUCER_FENCED (90), in version 3 with INVALID_PRODUCER_EPOCH (47).
    """
    given = turn.given
    if not given.claims_wrongly or not given.answer.error:
        return None
    return _expect(given, code_in(Error.PRODUCER_FENCED, given.step.version))


@who_was_fenced_hears_it.example("a newer epoch in versions 3 and 4")
def _fenced_coded() -> Scenario:
    some = [InitProducer(0, claim=CarriedProducer.NEWER, version=version) for version in (3, 4)]
    return _play(InitProducer(0), *some)


@chapter.clause(
    "PRO-182",
    Strength.REFERENCE,
    LimitClass.HARD,
    METADATA,
    slug="produce/producer/retried",
)
def a_retry_is_given_the_same(turn: Turn) -> Held | None:
    """An InitProducerId request that carries the pair by which the last producer id and epoch were
    given is answered with them again, so that a lost answer does no harm.
    """
    given = turn.given
    if (
        given.naming is not TransactionalIdKind.NAMED
        or not given.is_retry
        or not given.has_legal_timeout
    ):
        return None
    if given.pair == given.pairs[-1]:
        return holds()
    if given.answer.error:
        return fails(f"expected no error, found {error_name(given.answer.error)}", "refused")
    return fails(
        f"expected producer id and epoch {in_words(given.pairs[-1])}, found {in_words(given.pair)}",
        "another pair",
    )


@a_retry_is_given_the_same.example("the request for the next epoch comes twice")
def _retried_example() -> Scenario:
    claims = (
        CarriedProducer.NONE,
        CarriedProducer.NOW,
        CarriedProducer.BEFORE,
        CarriedProducer.NOW,
    )
    return _play(*[InitProducer(0, claim=one) for one in claims])


@chapter.clause(
    "PRO-183",
    Strength.REFERENCE,
    LimitClass.HARD,
    COORDINATOR,
    slug="produce/producer/half-a-claim",
)
def a_claim_is_whole(turn: Turn) -> Held | None:
    """An InitProducerId request that carries a producer id without an epoch, or an epoch without a
    producer id, is answered with INVALID_REQUEST (42).
    """
    given = turn.given
    return _expect(given, Error.INVALID_REQUEST) if _carries_one(given) else None


@a_claim_is_whole.example("a producer id alone, and an epoch alone")
def _halves() -> Scenario:
    claims = (CarriedProducer.NONE, CarriedProducer.ID_ALONE, CarriedProducer.EPOCH_ALONE)
    return _play(*[InitProducer(0, claim=one) for one in claims])


def _carries_one(given: InitProducerExchange) -> bool:
    return given.step.claim in {CarriedProducer.ID_ALONE, CarriedProducer.EPOCH_ALONE}


def _expect(given: InitProducerExchange, expected: Error) -> Held:
    """Hold that a request is answered with this error code."""
    if given.answer.error == expected:
        return holds()
    why = f"expected {expected.name}, found {error_name(given.answer.error)}"
    return fails(why, "other error" if given.answer.error else "accepted")


def _play(*steps: InitProducer) -> Scenario:
    return Scenario(empty(1), steps)
