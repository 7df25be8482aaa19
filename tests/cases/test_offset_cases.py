"""The field's bug reports on lookups, each as a scenario on a real broker: what is answered is
right, or listed as a finding.
"""

import secrets
from collections.abc import Callable, Iterator

import pytest

from conformance.engine.play_result import Played
from conformance.subjects.fetch.broker_player import FetchBrokerPlayer
from conformance.subjects.offsets.broker_player import OffsetBrokerPlayer
from spec.kafka import Error
from spec.layout import Codec, Layout, Partition
from spec.offsets.examples import EMPTY, ask, ask_time, play_on
from spec.offsets.outcomes import (
    Committed,
    Found,
    ListOffsetsAnswer,
    OffsetCommitAnswer,
    OffsetFetchAnswer,
)
from spec.offsets.steps import (
    EARLIEST,
    LARGEST,
    LATEST,
    AppendTimed,
    Commit,
    OffsetCommit,
    OffsetFetch,
    Text,
)
from spec.offsets.timeline import SEGMENT_MS
from spec.scenario import Scenario
from spec.steps import DeleteRecords
from tests.cases.case import broken

pytestmark = pytest.mark.broker

Play = Callable[[Scenario], Played]


@pytest.fixture(scope="module")
def look(player: FetchBrokerPlayer) -> Iterator[Play]:
    """Plays one scenario of offsets on the broker of the fetches."""
    found = OffsetBrokerPlayer(
        player.cluster, player.semantics, f"cases-offsets-{secrets.token_hex(4)}"
    )
    yield found.play_one
    found.close()


def entries(played: Played) -> list[Found]:
    """What each lookup gave."""
    return [
        exchange.outcome.found[0]
        for exchange in played.observation.exchanges
        if isinstance(exchange.outcome, ListOffsetsAnswer)
    ]


def commits(*lengths: int, text: Text = Text.ASCII) -> list[OffsetCommit]:
    """One request for each of these lengths of metadata."""
    return [OffsetCommit((Commit(0, 7, length, text),)) for length in lengths]


def refusals(played: Played) -> list[tuple[int, ...]]:
    """The error codes of each OffsetCommit."""
    return [
        tuple([error for _, error in exchange.outcome.errors])
        for exchange in played.observation.exchanges
        if isinstance(exchange.outcome, OffsetCommitAnswer)
    ]


def append(*times: int, codec: Codec = Codec.NONE) -> AppendTimed:
    """One batch."""
    return AppendTimed(0, times, codec)


def test_t03_a_deleted_record_decides_which_segment_is_searched(look: Play) -> None:
    written = (append(60), append(50), append(SEGMENT_MS + 61))
    played = look(play_on(EMPTY, *written, DeleteRecords(0, 1), ask_time(55), ask_time(70)))
    assert [found.offset for found in entries(played)] == [None, 2]
    assert broken(played) == {
        ("OFF-004", "deleted record decides"),
        ("OFF-031", "deleted record decides"),
    }


def test_t03_in_one_segment_the_record_is_found(look: Play) -> None:
    written = (append(60), append(50), append(3_700))
    played = look(play_on(EMPTY, *written, DeleteRecords(0, 1), ask_time(55), ask_time(70)))
    assert [found.offset for found in entries(played)] == [2, 2]
    assert broken(played) == set()


def test_t04_the_largest_timestamp_may_be_one_that_was_deleted(look: Play) -> None:
    written = (append(200), append(100), DeleteRecords(0, 1))
    played = look(play_on(EMPTY, *written, ask(EARLIEST), ask(LATEST), ask(LARGEST, version=7)))
    assert entries(played)[-1] == Found(0, 0, 0, 200, 0)
    assert broken(played) == {
        ("OFF-005", "deleted record decides"),
        ("OFF-030", "deleted record decides"),
    }


def test_t04_of_equal_timestamps_in_two_segments_the_earlier_one_is_found(look: Play) -> None:
    late = SEGMENT_MS + 1
    played = look(play_on(EMPTY, append(0), append(late), append(late), ask(LARGEST)))
    assert [found.offset for found in entries(played)] == [1]
    assert broken(played) == set()


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP])
def test_t19_times_inside_a_batch(look: Play, codec: Codec) -> None:
    asked = [ask_time(time) for time in (-1, 0, 1, 5, 10, 11, 20, 21)]
    played = look(play_on(EMPTY, append(0, 10, 10, 20, codec=codec), *asked))
    assert [found.offset for found in entries(played)] == [0, 0, 1, 1, 1, 3, 3, None]
    assert broken(played) == set()


@pytest.mark.parametrize("later", [0, SEGMENT_MS + 101])
def test_t19_times_that_go_backwards(look: Play, later: int) -> None:
    written = (append(100), append(50), append(later + 120))
    played = look(play_on(EMPTY, *written, ask_time(60), ask_time(110), ask_time(later + 121)))
    assert [found.offset for found in entries(played)] == [0, 2, None]
    assert broken(played) == set()


TOO_LARGE = (Error.OFFSET_METADATA_TOO_LARGE,)


def test_t23_the_limit_of_metadata_counts_units_of_utf_16(look: Play) -> None:
    played = look(
        play_on(
            EMPTY,
            *commits(4096, 4097),
            *commits(4096, 4097, text=Text.ACCENTED),
            *commits(2048, 2049, text=Text.ASTRAL),
        )
    )
    assert refusals(played) == [(0,), TOO_LARGE] * 3
    assert broken(played) == set()
    fits = {reading: fit for _, reading, fit in played.judgement.readings}
    assert fits == {"utf16": True, "bytes": False, "characters": False}


def test_t23_a_refused_commit_leaves_its_neighbour_and_the_last_one(look: Play) -> None:
    both = OffsetCommit((Commit(0, 9, 5000), Commit(1, 9, 5)))
    steps = (*commits(3), both, OffsetFetch((0, 1), require_stable=True))
    played = look(Scenario(Layout((Partition(), Partition())), steps))
    assert refusals(played)[1] == (Error.OFFSET_METADATA_TOO_LARGE, 0)
    assert played.observation.exchanges[-1].outcome == OffsetFetchAnswer(
        (Committed(0, 0, 7, 3), Committed(1, 0, 9, 5))
    )
    assert broken(played) == set()
