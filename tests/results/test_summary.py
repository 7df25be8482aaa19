from dataclasses import replace

from results.headline import headline
from results.log import RESUMED, BrokenLine
from results.reproduce import reproduction
from results.summary import ClauseCount, EventCounter, Pace, Summary, summarise
from spec.events import Event, Note
from spec.known import known_of, known_to_facts, plain_facts
from spec.scenario import Scenario
from spec.verdict import Outcome, Side, Strength, Verdict
from tests.results.synthetic import (
    CLAUSES,
    conforms,
    deviates,
    footer,
    header,
    judged,
    layout,
    observation,
    placed,
    shrunk,
    small_run,
    violates,
)

PLACE = layout((5070,))
KNOWN = {("FET-002", "listed"): "KAFKA-1: since 4.2"}


def summary_of(*events: Event | BrokenLine) -> Summary:
    return summarise([header(), placed(PLACE), *events], CLAUSES)


def test_each_outcome_is_counted_on_its_side() -> None:
    counts = {count.clause: count for count in summarise(small_run(), CLAUSES, KNOWN).clauses}
    assert counts["FET-001"] == ClauseCount(
        "FET-001", Strength.MUST, exercised=4, at=3, above=1, conforms=3, violates=1
    )
    assert counts["FET-002"] == ClauseCount(
        "FET-002", Strength.REFERENCE, exercised=2, below=2, deviates=1, known=1, unsupported=1
    )
    assert counts["FET-004"] == ClauseCount(
        "FET-004", Strength.MUST, exercised=1, below=1, above=1, conforms=1, inconclusive=1
    )
    assert counts["FET-001"].exercised == 4
    assert counts["FET-002"].exercised == 2


def test_an_inconclusive_verdict_is_not_exercised() -> None:
    counts = {count.clause: count for count in summarise(small_run(), CLAUSES).clauses}
    assert counts["FET-004"].exercised == 1


def test_clauses_that_did_not_apply_are_listed_and_excluded_ones_apart() -> None:
    summary = summarise(small_run(), CLAUSES)
    assert [count.clause for count in summary.clauses] == [
        "FET-001",
        "FET-002",
        "FET-004",
        "FET-040",
    ]
    assert summary.excluded == (("FET-030", "needs two minutes of waiting"),)


def test_a_shrunk_scenario_is_the_example_of_its_kind() -> None:
    first = summarise(small_run(), CLAUSES).clusters[0]
    assert (first.clause, first.signature, first.outcome, first.shrunk) == (
        "FET-001",
        "too-much",
        Outcome.VIOLATES,
        True,
    )
    assert first.example is not None
    assert first.example.layout == layout((5070,))
    assert first.observation == observation()


def test_without_shrinking_the_smallest_one_found_is_the_example() -> None:
    large, small = layout((900, 900, 900), (61,)), layout((900,))
    events: list[Event | BrokenLine] = [
        header(),
        placed(large),
        placed(small),
        judged(large, violates()),
        judged(small, violates()),
        judged(large, violates()),
    ]
    cluster = summarise(events, CLAUSES).clusters[0]
    assert (cluster.count, cluster.shrunk) == (3, False)
    assert cluster.example is not None
    assert cluster.example.layout == small


def test_a_scenario_whose_layout_was_lost_is_still_counted() -> None:
    cluster = summarise([header(), judged(PLACE, violates())], CLAUSES).clusters[0]
    assert cluster.count == 1
    assert cluster.example is None
    assert cluster.example_id == ""


def test_the_smallest_of_several_shrunk_ones_is_taken() -> None:
    found = judged(PLACE, violates())
    small, large = Scenario(layout((61,)), found.steps), Scenario(layout((61, 61)), found.steps)
    for order in ([small, large], [large, small]):
        events = [shrunk(found, violates(), scenario) for scenario in order]
        assert summary_of(found, *events).clusters[0].example == small


def test_known_differences_come_after_unlisted_ones() -> None:
    clusters = summarise(small_run(), CLAUSES, KNOWN).clusters
    assert [(cluster.signature, cluster.known) for cluster in clusters] == [
        ("too-much", None),
        ("shorter", None),
        ("listed", "KAFKA-1: since 4.2"),
    ]


def test_known_differences_survive_in_the_header() -> None:
    facts = {"kafka": "4.3.1", **known_to_facts(KNOWN)}
    assert known_of(facts) == KNOWN
    assert plain_facts(facts) == {"kafka": "4.3.1"}
    summary = summarise(
        [header(facts=facts), placed(PLACE), judged(PLACE, deviates(signature="listed"))], CLAUSES
    )
    assert summary.total("known") == 1
    assert summary.total("deviates") == 0


def test_a_finding_covers_its_own_signature_alone() -> None:
    summary = summarise([header(), judged(PLACE, deviates(signature="other"))], CLAUSES, KNOWN)
    assert (summary.total("known"), summary.total("deviates")) == (0, 1)


def test_a_resumed_run_is_truncated_until_its_second_footer() -> None:
    tally = EventCounter(CLAUSES)
    for event in (header(), placed(PLACE), judged(PLACE, conforms()), footer(reason="interrupted")):
        tally.add(event)
    assert not tally.summary().truncated
    tally.add(judged(PLACE, conforms()))
    assert tally.summary().truncated
    tally.add(footer(2))
    assert not tally.summary().truncated


def test_the_headline_names_the_most_severe_thing() -> None:
    stuck = Verdict("FET-004", Outcome.INCONCLUSIVE, why="silent")
    plain = judged(PLACE, conforms())
    cases: list[tuple[str, list[Event | BrokenLine]]] = [
        ("VIOLATES", [judged(PLACE, violates(), deviates(), stuck)]),
        ("INCONCLUSIVE", [judged(PLACE, conforms(), deviates(), stuck), footer()]),
        ("INCONCLUSIVE", [plain, footer(reason="broken")]),
        ("NOTHING EXERCISED", [judged(PLACE), footer()]),
        ("CUT SHORT", [plain]),
        ("CUT SHORT", [plain, BrokenLine(3, "no", "x"), footer()]),
        ("DEVIATES", [judged(PLACE, deviates()), footer()]),
        ("CONFORMS", [plain, footer()]),
    ]
    assert [headline(summary_of(*events))[0] for _, events in cases] == [word for word, _ in cases]


def test_a_listed_difference_still_conforms_and_is_mentioned() -> None:
    events: list[Event | BrokenLine] = [
        header(),
        placed(PLACE),
        judged(PLACE, deviates(signature="listed")),
        footer(),
    ]
    word, sentence = headline(summarise(events, CLAUSES, KNOWN))
    assert word == "CONFORMS"
    assert "1 verdict differs as findings list" in sentence


def test_a_scenario_on_both_sides_counts_on_both() -> None:
    count = summary_of(judged(PLACE, conforms(sides=Side.BELOW | Side.ABOVE))).clauses[0]
    assert (count.below, count.at, count.above, count.exercised) == (1, 0, 1, 1)


def test_sides_that_an_older_log_has_of_a_clause_without_a_fence_are_not_counted() -> None:
    clauses = {**CLAUSES, "FET-001": replace(CLAUSES["FET-001"], fence=None)}
    of_an_older_log = judged(PLACE, conforms(sides=Side.BELOW | Side.ABOVE))
    count = summarise([header(), placed(PLACE), of_an_older_log], clauses).clauses[0]
    assert (count.below, count.at, count.above, count.exercised) == (0, 0, 0, 1)
    assert not count.short


def test_the_line_that_reproduces_a_run_is_quoted_for_a_shell() -> None:
    line = reproduction(
        header(
            options={"command_config": "my file;.properties", "strict": "true", "report": "false"},
            seed=-5,
        )
    )
    assert line == "fencepost run --command-config 'my file;.properties' --strict --seed -5"


def test_an_option_of_several_values_is_given_as_often() -> None:
    line = reproduction(
        header(options={"clause": "FET-004\nFET-101", "no-restart": "true"}, seed=5)
    )
    assert line == "fencepost run --clause FET-004 --clause FET-101 --no-restart --seed 5"


def test_the_pace_of_a_run_that_waits_is_reported() -> None:
    waits = [
        replace(judged(PLACE, conforms()), elapsed_ms=4000.0, waited_ms=waited)
        for waited in (3000.0, 4000.0)
    ]
    assert summary_of(*waits, footer()).pace == Pace(
        per_second=0.8, each_ms=4000.0, waiting=0.875, side_by_side=3.2
    )
    assert summary_of(*waits).pace is None
    assert summary_of(judged(PLACE, conforms()), footer()).pace is None


def test_the_pace_of_a_resumed_run_is_that_of_its_last_part() -> None:
    first = [replace(judged(PLACE, conforms()), elapsed_ms=9000.0, waited_ms=9000.0)] * 5
    last = [
        replace(judged(PLACE, conforms()), elapsed_ms=4000.0, waited_ms=waited)
        for waited in (3000.0, 4000.0)
    ]
    resumed = summary_of(*first, footer(reason="interrupted"), Note(RESUMED), *last, footer())
    assert resumed.scenarios == 7
    assert resumed.part.scenarios == 2
    assert resumed.pace == summary_of(*last, footer()).pace


def test_layouts_are_counted_however_many_there_are_and_the_example_of_a_break_is_kept() -> None:
    first = layout((100,))
    many = [placed(layout((100 + number,))) for number in range(1, 3000)]
    found = summary_of(
        header(),
        placed(first),
        judged(first, violates()),
        *many,
        judged(layout((200,)), violates(signature="late")),
    )
    assert found.layouts == 3001
    examples = {cluster.signature: cluster.example for cluster in found.clusters}
    assert examples["too-much"] is not None
    assert examples["too-much"].layout == first
    assert examples["late"] is None
