"""Request versions, and what a message may have besides its fields."""

from spec.clause import KIP, Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit, UnreachableSides
from spec.fetch.examples import ask_of, batches, from_start
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.steps import Fetch
from spec.fetch.turn import Turn
from spec.frozen import replace
from spec.in_words import in_words
from spec.kafka import FLEXIBLE_SINCE
from spec.outcomes import Closed
from spec.scenario import Scenario
from spec.verdict import AT, LimitClass, Side, Strength, side_of_range

chapter: Chapter[Turn] = Chapter()

VERSIONS = Fence(
    "the request's version",
    Unit.VERSIONS,
    "the oldest and the newest version that the broker advertises",
    meaning="below is older than the oldest, above is newer than the newest",
)


def _side(turn: Turn) -> Side:
    return side_of_range(turn.fetch.version, *turn.semantics.offered_versions)


def _at_an_end(turn: Turn) -> bool:
    oldest, newest = turn.semantics.offered_versions
    return not oldest < turn.fetch.version < newest


ends = chapter.under(_at_an_end)


def _serves(answer: FetchAnswer) -> bool:
    """Whether a request was taken: some of it succeeded, or brought bytes."""
    codes = [got.error for got in answer.partitions]
    refused = answer.error != 0 or (bool(codes) and all(codes))
    return not refused or any(got.size for got in answer.partitions)


@ends.clause(
    "FET-042",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, retrieving supported API versions: other versions are rejected"),
    slug="fetch/version/unsupported",
    fence=VERSIONS,
)
def unsupported_version_is_rejected(turn: Turn) -> Held | None:
    """A Fetch of a version below the oldest or above the newest, of those that the broker
    advertises and those that the judged release has (4 to 17, from 4.1 on 18), is rejected: it
    brings no records, and an answer to it has an error code other than 0, at the top or in every
    partition.

    Any error code rejects, and so does a closed connection (FET-142). That the versions between are
    answered is FET-077. Versions 0 to 3 left with Kafka 4.0 (KIP-896); version 18 came with 4.1.
    """
    where = _side(turn)
    if where is AT:
        return holds(where) if turn.is_answered and turn.known_version else None
    if isinstance(turn.outcome, FetchAnswer) and _serves(turn.outcome):
        oldest, newest = turn.semantics.offered_versions
        return breaks(
            where,
            f"expected no data for Fetch v{turn.fetch.version} (advertised {oldest} to {newest}), "
            "got an answer",
            "answered",
        )
    return holds(where)


@unsupported_version_is_rejected.example("the newest version")
def _newest() -> Scenario:
    return ask_of((batches(100),), Fetch(from_start(0), version=18))


@unsupported_version_is_rejected.example("the first version that there is not")
def _next_version() -> Scenario:
    return ask_of((batches(100),), Fetch(from_start(0), version=19))


@ends.clause(
    "FET-142",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("KafkaApis.scala", "154-163"),
    slug="fetch/version/connection-closed",
    fence=replace(
        VERSIONS,
        never=UnreachableSides(AT, "a version of the advertised range is answered: FET-077"),
    ),
)
def unsupported_version_closes_the_connection(turn: Turn) -> Held | None:
    """On a Fetch of a version that is to be rejected by FET-042, Apache Kafka closes the connection
    and sends no answer.
    """
    where = _side(turn)
    if where is AT:
        return None
    if not isinstance(turn.outcome, Closed):
        return breaks(
            where,
            f"Fetch v{turn.fetch.version}: expected the connection to be closed, it was not",
            "not closed",
        )
    return holds(where)


@unsupported_version_closes_the_connection.example("a version before the oldest")
def _version_before() -> Scenario:
    return ask_of((batches(100),), Fetch(from_start(0), version=3))


@chapter.clause(
    "FET-040",
    Strength.MUST,
    LimitClass.HARD,
    KIP(482),
    KIP(516),
    Doc("protocol guide, Fetch API"),
    slug="fetch/version/same-bytes",
)
def every_version_is_well_formed(turn: Turn) -> Held | None:
    """An answer has the fields that Kafka's message definition has for the request's version, and
    no others: 0 bytes are left over when these are read.

    The limits of bytes are the same in every version.
    """
    if not turn.is_answered or not turn.known_version:
        return None
    if turn.answer.trailing:
        return fails(f"Fetch v{turn.fetch.version}: {turn.answer.trailing} bytes over", "fields")
    return holds()


@every_version_is_well_formed.example("v4, v12 with tagged fields, v13 with topic ids, and v17")
def _versions() -> Scenario:
    return ask_of(
        (batches(100),), *[Fetch(from_start(0), version=number) for number in (4, 12, 13, 17)]
    )


@chapter.clause(
    "FET-140",
    Strength.REFERENCE,
    LimitClass.HARD,
    KIP(482),
    Doc("protocol guide, Fetch API: fields of the response"),
    slug="fetch/version/no-own-tags",
)
def no_tags_of_ones_own(turn: Turn) -> Held | None:
    """An answer has no tagged fields but those that Kafka's message definition has for the
    request's version.

    A client skips a tag that it does not know, so another broker may add its own.
    """
    if not turn.is_answered or not turn.known_version:
        return None
    if turn.answer.unknown_tags:
        return fails(
            f"Fetch v{turn.fetch.version}: expected no unknown tags, found "
            f"{in_words(turn.answer.unknown_tags)}",
            "unknown tag",
        )
    return holds()


@no_tags_of_ones_own.example("one batch, asked for by v17")
def _newest_of_all() -> Scenario:
    return ask_of((batches(100),), Fetch(from_start(0), version=17))


@chapter.clause(
    "FET-075",
    Strength.MUST,
    LimitClass.HARD,
    KIP(482),
    Doc("protocol guide, versioning and compatibility: unknown tagged fields are ignored"),
    slug="fetch/version/unknown-tag",
)
def unknown_tag_is_ignored(turn: Turn) -> Held | None:
    """A request (v12+) with a tagged field that the broker does not know is answered, not by a
    closed connection; and where a partition has data, some partition's records come, as without
    the field.

    Records are expected outside of an incremental session, by a consumer (replica id -1 or -2) with
    an isolation level of 0 or 1 and limits of 0 or more, in an answer without a top-level error
    that is not throttled.
    """
    unsuited = turn.fetch.unknown_tag is None or turn.fetch.version < FLEXIBLE_SINCE
    if unsuited or not turn.known_version:
        return None
    first = next(iter(turn.with_data), None)
    if isinstance(turn.outcome, Closed):
        return fails("expected the tag to be ignored, the connection was closed", "closed")
    if turn.plain and first is not None and turn.is_in_request_order and not turn.total:
        return fails("expected data as without the tag, found none", "no data")
    return holds() if turn.is_answered else None


@unknown_tag_is_ignored.example("an unknown tagged field of four bytes")
def _unknown_tag() -> Scenario:
    return ask_of((batches(100),), Fetch(from_start(0), unknown_tag=4))
