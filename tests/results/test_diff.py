"""Two runs compared: nothing cancels out, and only what was judged in both is called new, fixed or
changed.
"""

import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from results.diff import Change, Diff, Kind, compare, view
from results.diff_export import write_diff
from results.diff_text import show_diff
from results.log import BrokenLine
from spec.events import Event, Judged
from spec.known import known_to_facts
from spec.verdict import Outcome, Verdict
from tests.results.synthetic import (
    HOSTILE,
    conforms,
    deviates,
    fetch,
    footer,
    header,
    judged,
    layout,
    violates,
)

PLACE = layout((100,))


def on(number: int, *verdicts: Verdict) -> Judged:
    return judged(PLACE, *verdicts, steps=(fetch(max_bytes=number),))


def diff(before: Sequence[Event], after: Sequence[Event], **changes: object) -> Diff:
    known = known_to_facts({("FET-001", "listed"): "as always"})
    return compare(
        view([header(facts=known), *before, footer()]),
        view([header("r2", facts=known, **changes), *after, footer()]),
    )


def only(found: Diff) -> Change:
    [change] = found.changes
    return change


@pytest.mark.parametrize(
    ("before", "after", "kind", "worse"),
    [
        (conforms(), violates(), Kind.NEW, True),
        (conforms("FET-002"), deviates(), Kind.NEW, True),
        (conforms(), violates(signature="listed"), Kind.NEW, False),
        (violates(), conforms(), Kind.FIXED, False),
        (violates(), violates(why="expected 7 bytes, found 8"), Kind.UNCHANGED, False),
        (violates(), violates(signature="too little"), Kind.CHANGED, True),
        (violates(), violates(signature="listed"), Kind.CHANGED, False),
        (violates(signature="listed"), violates(), Kind.CHANGED, True),
        (deviates("FET-001"), violates(), Kind.CHANGED, True),
        (violates(), deviates("FET-001"), Kind.CHANGED, False),
        (violates(), Verdict("FET-001", Outcome.INCONCLUSIVE, why="silent"), Kind.UNDECIDED, False),
        (violates(), conforms("FET-004"), Kind.UNDECIDED, False),
        (Verdict("FET-001", Outcome.INCONCLUSIVE), violates(), Kind.NEW, True),
    ],
)
def test_what_became_of_a_clause_on_a_scenario(
    before: Verdict, after: Verdict, kind: Kind, *, worse: bool
) -> None:
    change = only(diff([on(1, before)], [on(1, after)]))
    assert (change.kind, change.worse) == (kind, worse)


def test_a_break_is_not_fixed_where_the_infrastructure_failed() -> None:
    after = on(
        1, conforms(), Verdict("*", Outcome.INCONCLUSIVE, why="gone", signature="infrastructure")
    )
    assert only(diff([on(1, violates())], [after])).kind is Kind.UNDECIDED


def test_one_new_and_one_fixed_do_not_cancel_out() -> None:
    found = diff([on(1, violates()), on(2, conforms())], [on(1, conforms()), on(2, violates())])
    assert (found.count(Kind.NEW), found.count(Kind.FIXED)) == (1, 1)
    assert found.by_clause["FET-001"] == {Kind.NEW: 1, Kind.FIXED: 1}
    assert [change.kind for change in found.worse] == [Kind.NEW]


def test_what_conforms_in_both_is_no_change() -> None:
    assert diff([on(1, conforms())], [on(1, conforms())]).changes == ()


def test_a_scenario_of_one_run_counts_only_with_a_kind_of_break_that_the_other_never_saw() -> None:
    before = [on(1, violates()), on(2, deviates())]
    after = [
        on(3, violates()),
        on(4, violates(signature="too little")),
        on(5, violates(signature="listed")),
    ]
    found = diff(before, after)
    assert (found.both, found.only_before, found.only_after) == (0, 2, 3)
    assert (found.count(Kind.ONLY_BEFORE), found.count(Kind.ONLY_AFTER)) == (2, 3)
    assert [change.after.signature for change in found.worse if change.after] == ["too little"]


def test_of_several_plays_of_a_scenario_the_worst_counts() -> None:
    after = [on(1, violates()), on(1, conforms())]
    assert only(diff([on(1, conforms())], after)).kind is Kind.NEW
    assert only(diff(after, [on(1, conforms())])).kind is Kind.FIXED


def test_what_differs_of_the_runs_themselves_is_named() -> None:
    found = diff([], [], release="4.4", requirement_set="4.4/1", seed=8)
    assert {name for name, _, _ in found.differences} == {"release", "requirement set", "seed"}


def test_a_log_without_its_footer_is_truncated_even_where_it_was_resumed() -> None:
    assert not view([header(), footer()]).truncated
    assert view([header()]).truncated
    assert view([header(), footer(), on(1, conforms())]).truncated
    assert view([header(), BrokenLine(2, "expected JSON", "x"), footer()]).broken_lines == 1


def shown(found: Diff, *, verbose: bool = False) -> str:
    text = StringIO()
    console = Console(file=text, width=80, legacy_windows=False)
    show_diff(found, console, paths=(Path("runs/a"), Path("runs/b")), verbose=verbose)
    return text.getvalue()


def test_the_last_line_says_the_worst() -> None:
    one = [on(1, violates()), on(2, conforms())]
    assert shown(diff(one, one)).rstrip().endswith("NOTHING NEW  1 unchanged")
    assert "WORSE  1 new, 1 unchanged" in shown(diff(one, [on(1, violates()), on(2, violates())]))
    assert "BETTER  1 fixed" in shown(diff(one, [on(1, conforms()), on(2, conforms())]))
    assert "UNDECIDED  1 undecided" in shown(diff(one, [on(1), on(2, conforms())]))
    assert "NOTHING TO COMPARE" in shown(diff(one, [on(3, conforms())]))


def test_a_cut_log_and_other_releases_are_said() -> None:
    found = compare(
        view([header(), on(1, conforms())]),
        view([header("r2", release="4.4"), on(1, conforms()), footer()]),
    )
    text = shown(found)
    assert "cut short" in text
    assert "not the same release: 4.3 → 4.4" in text


def test_the_comparison_fits_eighty_columns_and_obeys_no_foreign_text() -> None:
    found = diff(
        [on(n, violates(why=HOSTILE, signature=HOSTILE)) for n in range(30)],
        [on(n, conforms()) for n in range(30)],
    )
    text = shown(found)
    assert "10 more changes" in text
    assert "more changes" not in shown(found, verbose=True)
    assert not [char for char in text if ord(char) < 32 and char != "\n"]
    assert max(map(len, text.split("not the same")[0].splitlines())) <= 120
    assert "\u202e" not in text


def test_the_file_holds_every_change(tmp_path: Path) -> None:
    found = diff(
        [on(1, violates(why=HOSTILE)), on(2, conforms())], [on(1, conforms()), on(2, violates())]
    )
    plain = json.loads(
        write_diff(found, tmp_path / "diff.json", paths=(Path("a"), Path("b"))).read_text()
    )
    assert plain["fencepost_diff"] == 1
    assert (plain["counts"]["new"], plain["counts"]["fixed"]) == (1, 1)
    assert {(one["kind"], one["worse"]) for one in plain["changes"]} == {
        ("new", True),
        ("fixed", False),
    }
    assert plain["before"]["folder"] == "a"
