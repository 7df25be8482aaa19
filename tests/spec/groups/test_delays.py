"""The initial delay of a join phase: never longer than the config, never past the timeout."""

from hypothesis import given
from hypothesis import strategies as st

from spec.groups.model.delays import next_delay

TIMES = st.integers(0, 3_600_000)


@given(TIMES, TIMES)
def test_a_delay_is_within_the_config_and_what_is_left(delay_ms: int, left_ms: int) -> None:
    delay, left = next_delay(delay_ms, left_ms)
    assert 0 <= delay <= delay_ms
    assert delay + left == left_ms
    assert left == 0 or delay == delay_ms


@given(st.integers(1, 10_000), st.integers(0, 5_000))
def test_delays_that_are_begun_again_end_with_the_timeout(delay_ms: int, timeout_ms: int) -> None:
    spent, left, count = 0.0, float(timeout_ms), 0
    while left:
        delay, left = next_delay(delay_ms, left)
        spent, count = spent + delay, count + 1
    assert spent == timeout_ms
    assert count == -(-timeout_ms // delay_ms)
