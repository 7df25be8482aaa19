"""What was used last is kept, and no more than so much."""

import pytest

from spec.recent import Recent


def test_what_was_not_used_for_the_longest_time_is_forgotten() -> None:
    kept: Recent[str, int] = Recent(2)
    kept["a"] = 1
    kept["b"] = 2
    assert kept["a"] == 1
    kept["c"] = 3
    assert "b" not in kept
    assert dict(kept) == {"a": 1, "c": 3}


def test_it_never_holds_more_than_it_may() -> None:
    kept: Recent[int, int] = Recent(3)
    for number in range(100):
        kept[number] = number
        kept[number % 7] = number
        assert len(kept) <= 3
    del kept[99]
    with pytest.raises(KeyError):
        kept[99]
