"""The initial delay of a join phase: at first the whole config, then never past the timeout."""

from hypothesis import given
from hypothesis import strategies as st

from spec.groups.model.delays import first_delay, next_delay

TIMES = st.integers(0, 3_600_000)


@given(TIMES, TIMES)
def test_a_delay_is_within_the_config_and_what_is_left(delay_ms: int, left_ms: int) -> None:
    delay, left = next_delay(delay_ms, left_ms)
    assert 0 <= delay <= delay_ms
    assert delay + left == left_ms
    assert left == 0 or delay == delay_ms


@given(st.integers(1, 10_000), st.integers(0, 5_000))
def test_delays_that_are_begun_again_end_with_the_timeout(delay_ms: int, timeout_ms: int) -> None:
    spent, left = first_delay(delay_ms, timeout_ms)
    assert spent == delay_ms
    count = 1
    while left:
        delay, left = next_delay(delay_ms, left)
        spent, count = spent + delay, count + 1
    assert spent == max(delay_ms, timeout_ms)
    assert count == max(1, -(-timeout_ms // delay_ms))
