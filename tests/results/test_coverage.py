from results.coverage import PairCoverage, coverage

SEEN = {
    "max_bytes=at:first": 5,
    "max_bytes=below:last": 2,
    "partition_max_bytes=above": 1,
    "order=given": 3,
}


def test_what_was_never_tried_of_what_exists_is_missing() -> None:
    existing = {*SEEN, "max_bytes=above:first", "order=reversed", "version=17"}
    assert coverage(SEEN, {}, existing).missing == (
        "max_bytes=above:first",
        "order=reversed",
        "version=17",
    )


def test_without_a_list_each_side_at_each_place_seen_is_expected() -> None:
    missing = coverage(SEEN, {}).missing
    assert "max_bytes=below:first" in missing
    assert "partition_max_bytes=below" in missing
    assert not [name for name in missing if name.startswith("order")]
    assert len(missing) == 6


def test_a_pair_of_limits_has_nine_pairs_of_sides() -> None:
    pairs = {("max_bytes=at", "partition_max_bytes=above"): 4, ("max_bytes=at", "order=given"): 9}
    (pair,) = coverage(SEEN, pairs).pairs
    assert isinstance(pair, PairCoverage)
    assert (pair.one, pair.other, pair.hit) == ("max_bytes", "partition_max_bytes", 1)
    assert "max_bytes=below with partition_max_bytes=at" in pair.missing


def test_nothing_seen_is_nothing_covered() -> None:
    found = coverage({}, {})
    assert (found.missing, found.pairs, dict(found.relations)) == ((), (), {})
