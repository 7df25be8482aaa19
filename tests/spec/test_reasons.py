"""Reasons that differ in their numbers alone are of one kind."""

import pytest

from spec.reasons import kind_of_reason


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "nothing at all was answered for 10 s meanwhile",
            "nothing at all was answered for 33 s meanwhile",
        ),
        ("expected leader epoch 2, found 4", "expected leader epoch 0, found 10"),
        ("step 3: expected offset -1, found 1,024", "step 12: expected offset 7, found 5.5"),
        ("scenario c58db0cd4f02330f is late", "scenario bf531bcfca0a6320 is late"),
    ],
)
def test_reasons_that_differ_in_numbers_are_of_one_kind(one: str, other: str) -> None:
    assert kind_of_reason(one) == kind_of_reason(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the broker does not offer Fetch v14", "the broker does not offer Fetch v15"),
        ("SHR-155 is broken", "SHR-156 is broken"),
        ("judged as kafka-4.1", "judged as kafka-4.2"),
        ("it takes no files", "it can't be restarted"),
    ],
)
def test_versions_and_clauses_are_no_such_numbers(one: str, other: str) -> None:
    assert kind_of_reason(one) != kind_of_reason(other)
