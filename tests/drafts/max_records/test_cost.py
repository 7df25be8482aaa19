"""How many fetched bytes a consumer with `max.poll.records=N` discards."""

from click.testing import CliRunner

from conformance.cli import main
from drafts.max_records.axes import parse
from drafts.max_records.cost import Cost, cost_of
from spec.layout import Batch, Partition
from spec.log import Log, log_of

SMALL = Partition((tuple([Batch(100, 1)] * 10),))


def log(partition: Partition) -> Log:
    return log_of(partition)


def test_today_what_is_not_taken_is_fetched_again() -> None:
    assert cost_of(log(SMALL), 2, None) == Cost(
        fetches=5, fetched=1000 + 800 + 600 + 400 + 200, stored=1000, records=10
    )
    assert cost_of(log(SMALL), 2, None).thrown_away == 2000


def test_a_limit_on_batches_that_fit_it_throws_nothing_away() -> None:
    assert cost_of(log(SMALL), 2, parse("default")) == Cost(
        fetches=5, fetched=1000, stored=1000, records=10
    )


def test_a_batch_larger_than_the_limit_is_fetched_for_each_part_of_it() -> None:
    large = log(Partition(((Batch(900, 6), Batch(900, 6)),)))
    assert cost_of(large, 3, parse("default")).fetched == 4 * 900
    assert cost_of(large, 3, None).fetched == 2 * 1800 + 2 * 900


def test_stopping_before_a_batch_reads_nothing_where_the_first_is_refused() -> None:
    large = log(Partition(((Batch(900, 6),),)))
    assert cost_of(large, 3, parse("stop=before,oversize=refused")) == Cost(stored=900)


def test_the_command_shows_a_row_for_each_reading() -> None:
    result = CliRunner().invoke(main, ["cost", "--records", "50", "--total", "500"])
    assert result.exit_code == 0, result.output
    assert result.output.count("today") == result.output.count("stop=before ") == 4
    assert "batches of 500, gzip" in result.output
