"""Which readings each system follows, by the scenarios that ruled the others out."""

from io import StringIO

from rich.console import Console

from results.followed_readings import readings_followed
from results.matrix_text import show_followed
from results.summary import Summary, summarise
from spec.canonical import identity
from spec.events import ReadingRuledOut
from spec.fairness.examples import at_most, batches_of_ten, history, polls
from tests.results.synthetic import CLAUSES, header

TURNS = history((batches_of_ten(1), batches_of_ten(1)), *polls(4), start=at_most(5))
AGAIN = history((batches_of_ten(2), batches_of_ten(1)), *polls(4), start=at_most(5))


def run_of(client: str, *ruled_out: ReadingRuledOut) -> Summary:
    return summarise([header(facts={"client.tested": client}), *ruled_out], CLAUSES, {})


def test_what_no_scenario_ruled_out_is_left_and_the_first_one_that_did_is_named() -> None:
    turns = ReadingRuledOut("FAI-040", "round_robin", TURNS, "why")
    gates = [ReadingRuledOut("FAI-044", one, AGAIN, "why") for one in ("broker", "partition")]
    again = ReadingRuledOut("FAI-040", "round_robin", AGAIN, "why")
    last = ReadingRuledOut("FAI-044", "ahead", TURNS, "why")
    found = readings_followed([run_of("1", turns, *gates), run_of("1", again), run_of("2", last)])
    one, other = (one.system for one in (found[0], found[2]))
    assert [(each.clause, each.system, each.left) for each in found] == [
        ("FAI-040", one, ("greedy",)),
        ("FAI-044", one, ("ahead",)),
        ("FAI-044", other, ("broker", "partition")),
    ]
    assert found[0].ruled_out[0].scenario == identity(TURNS)
    assert found[0].ruled_out[0].file == "readings/FAI-040-not-round-robin.json"


def test_a_system_that_fits_no_reading_is_shown_so() -> None:
    gates = [ReadingRuledOut("FAI-044", one, TURNS, "") for one in ("broker", "partition", "ahead")]
    out = StringIO()
    show_followed(readings_followed([run_of("1", *gates)]), Console(file=out, width=40))
    assert ": none of them (not broker by readings/FAI-044-not-broker.json" in out.getvalue()
    assert len(out.getvalue().splitlines()) == 1
    out = StringIO()
    show_followed((), Console(file=out, width=40))
    assert out.getvalue() == ""


def test_a_clause_of_an_older_run_that_is_gone_is_left_out() -> None:
    gone = ReadingRuledOut("FAI-999", "greedy", TURNS, "why")
    assert readings_followed([run_of("1", gone)]) == ()
