"""A broker that answers a strange request with a defined error is better than Apache Kafka, whose
answer is UNKNOWN_SERVER_ERROR (FET-071): no clause asks it for the worse answer.
"""

from dataclasses import replace

import pytest

from spec.fetch.outcomes import FetchAnswer, PartitionAnswer
from spec.fetch.steps import Fetch, FetchPartition
from spec.judge import judge
from spec.kafka import Error
from spec.layout import Batch, Layout, Partition
from spec.model import answer_all
from spec.observation import Observation
from spec.releases import semantics_for
from spec.scenario import Scenario
from spec.verdict import Outcome

KAFKA = semantics_for("4.3")
LAYOUT = Layout((Partition(((Batch(100),),)),))
NEGATIVE_PARTITION = Fetch((FetchPartition(0, 0, -1),))
NEGATIVE_REQUEST = Fetch((FetchPartition(0, 0),), max_bytes=-1)
STRANGE_ISOLATION = Fetch((FetchPartition(0, 0),), isolation=2)
OUTSIDE_THE_SHARDS = Fetch((FetchPartition(0, 0),), session=2147483647, epoch=1)


def breaks(ask: Fetch, *, error: int | None = None, each: int | None = None) -> set[str]:
    """Ids of the clauses that break if the reference's answer has these errors instead."""
    scenario = Scenario(LAYOUT, (ask,))
    played = answer_all(scenario, KAFKA)
    [exchange] = played.exchanges
    answer = exchange.outcome
    assert isinstance(answer, FetchAnswer)
    if each is not None:
        parts = tuple([failed(part, each) for part in answer.partitions])
        answer = replace(answer, partitions=parts)
    if error is not None:
        answer = replace(answer, error=error)
    observed = Observation((replace(exchange, outcome=answer),))
    return {
        verdict.clause
        for verdict in judge(scenario, observed, KAFKA).breaks
        if verdict.outcome in {Outcome.VIOLATES, Outcome.DEVIATES}
    }


def failed(part: PartitionAnswer, error: int) -> PartitionAnswer:
    return replace(part, error=error, batches=(), aborted=None)


@pytest.mark.parametrize(
    "ask", [NEGATIVE_PARTITION, NEGATIVE_REQUEST, STRANGE_ISOLATION, OUTSIDE_THE_SHARDS], ids=str
)
def test_apache_kafka_answers_unknown_server_error_which_is_a_finding(ask: Fetch) -> None:
    assert breaks(ask) == {"FET-071"}


@pytest.mark.parametrize("ask", [NEGATIVE_PARTITION, NEGATIVE_REQUEST, STRANGE_ISOLATION], ids=str)
def test_a_defined_error_for_each_partition_conforms(ask: Fetch) -> None:
    assert breaks(ask, error=Error.NONE, each=Error.INVALID_REQUEST) == set()


@pytest.mark.parametrize("ask", [NEGATIVE_PARTITION, NEGATIVE_REQUEST, STRANGE_ISOLATION], ids=str)
def test_a_defined_error_for_the_whole_request_conforms(ask: Fetch) -> None:
    assert breaks(ask, error=Error.INVALID_REQUEST, each=Error.INVALID_REQUEST) == set()


def test_an_unknown_session_may_be_named_as_such_whatever_its_id() -> None:
    unknown = Error.FETCH_SESSION_ID_NOT_FOUND
    assert breaks(OUTSIDE_THE_SHARDS, error=unknown, each=unknown) == set()
    assert breaks(replace(OUTSIDE_THE_SHARDS, version=13), error=unknown) == set()


@pytest.mark.parametrize("ask", [STRANGE_ISOLATION, OUTSIDE_THE_SHARDS], ids=str)
def test_apache_kafka_names_partitions_that_it_threw_on_only_before_topic_ids(ask: Fetch) -> None:
    def answered(version: int) -> FetchAnswer:
        [exchange] = answer_all(Scenario(LAYOUT, (replace(ask, version=version),)), KAFKA).exchanges
        assert isinstance(exchange.outcome, FetchAnswer)
        return exchange.outcome

    failed_part = PartitionAnswer(0, Error.UNKNOWN_SERVER_ERROR, aborted=())
    assert answered(12).partitions == (failed_part,)
    assert answered(13).partitions == ()
    assert answered(13).error == Error.UNKNOWN_SERVER_ERROR


def test_apache_kafka_lists_no_aborted_transactions_where_a_first_batch_has_no_room() -> None:
    two = Layout((Partition(((Batch(100),),)), Partition(((Batch(100),),))))
    asked = (FetchPartition(0, 0), FetchPartition(1, 0))
    for limit, listed in ((100, ()), (101, None), (199, None), (200, ())):
        fetch = Fetch(asked, max_bytes=limit, isolation=1)
        [exchange] = answer_all(Scenario(two, (fetch,)), KAFKA).exchanges
        assert isinstance(exchange.outcome, FetchAnswer)
        assert exchange.outcome.partitions[1].aborted == listed


def test_apache_kafka_lists_no_transactions_as_none_of_a_partition_that_is_unknown() -> None:
    [exchange] = answer_all(Scenario(LAYOUT, (Fetch((FetchPartition(5, 0),)),)), KAFKA).exchanges
    assert isinstance(exchange.outcome, FetchAnswer)
    assert exchange.outcome.partitions[0].aborted == ()


@pytest.mark.parametrize(
    ("ask", "clause"),
    [(NEGATIVE_PARTITION, "FET-010"), (STRANGE_ISOLATION, "FET-044")],
    ids=["negative limit", "isolation"],
)
def test_an_empty_answer_without_an_error_still_deviates(ask: Fetch, clause: str) -> None:
    assert clause in breaks(ask, error=Error.NONE, each=Error.NONE)


@pytest.mark.parametrize(("version", "at_the_top"), [(4, 0), (7, Error.UNKNOWN_SERVER_ERROR)])
def test_an_error_in_one_of_several_partitions_is_none_throughout(
    version: int, at_the_top: int
) -> None:
    two = Layout((Partition(((Batch(100),),)), Partition(((Batch(100),),))))
    ask = replace(
        STRANGE_ISOLATION, partitions=(FetchPartition(0, 0), FetchPartition(1, 0)), version=version
    )
    scenario = Scenario(two, (ask,))
    played = answer_all(scenario, KAFKA)
    [exchange] = played.exchanges
    answer = exchange.outcome
    assert isinstance(answer, FetchAnswer)
    assert answer.error == at_the_top
    some = replace(
        answer, partitions=(replace(answer.partitions[0], error=0), *answer.partitions[1:])
    )
    for observed, breaks_it in ((answer, False), (some, True)):
        observation = Observation((replace(exchange, outcome=observed),))
        found = {verdict.clause for verdict in judge(scenario, observation, KAFKA).breaks}
        assert ("FET-044" in found) is breaks_it
