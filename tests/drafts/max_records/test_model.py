"""The draft MaxRecords: two formulations agree, what holds under every reading holds, and the
examples come out as written down.
"""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from drafts.max_records import stream, walk
from drafts.max_records.axes import AXES, ELSEWHERE, QUESTIONS, parse
from drafts.max_records.change import DRAFT_VERSION, draft_change, limit_in, limited_to
from drafts.max_records.clauses import ask_all
from drafts.max_records.profile import Compressed, Encoding, Exact, Gaps, Profile
from spec.fetch.model.request import ask_of
from spec.fetch.outcomes import FetchAnswer
from spec.fetch.releases import FetchSemantics
from spec.fetch.steps import OWN, Fetch, FetchPartition
from spec.judge import judge
from spec.kafka import INT32_MAX
from spec.layout import Batch, Codec, Layout, Marker, Partition
from spec.log import log_of
from spec.model import answer_all
from spec.outcomes import Closed
from spec.readings import BadProfileError
from spec.releases import RELEASES, semantics_for
from spec.scenario import Scenario
from spec.verdict import Outcome
from tests.drafts.max_records.strategies import profiles, questions

ROOMY = replace(Fetch(), version=DRAFT_VERSION)


def answered(scenario: Scenario, profile: Profile) -> list[FetchAnswer | Closed]:
    exchanges = answer_all(scenario, draft_change(profile)(semantics_for("4.3"))).exchanges
    return [exchange.outcome for exchange in exchanges]  # type: ignore[misc]


def returned(
    profile: str,
    limit: int,
    *partitions: Partition,
    isolation: int = 0,
    offset: int = 0,
    cap: int = INT32_MAX,
) -> list[int]:
    """Records of each partition, by the model; -1 where the answer is an error."""
    parts = tuple(
        [
            FetchPartition(number, offset if not number else 0, cap)
            for number in range(len(partitions))
        ]
    )
    fetch = replace(ROOMY, partitions=parts, extra=limited_to(limit), isolation=isolation)
    (answer,) = answered(Scenario(Layout(partitions), (fetch,)), parse(profile))
    assert isinstance(answer, FetchAnswer)
    return (
        [-1]
        if answer.error
        else [sum(batch.records for batch in got.batches) for got in answer.partitions]
    )


def log(*entries: int | Batch | Marker) -> Partition:
    return Partition(
        (tuple([Batch(100, entry) if isinstance(entry, int) else entry for entry in entries]),)
    )


def zipped(records: int, codec: Codec = Codec.GZIP) -> Batch:
    return Batch(100, records, codec)


TXN = Batch(100, 1, txn=0)


@pytest.mark.parametrize(
    ("axis", "limit", "partitions", "expected"),
    [
        ("scope", 3, (log(3), log(3)), {"request": [3, 0], "partition": [3, 3], "both": [3, 0]}),
        ("stop", 4, (log(2, 3),), {"after": [5], "before": [2]}),
        ("oversize", 3, (log(5),), {"returned": [5], "refused": [0]}),
        ("progress", 3, (log(5), log(5)), {"request": [5, 0], "partition": [5, 5]}),
        ("empty", 3, (log(Batch(61, 0, span=1), 5),), {"uses": [0], "keeps": [5]}),
        (
            "compressed",
            3,
            (log(zipped(100), zipped(100), zipped(100)),),
            {"one": [300], "header": [100], "deep": [100]},
        ),
        ("mixed", 4, (log(2, zipped(50), 2, 2),), {"sum": [54], "separate": [54], "first": [52]}),
        (
            "trivial",
            10,
            (log(zipped(10, Codec.LZ4), zipped(10, Codec.LZ4)),),
            {"none": [20], "fast": [10]},
        ),
        ("gaps", 3, (log(Batch(100, 2, span=10), 1),), {"records": [3], "offsets": [2]}),
        ("exact", 4, (log(2, 10),), {"aligned": [12], "cut": [2]}),
        ("control", 2, (log(TXN, Marker(0, commit=True), 1),), {"counted": [2], "free": [3]}),
        ("zero", 0, (log(1),), {"unlimited": [1], "no_data": [0], "invalid": [-1]}),
        ("negative", -1, (log(1),), {"unlimited": [1], "invalid": [-1], "failed": [0]}),
    ],
)
def test_the_readings_of_a_question_differ_where_the_catalogue_of_ambiguities_says(
    axis: str, limit: int, partitions: tuple[Partition, ...], expected: dict[str, list[int]]
) -> None:
    needs = next(one for one in AXES if one.name == axis).needs
    found = {
        reading.value: returned(
            ",".join([*[f"{name}={value}" for name, value in needs], f"{axis}={reading.value}"]),
            limit,
            *partitions,
        )
        for reading in QUESTIONS.answers(axis)
    }
    assert found == expected


def test_aborted_records_count_or_not_to_a_read_committed_fetch() -> None:
    partition = log(Batch(100, 2, txn=0), Marker(0, commit=False), 1)
    assert returned("aborted=counted", 1, partition, isolation=1) == [2]
    assert returned("aborted=free,control=free", 1, partition, isolation=1) == [4]


def test_a_first_batch_that_begins_before_the_fetch_offset_counts_whole_or_from_there() -> None:
    assert returned("start=whole", 5, log(10, 3), offset=8) == [10]
    assert returned("start=usable", 5, log(10, 3), offset=8) == [13]


def test_a_batch_at_the_byte_limit_counts_or_not_or_is_left_out() -> None:
    partitions = log(1, 1, 1), log(1)
    assert returned("tail=counted", 3, *partitions, cap=250) == [2, 0]
    assert returned("tail=free", 3, *partitions, cap=250) == [2, 1]
    (counted,) = answered(
        ask_all(Layout(partitions), 3, partition_max_bytes=250), parse("tail=left_out")
    )[2:]
    assert isinstance(counted, FetchAnswer)
    assert [got.size for got in counted.partitions] == [200, 100]


def test_case_m01() -> None:
    """KAFKA-19554: batches of four records; 6 returns two of the first partition, 1 one, 0 all."""
    partitions = log(4, 4, 4), log(4, 4)
    assert [returned("default", limit, *partitions) for limit in (6, 1, 0)] == [
        [8, 0],
        [4, 0],
        [12, 8],
    ]


def test_case_m06_passes_the_limit_up_to_the_end_of_the_batch_that_crosses_and_no_further() -> None:
    assert returned("stop=after", 6, log(5, 5, 5)) == [10]
    assert returned("stop=before", 6, log(5, 5, 5)) == [5]


def test_case_m04_the_records_before_the_asked_offset_need_not_count() -> None:
    assert returned("start=usable", 1, log(zipped(40), 1), offset=20) == [40]


def test_a_session_remembers_the_limit_or_does_not() -> None:
    ask = FetchPartition(0, 0)
    full = replace(ROOMY, partitions=(ask,), epoch=0, extra=limited_to(1))
    following = replace(ROOMY, partitions=(ask,), session=OWN, epoch=1)
    scenario = Scenario(Layout((log(1, 1, 1),)), (full, following))
    for session, expected in (("request", 3), ("cached", 1)):
        _, answer = answered(scenario, parse(f"session={session}"))
        assert isinstance(answer, FetchAnswer)
        assert len(answer.partitions[0].batches) == expected


def test_reaching_the_limit_ends_the_wait_for_min_bytes_or_does_not() -> None:
    fetch = replace(
        ROOMY,
        partitions=(FetchPartition(0, 0),),
        extra=limited_to(2),
        min_bytes=500,
        max_wait_ms=1000,
    )
    scenario = Scenario(Layout((log(*[1] * 10),)), (fetch,))
    for reading, least in (("answered", 0), ("waits", 1000)):
        exchange = answer_all(
            scenario, draft_change(parse(f"min_bytes={reading}"))(semantics_for("4.3"))
        ).exchanges[0]
        assert least <= exchange.elapsed_ms < least + 1


@settings(max_examples=100, deadline=None)
@given(questions(), profiles())
def test_two_formulations_agree(question: tuple, profile: Profile) -> None:  # type: ignore[type-arg]
    layout, fetch = question
    logs = {number: log_of(partition) for number, partition in enumerate(layout.partitions)}
    asks = [ask_of(part, fetch.version) for part in fetch.partitions]
    walked = walk.read_all(
        asks, logs, fetch.max_bytes, fetch.isolation, FetchSemantics(), limit_in(fetch), profile
    )
    most = limit_in(fetch)
    assert most is not None
    streamed = stream.read_all(asks, logs, fetch.max_bytes, fetch.isolation, most, profile)
    assert [(read.whole, read.size) for read in walked.reads] == streamed


@settings(max_examples=100, deadline=None)
@given(questions(), profiles())
def test_what_is_to_hold_under_every_reading_holds(question: tuple, profile: Profile) -> None:  # type: ignore[type-arg]
    layout, fetch = question
    version = fetch.version if profile.encoding is not Encoding.UNVERSIONED else 17
    plain = replace(fetch, version=17, extra=())
    rising = [
        replace(fetch, version=version, extra=limited_to(limit))
        for limit in (1, limit_in(fetch), 40)
    ]
    semantics = draft_change(profile)(semantics_for("4.3"))
    scenario = Scenario(layout, (plain, *[replace(one, extra=()) for one in rising[:1]], *rising))
    assert not judge(scenario, answer_all(scenario, semantics), semantics).breaks


@settings(max_examples=60, deadline=None)
@given(questions(), profiles())
def test_every_record_is_read_once_by_continuing_from_the_last(
    question: tuple,  # type: ignore[type-arg]
    profile: Profile,
) -> None:
    """Following fetches leave nothing out, unless an oversize first batch is refused."""
    layout, fetch = question
    logs = {number: log_of(partition) for number, partition in enumerate(layout.partitions)}
    position = dict.fromkeys(logs, 0)
    seen: dict[int, list[int]] = {number: [] for number in logs}
    refuses = profile.oversize == "refused" and profile.stop == "before"
    for _ in range(40):
        asks = [
            ask_of(FetchPartition(number, offset, 90), fetch.version)
            for number, offset in position.items()
        ]
        asks = [ask for ask in asks if position[ask.partition] < logs[ask.partition].end]
        reads = walk.read_all(asks, logs, 200, 0, FetchSemantics(), limit_in(fetch), profile).reads
        for ask, read in zip(asks, reads, strict=True):
            for batch in (
                logs[ask.partition].batches[read.first : read.first + read.whole]
                if read.whole
                else ()
            ):
                assert batch.base >= position[ask.partition]
                seen[ask.partition].append(batch.base)
                position[ask.partition] = batch.last + 1
        if not any(read.whole for read in reads):
            break
    assert refuses or all(
        seen[number] == [batch.base for batch in one.batches] for number, one in logs.items()
    )


@pytest.mark.parametrize("release", RELEASES)
def test_a_released_broker_is_unsupported_and_never_passes(release: str) -> None:
    scenario = ask_all(Layout((log(4, 4),)), 1)
    semantics = semantics_for(release)
    verdicts = judge(scenario, answer_all(scenario, semantics), semantics).verdicts
    assert {verdict.outcome for verdict in verdicts} == {Outcome.UNSUPPORTED}


def test_a_released_broker_refuses_the_drafts_version_and_ignores_the_field_in_its_own() -> None:
    layout = Layout((log(4, 4),))
    newest = replace(ROOMY, partitions=(FetchPartition(0, 0),), extra=limited_to(1))
    semantics = semantics_for("4.3")
    assert isinstance(
        answer_all(Scenario(layout, (newest,)), semantics).exchanges[0].outcome, Closed
    )
    old = (
        answer_all(Scenario(layout, (replace(newest, version=17),)), semantics).exchanges[0].outcome
    )
    assert isinstance(old, FetchAnswer)
    assert len(old.partitions[0].batches) == 2


def test_every_ambiguity_is_a_question_or_says_where_it_went() -> None:
    ids = [axis.id for axis in AXES]
    assert sorted([*ids, *ELSEWHERE], key=lambda one: int(one.removeprefix("MXR-A"))) == [
        f"MXR-A{number}" for number in range(1, 31)
    ]


def test_every_question_has_its_readings_in_the_order_of_the_profile() -> None:
    assert {axis.name for axis in AXES} == set(Profile.__dataclass_fields__)
    for axis in AXES:
        assert [reading.name for reading in axis.readings] == list(QUESTIONS.answers(axis.name))
        assert bool(axis.when) == bool(axis.needs)
        assert axis.arises(QUESTIONS.profile_where(axis.name, axis.readings[0].name))


@given(profiles())
def test_a_profile_is_read_back_as_it_is_shown(profile: Profile) -> None:
    assert parse(str(profile)) == profile == QUESTIONS.normal(profile)


def test_a_wrong_profile_names_what_there_is() -> None:
    with pytest.raises(BadProfileError, match="scope, stop"):
        parse("scpoe=request")
    with pytest.raises(BadProfileError, match=r"after, before for stop, found 'never'"):
        parse("stop=never")


def test_a_batch_without_records_is_not_cut() -> None:
    """It counts the offsets that it covers, yet there is no record in it to end with."""
    layout = Layout((Partition(((Batch(70, 1), Batch(61, 0, span=2)),)),))
    profile = Profile(exact=Exact.CUT, gaps=Gaps.OFFSETS, compressed=Compressed.ONE)
    scenario = ask_all(layout, 2)
    semantics = draft_change(profile)(semantics_for("4.3"))
    played = answer_all(scenario, semantics)
    assert not judge(scenario, played, semantics).breaks
