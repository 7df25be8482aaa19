"""Which offsets of a broker's log clients are shown as which, once it was truncated there."""

from conformance.subjects.fairness.lineages import Lineage
from conformance.wire.batches import parse_batches, restamp
from conformance.wire.sizing import batch_of_size

NO_EPOCH = -1


def truncated() -> Lineage:
    """Ten records, of which five are lost by the first move, and three of ten by the third."""
    lineage = Lineage()
    lineage.truncate(5, 10, 1)
    lineage.truncate(12, 20, 3)
    return lineage


def test_what_is_lost_is_shown_as_nothing() -> None:
    lineage = truncated()
    shown = {stored: lineage.shown(stored) for stored in (0, 4, 5, 9, 10, 16, 17, 19, 20, 25)}
    assert shown == {
        0: 0,
        4: 4,
        5: None,
        9: None,
        10: 5,
        16: 11,
        17: None,
        19: None,
        20: 12,
        25: 17,
    }


def test_an_offset_lies_where_it_is_shown_and_has_lain_elsewhere() -> None:
    lineage = truncated()
    assert [lineage.shown(lineage.stored(offset)) for offset in range(20)] == [*range(20)]
    assert lineage.ever_stored(13) == [13, 18, 21]
    assert lineage.stored(NO_EPOCH) == NO_EPOCH


def test_a_truncation_to_the_beginning_leaves_nothing() -> None:
    lineage = truncated()
    lineage.truncate(0, 30, 4)
    assert [lineage.shown(stored) for stored in (0, 10, 20, 29, 30)] == [None] * 4 + [0]


def test_an_epoch_ends_where_the_next_one_that_wrote_begins() -> None:
    lineage = truncated()
    ends = [lineage.end_of(moves, 26) for moves in range(5)]
    assert ends == [(0, 5), (1, 12), (1, 12), (3, 18), (3, 18)]


def test_batches_have_the_offsets_and_epochs_that_are_shown() -> None:
    made = batch_of_size(300, 3)
    records = b"".join([restamp(made, base_offset=base) for base in (0, 17, 20)])
    part = {
        "records": records,
        "high_watermark": 23,
        "last_stable_offset": 23,
        "log_start_offset": 0,
        "aborted_transactions": [
            {"producer_id": 1, "first_offset": 6},
            {"producer_id": 2, "first_offset": 20},
        ],
    }
    shown = truncated().fetched(part, 7)
    batches = parse_batches(shown["records"]).batches
    assert [(one.base_offset, one.partition_leader_epoch) for one in batches] == [(0, 7), (12, 10)]
    assert (shown["high_watermark"], shown["last_stable_offset"]) == (15, 15)
    assert shown["aborted_transactions"] == [{"producer_id": 2, "first_offset": 12}]
