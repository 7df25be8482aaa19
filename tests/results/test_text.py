from unicodedata import category

from hypothesis import given
from hypothesis import strategies as st

from results.text import count_of, plain


@given(st.text())
def test_nothing_that_moves_a_cursor_or_turns_text_is_left(text: str) -> None:
    shown = plain(text)
    assert not [char for char in shown if category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}]
    shown.encode()


@given(st.text(st.characters(categories=("L", "N", "P", "S", "Zs"))))
def test_ordinary_text_of_any_language_is_left_alone(text: str) -> None:
    assert plain(text) == text


@given(st.text(), st.integers(1, 50))
def test_a_limit_is_kept(text: str, limit: int) -> None:
    assert len(plain(text, limit)) <= limit


def test_control_characters_are_written_out() -> None:
    assert plain("\x1b[31m\n\u202e") == r"\x1b[31m\n\u202e"


def test_counts_carry_their_noun() -> None:
    assert count_of(1, "layout") == "1 layout"
    assert count_of(12345, "batch", "batches") == "12,345 batches"
