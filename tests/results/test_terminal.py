from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from results.log import RESUMED, BrokenLine
from results.summary import Summary, summarise
from results.terminal import show
from spec.events import Event, Judged, Note
from spec.fence import Fence, Unit, UnreachableSides
from spec.verdict import Outcome, Side, Verdict
from tests.results.synthetic import (
    CLAUSES,
    HOSTILE,
    conforms,
    deviates,
    fetch,
    header,
    judged,
    layout,
    placed,
    small_run,
    violates,
)


def shown(summary: Summary, width: int = 80, *, colour: bool = False, verbose: bool = False) -> str:
    text = StringIO()
    console = Console(
        file=text,
        width=width,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
        legacy_windows=False,
    )
    show(summary, console, paths={"report": Path("runs/r1/report.html")}, verbose=verbose)
    return text.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_fits_the_terminal_with_every_column(width: int) -> None:
    text = shown(summarise(small_run(), CLAUSES), width)
    table = text.split("\n\n")[0]
    assert max(len(line) for line in table.splitlines()) <= width
    assert "…" not in table
    for word in ("clause", "strength", "below", "lates", "known", "FET-001", "must"):
        assert word in table


def test_ten_thousands_still_fit_in_eighty_columns() -> None:
    one = layout((5070,))
    summary = summarise([header(), placed(one), *[judged(one, conforms())] * 12_345], CLAUSES)
    assert "12,345" in shown(summary)
    assert "…" not in shown(summary)


def test_a_long_run_names_clauses_that_hardly_stood_on_a_side_of_their_fence() -> None:
    one = layout((5070,))
    some: list[Event] = [judged(one, conforms(sides=Side.BELOW | Side.AT))] * 20
    long: list[Event] = [
        header(),
        placed(one),
        *some,
        *[judged(one, conforms(sides=Side.BELOW))] * 4980,
    ]
    assert "fewer than 20 scenarios on a side of its fence: FET-001 (above)" in shown(
        summarise(long, CLAUSES)
    )
    assert "on a side of its fence" not in shown(summarise(long[:-1], CLAUSES))
    never = {
        **CLAUSES,
        "FET-001": replace(
            CLAUSES["FET-001"],
            fence=Fence(
                "a limit", Unit.BYTES, "a batch", never=UnreachableSides(Side.ABOVE, "by nature")
            ),
        ),
    }
    assert "on a side of its fence" not in shown(summarise(long, never))


def test_there_is_no_colour_without_a_terminal() -> None:
    assert "\x1b" not in shown(summarise(small_run(), CLAUSES))
    assert "\x1b[" in shown(summarise(small_run(), CLAUSES), colour=True)


def test_what_a_broker_says_can_not_steer_the_terminal() -> None:
    events = [*small_run(hostile=True), Note(HOSTILE), BrokenLine(9, HOSTILE, HOSTILE)]
    text = shown(summarise(events, CLAUSES, {("FET-002", "listed"): HOSTILE}), verbose=True)
    assert not [char for char in text if ord(char) < 32 and char != "\n"]
    assert "\u202e" not in text
    assert r"\x1b[2J" in text


def test_square_brackets_are_text_not_markup() -> None:
    one = layout((5070,))
    text = shown(
        summarise(
            [header(), placed(one), judged(one, violates(why="[red]bytes[/red] [link=x]y[/link]"))],
            CLAUSES,
        )
    )
    assert "[red]bytes[/red] [link=x]y[/link]" in text


def test_the_closing_block_ends_with_the_verdict() -> None:
    lines = shown(summarise(small_run(), CLAUSES)).strip().splitlines()
    closing = "\n".join(lines[-8:])
    assert lines[-1].startswith("VIOLATES  FET-001 broken in 1 verdict")
    assert "6 scenarios over 2 layouts in 2.5 s" in closing
    assert "seed    7" in closing
    assert "fencepost run --subject fetch --scenarios 5000 --strict --seed 7" in closing
    assert "runs/r1/report.html" in closing


def test_a_run_that_waits_says_its_pace_and_the_share_of_waiting() -> None:
    events = [
        replace(event, elapsed_ms=1000.0, waited_ms=900.0) if isinstance(event, Judged) else event
        for event in small_run()
    ]
    assert (
        "pace    2.4 histories a second; each took 1.0 s, 90% of it waiting, 2.4 side by side"
        in shown(summarise(events, CLAUSES))
    )
    assert "pace" not in shown(summarise(small_run(), CLAUSES))


def test_a_resumed_run_says_how_much_of_it_took_the_time() -> None:
    events = small_run()
    text = shown(summarise([*events, Note(RESUMED), *events[1:]], CLAUSES))
    assert "12 scenarios over 2 layouts, 6 of them since it was resumed in 2.5 s" in text


def test_a_long_line_to_copy_is_not_broken() -> None:
    events = small_run()
    events[0] = header(options={"facts": "x" * 200})
    assert f"--facts {'x' * 200} --seed 7\n" in shown(summarise(events, CLAUSES))


def test_a_cut_log_and_broken_lines_are_reported() -> None:
    text = shown(
        summarise(
            [header(), BrokenLine(2, "expected JSON", "x"), BrokenLine(7, "no", "y")], CLAUSES
        )
    )
    assert "cut short" in text
    assert "2 broken lines not counted: 2, 7" in text
    assert "NOTHING EXERCISED" in text


def test_a_difference_is_drawn_with_its_smallest_example() -> None:
    text = shown(summarise(small_run(), CLAUSES))
    assert "smallest example, scenario 8058b74c0e3bf795" in text
    assert "| partition_max_bytes=1000" in text


def test_a_summary_of_nothing_can_be_shown() -> None:
    assert "NOTHING EXERCISED" in shown(summarise([], {}))


def test_reasons_for_verdicts_not_given_are_shown_once_with_their_counts() -> None:
    one, other = layout((5070,)), layout((100,))
    unsupported = Verdict("*", Outcome.UNSUPPORTED, why="the broker does not advertise ShareFetch")
    unclear = Verdict("FET-001", Outcome.INCONCLUSIVE, why="the leader moved")
    summary = summarise(
        [
            header(),
            placed(one),
            placed(other),
            judged(one, unsupported),
            judged(other, unsupported, unclear),
        ],
        CLAUSES,
    )
    text = shown(summary, 120)
    assert "unsupported in 2 scenarios: the broker does not advertise ShareFetch" in text
    assert "inconclusive in 1 scenario (FET-001): the leader moved" in text
    assert text.index("unsupported in") < text.index("inconclusive in")


def test_of_many_reasons_the_commonest_are_shown_and_the_rest_counted() -> None:
    one = layout((5070,))
    reasons = [Verdict("FET-001", Outcome.INCONCLUSIVE, why=f"reason {n}") for n in "abcdefg"]
    summary = summarise([header(), placed(one), *[judged(one, why) for why in reasons]], CLAUSES)
    assert "2 more reasons in the event log" in shown(summary)
    assert "reason g" not in shown(summary)
    assert "reason g" in shown(summary, verbose=True)


def test_kinds_that_another_one_explains_stand_with_it() -> None:
    one, other = layout((5070,)), layout((100,))
    short, long = deviates(signature="shorter"), deviates("FET-040", "longer", "found 5 bytes")
    events: list[Event] = [
        header(),
        placed(one),
        placed(other),
        judged(one, violates(), short, long),
        judged(other, violates(), long),
    ]
    text = shown(summarise(events, CLAUSES), 120)
    assert "explained by it: FET-040 (longer), FET-002 (shorter)" in text
    assert text.count("scenario ") == 1
    verbose = shown(summarise(events, CLAUSES), 120, verbose=True)
    assert "explains deviates FET-040  longer  in 2 scenarios: found 5 bytes" in verbose
    alone: list[Event] = [
        *events,
        judged(other, replace(long, primary=True), steps=(fetch(max_bytes=7),)),
    ]
    assert "deviates FET-040  longer  in 3 scenarios" in shown(summarise(alone, CLAUSES), 120)


def test_what_no_finding_lists_is_not_hidden_behind_what_one_lists() -> None:
    one = layout((5070,))
    events: list[Event] = [header(), placed(one), judged(one, violates(), deviates())]
    text = shown(summarise(events, CLAUSES, {("FET-001", "too-much"): "as always"}), 120)
    assert "deviates FET-002  shorter  in 1 scenario" in text
    assert text.index("deviates FET-002") < text.index("known FET-001")


def test_of_many_kinds_the_heaviest_are_shown_and_all_with_verbose() -> None:
    one = layout((5070,))
    kinds = [
        judged(
            one, replace(deviates(signature=f"way {n}"), primary=True), steps=(fetch(max_bytes=n),)
        )
        for n in range(7)
    ]
    events: list[Event] = [header(), placed(one), *kinds, judged(one, violates())]
    text = shown(summarise(events, CLAUSES), 120)
    assert text.index("violates FET-001") < text.index("deviates FET-002  way 0")
    assert "… and 3 more kinds of difference; --verbose lists them all" in text
    assert "way 6" not in text
    assert "way 6" in shown(summarise(events, CLAUSES), 120, verbose=True)


@pytest.mark.parametrize(
    ("outcome", "has_line"), [(Outcome.UNSUPPORTED, False), (Outcome.INCONCLUSIVE, True)]
)
def test_what_is_said_of_all_clauses_has_a_line_only_where_it_has_a_count(
    outcome: Outcome, has_line: bool
) -> None:
    one = layout((5070,))
    verdict = Verdict("*", outcome, why="the broker does not advertise ShareFetch")
    text = shown(summarise([header(), placed(one), judged(one, verdict)], CLAUSES), 120)
    lines = [line.split() for line in text.splitlines()]
    assert any(line[:1] == ["all"] for line in lines) is has_line
    assert not any(line[:1] == ["*"] for line in lines)
