"""Findings: which apply, what they match, when they expire or turn stale, and the message about a
bad file.
"""

import inspect
import sys
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from conformance.findings import (
    SHIPPED,
    Finding,
    FindingsError,
    Sightings,
    expired_findings,
    load_findings,
    read_findings,
    stale,
    unexpired_reasons,
)
from conformance.findings.finding import STALE_AFTER, STALE_UNSIDED, Situation
from spec.canonical import known_classes
from spec.catalogue import catalogue
from spec.fetch.steps import Fetch, FetchPartition
from spec.judge import judge
from spec.layout import Batch, Layout, Partition
from spec.model import answer_all
from spec.releases import RELEASES, semantics_for
from spec.scenario import Scenario
from spec.steps import Step
from spec.verdict import Outcome, Side, Verdict

STEPS = {kind.__name__ for kind in known_classes(Step)}
"""Some signatures are the name of a kind of step."""
ENTRY = """
[[finding]]
clause = "FET-004"
signature = "later partition"
system = "redpanda"
releases = ["4.1"]
reason = "ours"
evidence = "seen on 25.3"
"""
LISTED = Finding("FET-071", "negative limit", ("4.3",), "reason", "evidence")


def written(folder: Any, text: str) -> Any:
    file = folder / "mine.toml"
    file.write_text(text)
    return file


@pytest.mark.parametrize("release", RELEASES)
def test_the_shipped_unexpected_errors_are_what_the_reference_answers(release: str) -> None:
    one = Layout((Partition(((Batch(100),),)),))
    asks = (
        Fetch((FetchPartition(0, 0, -1),)),
        Fetch((FetchPartition(0, 0),), isolation=2),
        Fetch((FetchPartition(0, 0),), session=2147483640, epoch=1),
    )
    semantics = semantics_for(release)
    broken = set()
    for ask in asks:
        scenario = Scenario(one, (ask,))
        verdicts = judge(scenario, answer_all(scenario, semantics), semantics).verdicts
        broken |= {(v.clause, v.signature) for v in verdicts if v.outcome is Outcome.VIOLATES}
    shipped = unexpired_reasons(load_findings([SHIPPED], release), date(2026, 1, 1))
    assert broken == {key for key in shipped if key[0] == "FET-071"}


def test_every_shipped_signature_is_one_that_its_clause_gives() -> None:
    for finding in read_findings(SHIPPED):
        check = catalogue()[finding.clause].check
        assert check is not None
        source = inspect.getsource(sys.modules[check.__module__])
        assert f'"{finding.signature}"' in source or finding.signature in STEPS, finding


def test_findings_of_another_system_do_not_apply(tmp_path: Any) -> None:
    mine = written(tmp_path, ENTRY)
    assert [finding.clause for finding in load_findings([mine], "4.1", "redpanda")] == ["FET-004"]
    assert load_findings([mine], "4.2", "redpanda") == ()
    shipped = {finding.clause for finding in load_findings([SHIPPED], "4.1")}
    assert {"FET-071", "FET-172", "GRP-008", "SHR-013"} <= shipped
    assert {finding.clause for finding in load_findings([SHIPPED, mine], "4.1")} == shipped


def test_a_line_that_is_judged_as_a_later_release_has_findings_of_its_own(tmp_path: Any) -> None:
    mine = written(tmp_path, ENTRY.replace('["4.1"]', '["3.9"]'))
    assert load_findings([mine], "4.0", "redpanda") == ()
    assert load_findings([mine], "4.0", "redpanda", "4.0.2") == ()
    assert load_findings([mine], "4.0", "redpanda", "3.8.1") == ()
    assert [one.clause for one in load_findings([mine], "4.0", "redpanda", "3.9.1")] == ["FET-004"]
    shipped = {finding.key for finding in load_findings([SHIPPED], "4.0", version="3.9.1")}
    assert ("OFF-108", "named twice") in shipped - {
        one.key for one in load_findings([SHIPPED], "4.0")
    }


def test_a_finding_of_one_version_holds_for_no_other_of_its_line(tmp_path: Any) -> None:
    mine = written(tmp_path, ENTRY.replace('["4.1"]', '["4.2.0"]'))
    assert [one.clause for one in load_findings([mine], "4.2", "redpanda", "4.2.0")] == ["FET-004"]
    assert load_findings([mine], "4.2", "redpanda", "4.2.2") == ()
    assert load_findings([mine], "4.2", "redpanda") == ()


def test_a_finding_is_known_until_its_day_comes() -> None:
    listed = replace(LISTED, expires=date(2027, 1, 31))
    assert unexpired_reasons([listed], date(2027, 1, 30)) == {listed.key: "reason"}
    assert expired_findings([listed], date(2027, 1, 30)) == ()
    assert unexpired_reasons([listed], date(2027, 1, 31)) == {}
    assert expired_findings([listed], date(2027, 1, 31)) == (listed,)
    assert unexpired_reasons([LISTED], date(2999, 1, 1)) == {LISTED.key: "reason"}


def test_a_finding_is_stale_only_once_its_own_situation_arose_often_enough() -> None:
    listed = replace(LISTED, situations=(Situation("FET-010", Side.BELOW),))
    exercised = {"FET-071": 5000, "FET-010": 5000}
    seen = {
        ("FET-010", "at"): 900,
        ("FET-010", "above"): 4000,
        ("FET-010", "below"): STALE_AFTER - 1,
    }
    assert stale([listed], set(), exercised, seen) == ()
    assert stale([listed], set(), exercised, {**seen, ("FET-010", "below"): STALE_AFTER}) == (
        listed,
    )


def test_a_finding_that_happened_is_not_stale() -> None:
    other = replace(LISTED, signature="isolation level")
    assert stale([LISTED, other], {LISTED.key}, {"FET-071": 5000}, {}) == (other,)


def test_any_exercise_is_the_situation_where_its_clause_has_no_fence() -> None:
    listed = replace(LISTED, situations=(Situation("FET-073", Side.NONE),))
    assert stale([listed], set(), {"FET-073": STALE_AFTER - 1}, {}) == ()
    assert stale([listed], set(), {"FET-073": STALE_AFTER}, {}) == (listed,)


def test_a_finding_that_happens_rarely_is_never_stale() -> None:
    rare = replace(LISTED, rare=True)
    assert stale([rare], set(), {"FET-071": 5000}, {("FET-071", "below"): 5000}) == ()
    assert stale([rare], set(), {"FET-071": 5000}) == ()


def test_rare_is_true_or_false(tmp_path: Any) -> None:
    with pytest.raises(FindingsError, match="expected rare = true or false, found 'yes'"):
        read_findings(written(tmp_path, ENTRY + 'rare = "yes"'))


def test_without_sides_it_takes_more_to_call_a_finding_stale() -> None:
    assert stale([LISTED], set(), {"FET-071": STALE_UNSIDED - 1}) == ()
    assert stale([LISTED], set(), {"FET-071": STALE_UNSIDED}) == (LISTED,)


def test_a_clause_that_was_not_exercised_makes_no_finding_stale() -> None:
    assert stale([LISTED], set(), {}, {}) == ()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("[[finding]]", "[[finding"), "expected TOML"),
        (("[[finding]]", "[finding]"), "entries [[finding]]"),
        (("[[finding]]", "title = 'x'\n[[finding]]"), "also title"),
        (('clause = "FET-004"', 'clause = "FET-999"'), "no clause 'FET-999'"),
        (('clause = "FET-004"', "clause = 4"), "clause's id like FET-071"),
        (('reason = "ours"', ""), "expected the key 'reason'"),
        (('reason = "ours"', 'reason = ""'), "expected the key 'reason'"),
        (('reason = "ours"', "reason = 1"), "expected text"),
        (('reason = "ours"', 'reason = "ours"\nreasons = "x"'), "found 'reasons'"),
        (('["4.1"]', '["2.8"]'), "expected releases out of"),
        (('["4.1"]', '"4.1"'), "expected releases out of"),
        (('["4.1"]', '["4.1.0.1"]'), "expected releases out of"),
        (('["4.1"]', '["2.8.0"]'), "expected releases out of"),
        (('reason = "ours"', 'reason = "ours"\nexpires = "2027-01-31"'), "a date without quotes"),
        (
            ('reason = "ours"', 'reason = "ours"\nhappens = { FET-010 = ["under"] }'),
            "expected sides out of",
        ),
        (
            ('reason = "ours"', 'reason = "ours"\nhappens = { FET-998 = ["below"] }'),
            "no clause 'FET-998'",
        ),
        (('reason = "ours"', 'reason = "ours"\nhappens = "below"'), "expected happens ="),
    ],
)
def test_a_bad_entry_is_reported_with_file_and_mend(
    tmp_path: Any, change: tuple[str, str], expected: str
) -> None:
    with pytest.raises(FindingsError) as error:
        load_findings([written(tmp_path, ENTRY.replace(*change))], "4.1")
    assert "mine.toml" in str(error.value)
    assert expected in str(error.value)


def test_the_bad_entry_is_named_by_number_and_clause(tmp_path: Any) -> None:
    with pytest.raises(FindingsError, match=r"mine\.toml, finding 2 \(FET-998\)"):
        load_findings([written(tmp_path, ENTRY + ENTRY.replace("FET-004", "FET-998"))], "4.1")


def test_a_break_that_is_listed_twice_is_refused(tmp_path: Any) -> None:
    with pytest.raises(
        FindingsError, match=r"listed already in .*mine\.toml; take one of the two out"
    ):
        load_findings([written(tmp_path, ENTRY + ENTRY)], "4.1", "redpanda")


@pytest.mark.parametrize("content", [b"\xff\xfe", None])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Any, content: bytes | None) -> None:
    file = tmp_path / "mine.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(FindingsError, match=r"mine\.toml"):
        load_findings([file], "4.1")


def test_every_situation_of_a_shipped_finding_can_be_exercised() -> None:
    for release in RELEASES:
        for finding in load_findings([SHIPPED], release):
            assert finding.situations or finding.rare
            assert all(
                not catalogue()[situation.clause].excluded for situation in finding.situations
            )


def test_a_run_names_the_findings_it_did_not_see_and_those_past_their_day() -> None:
    seen, today = Sightings(), date(2026, 1, 1)
    seen.see([Verdict("FET-071", Outcome.CONFORMS, Side.BELOW)] * STALE_AFTER)
    old = replace(LISTED, expires=today, file="mine.toml")
    assert seen.problems((old,), today) == (
        (
            "finding FET-071 'negative limit' (mine.toml) expired on 2026-01-01; mend it or set "
            "another day"
        ),
        (
            "finding FET-071 'negative limit' (mine.toml) is stale: it did not happen any more; "
            "take it out"
        ),
    )
    seen.see([Verdict("FET-071", Outcome.VIOLATES, Side.BELOW, "why", "negative limit")])
    assert seen.problems((LISTED,), today) == ()
