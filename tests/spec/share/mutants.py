"""Wrong answers, one or more for each clause: the model's own observation of a history, with one
thing in it changed.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from spec.catalogue import examples
from spec.kafka import Error
from spec.model import answer_all
from spec.observation import Exchange, Observation
from spec.outcomes import Closed, Garbled, Outcome, Silent
from spec.scenario import Scenario
from spec.seen_batch import SeenBatch
from spec.semantics import Semantics
from spec.share.examples import (
    FIVES,
    PATIENCE_MS,
    confirm,
    fetch,
    fetch_again,
    history,
    plain,
    release,
)
from spec.share.outcomes import (
    Acquired,
    GroupChanged,
    ShareAcknowledgeAnswer,
    ShareAnswerPartition,
    ShareFetchAnswer,
)
from spec.share.steps import Pause, ShareFetch, SharePartition

Edit = Callable[[Outcome], Outcome]
FIRST, SECOND, THIRD = SeenBatch(0, 4, 100, 5), SeenBatch(5, 9, 100, 5), SeenBatch(10, 14, 100, 5)


@dataclass(frozen=True)
class Mutant:
    """A wrong answer.

    Attributes:
        clause: what it breaks.
        scenario: the history.
        step: the step whose answer is changed.
        edit: how.
        elapsed_ms: how long the answer took, where that is what is wrong.
        tried_ms: a patient fetch is answered so again after this long.
    """

    clause: str
    scenario: Scenario
    step: int
    edit: Edit
    elapsed_ms: float | None = None
    tried_ms: float | None = None

    def observation(self, semantics: Semantics) -> Observation:
        """What a broker with this fault would have been seen to do."""
        exchanges = []
        for exchange in answer_all(self.scenario, semantics).exchanges:
            if exchange.step != self.step:
                exchanges.append(exchange)
                continue
            answered = (
                exchange.answered_ms
                if self.elapsed_ms is None
                else exchange.sent_ms + self.elapsed_ms
            )
            exchanges.append(
                Exchange(exchange.step, self.edit(exchange.outcome), exchange.sent_ms, answered)
            )
            if self.tried_ms is not None:
                sent = exchange.sent_ms + self.tried_ms
                exchanges.append(
                    Exchange(exchange.step, _next_epoch(exchanges[-1].outcome), sent, sent + 1)
                )
            if not isinstance(
                exchanges[-1].outcome, ShareFetchAnswer | ShareAcknowledgeAnswer | GroupChanged
            ):
                break
        return Observation(tuple(exchanges))


def _next_epoch(outcome: Outcome) -> Outcome:
    assert isinstance(outcome, ShareFetchAnswer)
    return replace(outcome, epoch=outcome.epoch + 1)


def example(clause: str, number: int = 0) -> Scenario:
    return examples()[clause][number].scenario


def top(**changes: Any) -> Edit:
    """Change the answer's own fields."""

    def edit(outcome: Outcome) -> Outcome:
        assert isinstance(outcome, ShareFetchAnswer | ShareAcknowledgeAnswer)
        return replace(outcome, **changes)

    return edit


def part(partition: int = 0, **changes: Any) -> Edit:
    """Change one partition of a fetch answer; one that has no entry gets one."""

    def edit(outcome: Outcome) -> Outcome:
        assert isinstance(outcome, ShareFetchAnswer)
        parts = {one.partition: one for one in outcome.partitions}
        parts[partition] = replace(parts.get(partition, ShareAnswerPartition(partition)), **changes)
        return replace(outcome, partitions=tuple(parts.values()))

    return edit


def only(*parts: ShareAnswerPartition) -> Edit:
    """Answer a fetch with these partitions in place of what it had."""

    def edit(outcome: Outcome) -> Outcome:
        assert isinstance(outcome, ShareFetchAnswer)
        return replace(outcome, partitions=parts)

    return edit


def twice(outcome: Outcome) -> Outcome:
    """Name every partition of a fetch answer twice."""
    assert isinstance(outcome, ShareFetchAnswer)
    return replace(outcome, partitions=outcome.partitions * 2)


def acknowledged(*partitions: tuple[int, int]) -> Edit:
    """Answer an acknowledgement with these error codes."""
    return top(partitions=partitions)


def instead(outcome: Outcome) -> Edit:
    return lambda _: outcome


def ranges(
    *found: tuple[int, ...], batches: tuple[SeenBatch, ...] | None = None, partition: int = 0
) -> Edit:
    """Answer with these ranges, and the batches of the standard layout that they need."""
    acquired = tuple([Acquired(*one) for one in found])
    if batches is None:
        batches = tuple(
            [
                one
                for one in (FIRST, SECOND, THIRD)
                if any(a.first <= one.last and a.last >= one.base for a in acquired)
            ]
        )
    return part(partition, acquired=acquired, batches=batches)


def thirty(*numbers: int) -> tuple[SeenBatch, ...]:
    return tuple([SeenBatch(30 * number, 30 * number + 29, 100, 30) for number in numbers])


OPEN = history((FIVES,), fetch(0, max_records=6))
THEN = history(
    (FIVES,),
    fetch(0, max_records=5),
    fetch(0, max_records=5, actor=1),
    confirm(0, 4),
    fetch(max_records=5),
)
RELEASED = history((FIVES,), fetch(0, max_records=5), release(0, 4), fetch_again(max_records=5))
CLOSED = example("SHR-009")
AFTER_A_LATE_FAILURE = history(
    (FIVES,),
    fetch(0, max_records=1),
    ShareFetch(mode=2, version=2),
    example("SHR-405").steps[2],
)
HELD = history((FIVES,), fetch(0, max_records=6), confirm(0, 9))
TWO = history((FIVES, FIVES), fetch(0, 1, max_records=6))
AT_LIMIT = history(
    (FIVES,),
    fetch(0, max_records=5),
    fetch(0, max_records=5, actor=1),
    release(5, 9, actor=1),
    fetch_again(max_records=5, actor=1),
    release(5, 9, actor=1),
    fetch(0, max_records=5, actor=2),
    fetch_again(max_records=5, actor=1),
    config=(("group.share.delivery.count.limit", "2"),),
)
QUIET = history((FIVES,), fetch(0, max_records=5), ShareFetch(version=2, max_records=5))

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "SHR-020",
        history((FIVES,), ShareFetch((SharePartition(0),), version=3)),
        1,
        instead(ShareFetchAnswer()),
    ),
    Mutant("SHR-021", OPEN, 1, instead(Closed("reset"))),
    Mutant("SHR-021", OPEN, 1, instead(Silent(5000, control_answered=True))),
    Mutant("SHR-022", OPEN, 1, instead(Garbled("a length past the end"))),
    Mutant("SHR-022", OPEN, 1, top(trailing=3)),
    Mutant("SHR-022", OPEN, 1, top(nulls=("responses.partitions.acquired_records",))),
    Mutant("SHR-022", OPEN, 1, part(garbled="no batch")),
    Mutant("SHR-023", OPEN, 1, twice),
    Mutant("SHR-023", example("SHR-023"), 2, only(ShareAnswerPartition(1))),
    Mutant("SHR-402", OPEN, 1, top(lock_timeout_ms=15000)),
    Mutant("SHR-322", HELD, 2, top(error=-1, partitions=())),
    Mutant("SHR-001", OPEN, 1, top(error=int(Error.SHARE_SESSION_NOT_FOUND), partitions=())),
    Mutant(
        "SHR-003", RELEASED, 3, top(error=int(Error.INVALID_SHARE_SESSION_EPOCH), partitions=())
    ),
    Mutant("SHR-004", example("SHR-004"), 2, top(error=0)),
    Mutant("SHR-004", example("SHR-004"), 3, top(error=int(Error.INVALID_SHARE_SESSION_EPOCH))),
    Mutant("SHR-005", example("SHR-005"), 1, top(error=0)),
    Mutant(
        "SHR-006",
        example("SHR-006"),
        3,
        top(error=int(Error.INVALID_SHARE_SESSION_EPOCH), partitions=()),
    ),
    Mutant("SHR-006", example("SHR-006", 1), 3, top(error=0)),
    Mutant("SHR-006", example("SHR-006", 1), 4, top(error=0)),
    Mutant(
        "SHR-007",
        example("SHR-007"),
        2,
        only(ShareAnswerPartition(0, acquired=(Acquired(10, 14),))),
    ),
    Mutant("SHR-009", CLOSED, 3, ranges((0, 9, 1))),
    Mutant("SHR-026", example("SHR-026"), 4, part(acquired=(), batches=()), tried_ms=PATIENCE_MS),
    Mutant("SHR-012", example("SHR-012"), 1, top(error=int(Error.INVALID_REQUEST))),
    Mutant("SHR-013", example("SHR-013"), 1, part(1, error=int(Error.UNKNOWN_SERVER_ERROR))),
    Mutant("SHR-013", history((FIVES,), fetch(0, 5)), 1, top(error=-1, partitions=())),
    Mutant("SHR-017", example("SHR-017"), 1, top(error=0)),
    Mutant("SHR-018", example("SHR-018"), 1, top(error=0)),
    Mutant("SHR-405", example("SHR-405"), 2, top(error=0)),
    Mutant("SHR-405", AFTER_A_LATE_FAILURE, 3, top(error=0)),
    Mutant("SHR-127", OPEN, 1, ranges((0, -1), (0, 9))),
    Mutant("SHR-127", OPEN, 1, ranges((0, 5), (5, 9))),
    Mutant("SHR-128", history((FIVES,), fetch(0), start=3), 1, ranges((0, 14))),
    Mutant("SHR-129", OPEN, 1, ranges((0, 4), (15, 19))),
    Mutant("SHR-129", example("SHR-425"), 2, ranges((0, 5), (11, 15))),
    Mutant("SHR-100", THEN, 2, ranges((0, 4), (5, 9))),
    Mutant("SHR-100", QUIET, 2, ranges((0, 4, 2))),
    Mutant("SHR-131", example("SHR-131"), 5, ranges((0, 1, 2), (2, 2, 2), (3, 4, 2))),
    Mutant("SHR-400", RELEASED, 3, ranges((0, 4, 1))),
    Mutant("SHR-400", OPEN, 1, ranges((0, 9, 2))),
    Mutant("SHR-401", AT_LIMIT, 7, ranges((5, 9, 3))),
    Mutant("SHR-126", example("SHR-126"), 1, ranges((0, 9))),
    Mutant("SHR-120", example("SHR-120"), 1, ranges((0, 4), (5, 9), (10, 14))),
    Mutant("SHR-120", TWO, 1, ranges((0, 9), partition=1)),
    Mutant("SHR-112", example("SHR-112"), 1, ranges((0, 149), batches=thirty(0, 1, 2, 3, 4))),
    Mutant(
        "SHR-110",
        example("SHR-110"),
        2,
        only(ShareAnswerPartition(0, acquired=(Acquired(5, 9),), batches=(SECOND,))),
    ),
    Mutant("SHR-110", example("SHR-110", 1), 2, top(), elapsed_ms=3000.0),
    Mutant("SHR-153", OPEN, 1, part(batches=(FIRST,))),
    Mutant("SHR-154", OPEN, 1, part(batches=(FIRST, replace(SECOND, intact=False)))),
    Mutant("SHR-154", example("SHR-154"), 1, part(batches=(FIRST, THIRD))),
    Mutant("SHR-150", OPEN, 1, part(batches=(FIRST, SECOND, THIRD))),
    *[
        Mutant(clause, example(clause), 2, acknowledged((0, 0)))
        for clause in ("SHR-301", "SHR-302", "SHR-303", "SHR-304", "SHR-305", "SHR-306")
    ],
    Mutant("SHR-302", example("SHR-302"), 3, acknowledged((0, 0))),
    Mutant("SHR-323", example("SHR-303"), 2, acknowledged((0, int(Error.INVALID_RECORD_STATE)))),
    Mutant("SHR-323", example("SHR-323"), 3, acknowledged((0, int(Error.INVALID_RECORD_STATE)))),
    Mutant("SHR-309", HELD, 2, acknowledged((0, int(Error.INVALID_RECORD_STATE)))),
    Mutant("SHR-024", example("SHR-024"), 2, part(acknowledge_error=int(Error.INVALID_REQUEST))),
    Mutant("SHR-408", example("SHR-408"), 3, part(acquired=(Acquired(0, 4, 2),), batches=(FIRST,))),
    Mutant("SHR-315", example("SHR-315"), 3, acknowledged((0, 0))),
    Mutant("SHR-315", example("SHR-315"), 5, acknowledged((0, 0))),
    Mutant("SHR-316", example("SHR-316"), 3, acknowledged((0, 0))),
    Mutant("SHR-307", example("SHR-307"), 2, acknowledged((1, int(Error.INVALID_REQUEST)))),
    Mutant(
        "SHR-307", example("SHR-307"), 3, acknowledged((2, int(Error.UNKNOWN_TOPIC_OR_PARTITION)))
    ),
    Mutant(
        "SHR-330",
        example("SHR-330"),
        2,
        part(error=int(Error.INVALID_REQUEST), acquired=(), batches=()),
    ),
    Mutant(
        "SHR-404",
        example("SHR-404"),
        4,
        acknowledged((0, 0)),
    ),
    Mutant("SHR-312", example("SHR-312"), 2, acknowledged((0, int(Error.INVALID_RECORD_STATE)))),
    Mutant("SHR-312", example("SHR-312"), 4, acknowledged((0, int(Error.INVALID_RECORD_STATE)))),
    Mutant("SHR-155", example("SHR-155"), 3, part(acquired=(), batches=()), tried_ms=PATIENCE_MS),
    Mutant(
        "SHR-155", example("SHR-155", 1), 3, part(acquired=(), batches=()), tried_ms=PATIENCE_MS
    ),
    Mutant("SHR-504", example("SHR-504"), 1, instead(GroupChanged(int(Error.INVALID_REQUEST)))),
    Mutant("SHR-504", example("SHR-504", 1), 2, instead(GroupChanged(int(Error.INVALID_REQUEST)))),
    Mutant(
        "SHR-503",
        example("SHR-503"),
        2,
        part(error=-1, acquired=(), batches=()),
        tried_ms=PATIENCE_MS,
    ),
    Mutant("SHR-140", example("SHR-140"), 1, part(acquired=(), batches=()), tried_ms=PATIENCE_MS),
    Mutant("SHR-502", example("SHR-502"), 1, ranges((0, 4))),
    Mutant("SHR-143", example("SHR-143"), 2, top(), elapsed_ms=9000.0),
    Mutant("SHR-145", example("SHR-145"), 2, top(), elapsed_ms=3001.0),
    Mutant("SHR-146", example("SHR-146"), 3, top(), elapsed_ms=4001.0),
    Mutant("SHR-421", example("SHR-421"), 4, ranges((7, 14))),
    Mutant(
        "SHR-142",
        history((FIVES, FIVES), fetch(0, 1, max_records=20)),
        1,
        part(1, acquired=(Acquired(0, 9),), batches=(FIRST, SECOND)),
    ),
    Mutant("SHR-132", example("SHR-132"), 2, part(acquired=(Acquired(90, 90),), batches=thirty(3))),
    Mutant("SHR-425", example("SHR-425"), 2, part(acquired=(Acquired(0, 5),))),
    Mutant("SHR-170", example("SHR-170"), 7, part(acquired=(Acquired(0, 7, 4),))),
    Mutant("SHR-115", RELEASED, 3, ranges((0, 1, 2))),
    Mutant("SHR-115", RELEASED, 3, ranges((5, 9, 1))),
    Mutant("SHR-113", example("SHR-113"), 1, ranges((3, 9))),
    Mutant("SHR-123", example("SHR-123"), 1, ranges((0, 4))),
    Mutant("SHR-121", OPEN, 1, ranges((0, 4))),
    Mutant("SHR-121", QUIET, 2, part(acquired=(), batches=())),
    Mutant("SHR-122", example("SHR-122"), 1, ranges((0, 4), (5, 9), (10, 14))),
    Mutant(
        "SHR-117", example("SHR-117"), 3, ranges(*[(offset, offset, 2) for offset in range(5, 10)])
    ),
    Mutant("SHR-701", example("SHR-701"), 1, instead(GroupChanged())),
    Mutant("SHR-701", example("SHR-701"), 2, instead(GroupChanged(int(Error.INVALID_CONFIG)))),
    Mutant(
        "SHR-155",
        history(
            (plain(5),),
            fetch(0),
            Pause(3000),
            release(0, 4),
            fetch(0, actor=1, patience_ms=PATIENCE_MS),
        ),
        4,
        part(acquired=(), batches=()),
        tried_ms=PATIENCE_MS,
    ),
)
