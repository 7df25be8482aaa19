"""Ladders of numbers: which of them are allowed, where the fences lie, and how both are drawn."""

from xml.etree.ElementTree import fromstring

import pytest

from results.ladder import Asked, ladder
from results.ladder_picture import add_ladder
from results.shapes import Ladder
from spec.kafka import Error
from spec.limits.configs import Range
from tests.results.synthetic import HOSTILE

SVG = "{http://www.w3.org/2000/svg}"


def made(bounds: Range, *asked: Asked) -> Ladder:
    found = ladder("the name", bounds, asked)
    assert found is not None
    return found


def drawn(one: Ladder, width: int = 760) -> str:
    parts: list[str] = []
    height = add_ladder(parts, one, 0, width)
    return f'<svg xmlns="{SVG[1:-1]}" height="{height}">{"".join(parts)}</svg>'


def test_a_number_past_the_bound_lies_beyond_a_fence_however_near_it_is() -> None:
    one = made(Range(1, 249), Asked("250", 0))
    assert [(rung.number, rung.allowed, rung.words) for rung in one.rungs] == [
        ("250", False, "asked, not allowed: taken"),
        ("249", True, "the greatest allowed"),
        ("1", True, "the least allowed"),
    ]
    assert one.fences == (1,)


def test_a_number_at_the_bound_shares_its_rung() -> None:
    one = made(Range(1, 249), Asked("249", Error.INVALID_TOPIC_EXCEPTION))
    assert [rung.words for rung in one.rungs] == [
        "the greatest allowed; asked: refused, INVALID_TOPIC_EXCEPTION",
        "the least allowed",
    ]
    assert one.fences == ()
    assert one.rungs[0].refused


def test_a_number_besides_the_range_is_allowed() -> None:
    one = made(Range(1, None, -1), Asked("-1", 0), Asked("-2", None))
    assert [(rung.number, rung.allowed) for rung in one.rungs] == [
        ("1", True),
        ("-1", True),
        ("-2", False),
    ]
    assert one.rungs[2].words == "asked, not allowed: no answer"


def test_numbers_of_64_bits_are_told_apart() -> None:
    one = made(Range(-1, 2**63 - 1), Asked(str(2**63), 0))
    assert [rung.number for rung in one.rungs] == [str(2**63), str(2**63 - 1), "-1"]
    assert one.fences == (1,)


def test_fractions_stand_between_whole_numbers() -> None:
    one = made(Range(0, 1), Asked("0.5", 0), Asked("1.125", 40))
    assert [rung.number for rung in one.rungs] == ["1.125", "1", "0.5", "0"]


@pytest.mark.parametrize("text", ["", "ten", "nan", "inf", "1e999999", "1" * 50, HOSTILE])
def test_what_is_no_number_has_no_ladder(text: str) -> None:
    assert ladder("x", Range(0, 1), (Asked(text, 0),)) is None


def test_what_nothing_bounds_has_no_ladder() -> None:
    assert ladder("x", Range(None, None), (Asked("1", 0),)) is None
    assert ladder("x", Range(0, 1), ()) is None


@pytest.mark.parametrize("width", [340, 760])
def test_a_fence_is_a_line_between_what_is_allowed_and_what_is_not(width: int) -> None:
    found = fromstring(drawn(made(Range(1, 249), Asked("250", 0)), width))
    texts = {text.text: float(text.attrib["y"]) for text in found.iter(f"{SVG}text")}
    (fence,) = [float(line.attrib["y1"]) for line in found.iter(f"{SVG}line")]
    assert texts["250"] < fence < texts["249"]
    bars = [float(rect.attrib["y"]) for rect in found.iter(f"{SVG}rect")]
    assert len(bars) == 2
    assert min(bars) == fence
    assert len([*found.iter(f"{SVG}path")]) == 1


def test_what_was_refused_is_red_and_says_so() -> None:
    for error, colour, word in ((0, "#2e7d4f", "taken"), (40, "#b3261e", "refused")):
        found = fromstring(drawn(made(Range(1, 249), Asked("250", error))))
        (mark,) = found.iter(f"{SVG}path")
        assert mark.attrib["fill"] == colour
        assert any(word in (text.text or "") for text in found.iter(f"{SVG}text"))


def test_long_words_are_wrapped_within_the_width() -> None:
    asked = Asked(str(2**63), Error.UNKNOWN_TOPIC_OR_PARTITION)
    found = fromstring(drawn(made(Range(-1, 2**63 - 1), asked), 340))
    for text in found.iter(f"{SVG}text"):
        if text.attrib["text-anchor"] == "start":
            assert float(text.attrib["x"]) + 6.7 * len(text.text or "") <= 340
    joined = " ".join(text.text or "" for text in found.iter(f"{SVG}text"))
    assert "UNKNOWN_TOPIC_OR_PARTITION" in joined


def test_hostile_words_are_only_text() -> None:
    found = ladder(HOSTILE, Range(0, 1), (Asked("1", 0, HOSTILE),))
    assert found is not None
    svg = drawn(found)
    fromstring(svg)
    assert "<script" not in svg
    assert "\x1b" not in svg
