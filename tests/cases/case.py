"""Short forms for cases."""

from conformance.engine.play_result import Played
from spec.fetch.outcomes import FetchAnswer
from spec.layout import Batch, Layout, Partition
from spec.share.outcomes import Acquired, ShareAnswerPartition, ShareFetchAnswer
from spec.verdict import Outcome


def log(*sizes: int, records: int = 1) -> Partition:
    """A partition of plain batches of these sizes, in one segment."""
    return Partition((tuple(Batch(size, records=records) for size in sizes),))


def layout(*partitions: Partition) -> Layout:
    """A layout of these partitions."""
    return Layout(partitions)


def answer(played: Played, step: int = 0) -> FetchAnswer:
    """The answer to a step."""
    found = played.observation.exchanges[step].outcome
    assert isinstance(found, FetchAnswer), found
    return found


def sizes(played: Played, step: int = 0) -> dict[int, int]:
    """Bytes returned by partition."""
    return {got.partition: got.size for got in answer(played, step).partitions}


def fetched(played: Played) -> list[ShareAnswerPartition]:
    """The partitions of share fetches in which something was acquired, one after the other."""
    answers = [
        exchange.outcome
        for exchange in played.observation.exchanges
        if isinstance(exchange.outcome, ShareFetchAnswer)
    ]
    return [part for answer in answers for part in answer.partitions if part.acquired]


def acquired(played: Played) -> list[tuple[Acquired, ...]]:
    """What the share fetches that got something acquired, one after the other."""
    return [part.acquired for part in fetched(played)]


def broken(played: Played) -> set[tuple[str, str]]:
    """(clause, signature) of everything that is not conforming."""
    return {
        (v.clause, v.signature)
        for v in played.judgement.verdicts
        if v.outcome is not Outcome.CONFORMS
    }
