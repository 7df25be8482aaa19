"""What a broker does not claim is unsupported, and what it claims and lacks is a break of its own
kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from conformance.claims.features import (
    ANYTHING,
    APIS,
    NOT_CLAIMED,
    Claims,
    FeaturesError,
    read_features,
)
from conformance.claims.scopes import clauses_in
from conformance.cli import main
from conformance.engine.outcome import RunOutcome
from conformance.exit_codes import FOUND, OK
from conformance.systems.model import Model
from results.clauses import catalogue
from results.export import summary_file
from results.headline import headline
from results.junit import junit
from results.log import read_log
from results.step_summary import step_summary
from results.summary import summarise
from spec.events import Judged, LeftOut, NotLaid
from spec.requirements import requirement_set
from spec.verdict import Outcome, Side, Verdict
from tests.conformance.engine.test_not_laid import RUN, altered, events_of

if TYPE_CHECKING:
    from pathlib import Path

COUNTED = requirement_set("offsets", "4.3").clauses


def any_version(_: str) -> range:
    """Every version of an API is advertised."""
    return range(100)


def invoke(*arguments: str) -> tuple[int, str]:
    found = CliRunner().invoke(main, list(arguments))
    return found.exit_code, found.output


def read(folder: Path, text: str) -> Claims:
    file = folder / "features.toml"
    file.write_text(text, encoding="utf-8")
    return read_features(file)


def test_everything_is_claimed_but_what_is_lacking(tmp_path: Path) -> None:
    claims = read(tmp_path, 'lacks = ["offsets/time", "OFF-001", "OffsetCommit"]')
    lost = clauses_in(["offsets/time", "OFF-001", "offsets/commit", "fairness/commit"])
    assert not lost & claims.clauses
    assert claims.clauses >= clauses_in(["fetch"])
    assert claims.apis == {*APIS} - {"OffsetCommit"}


def test_claims_by_subject_are_no_claims_of_others(tmp_path: Path) -> None:
    claims = read(tmp_path, 'claims = ["fetch", "offsets/end"]')
    assert claims.clauses == clauses_in(["fetch", "offsets/end"])
    assert claims.has(*APIS)


def test_claims_by_api_claim_what_needs_no_other(tmp_path: Path) -> None:
    claims = read(
        tmp_path,
        'claims = ["Metadata", "CreateTopics", "Produce", "ListOffsets", "Fetch"]',
    )
    assert claims.clauses >= clauses_in(["fetch"]) - {"FET-017"}
    assert not claims.clauses & clauses_in(["share", "groups", "offsets/commit", "FET-017"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('lacks = ["offsets/comit"]', "offsets/commit"),
        ('claims = ["fetsh"]', "fetch"),
        ('lacks = ["OffsetComit"]', "OffsetCommit"),
        ("lack = []", "lacks"),
        ("lacks = 3", "a list of names"),
        ("claims = []", "leave it out for all"),
        ("claims", "expected TOML"),
        ('versions = "17"', "a table [versions]"),
        ('[versions]\nFetsh = "17"', "Fetch"),
        ("[versions]\nFetch = 17", "the last version of Fetch"),
        ('[versions]\nFetch = "12-4"', "the last version of Fetch"),
    ],
)
def test_what_is_not_known_is_wrong_use_with_what_is_close(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(FeaturesError, match=r"features\.toml") as refused:
        read(tmp_path, text)
    assert said in str(refused.value)


def test_a_verdict_that_is_not_claimed_is_unsupported(tmp_path: Path) -> None:
    claims = read(tmp_path, 'lacks = ["FET-071"]')
    broken = Verdict("FET-071", Outcome.VIOLATES, Side.BELOW, "expected", "negative limit", True)
    held = Verdict("FET-004", Outcome.CONFORMS)
    assert ANYTHING.weigh((broken, held)) == (broken, held)
    weighed, same = claims.weigh((broken, held))
    assert (weighed.outcome, weighed.signature) == (Outcome.UNSUPPORTED, NOT_CLAIMED)
    assert not weighed.primary
    assert same is held


def test_only_what_is_claimed_asked_for_and_of_the_release_is_lacking(tmp_path: Path) -> None:
    claims = read(tmp_path, 'lacks = ["OffsetForLeaderEpoch"]')
    assert not list(ANYTHING.lacks("4.3", COUNTED, lambda _: False, any_version))
    apis = {one.api: one for one in claims.lacks("4.3", COUNTED, lambda _: False, any_version)}
    assert apis["OffsetCommit"].clauses == clauses_in(["offsets/commit"])
    assert not {"OffsetForLeaderEpoch", "ShareFetch", "CreatePartitions"} & apis.keys()
    shared = requirement_set("share", "4.3").clauses
    assert "AlterShareGroupOffsets" in {
        one.api for one in claims.lacks("4.3", shared, lambda _: False, any_version)
    }
    older = requirement_set("share", "4.0").clauses
    assert "AlterShareGroupOffsets" not in {
        one.api for one in claims.lacks("4.0", older, lambda _: False, any_version)
    }


@pytest.mark.parametrize(
    ("claimed", "lacking"),
    [
        ("4-17", ""),
        ("5-5", ""),
        ("17", "v0 to v3"),
        ("4-18", "v18"),
        ("20-21", "v20 to v21"),
        ("3-19", "v3, v18 to v19"),
    ],
)
def test_a_claimed_version_that_is_not_advertised_is_lacking(
    tmp_path: Path, claimed: str, lacking: str
) -> None:
    claims = read(tmp_path, f'[versions]\nFetch = "{claimed}"')
    counted = requirement_set("fetch", "4.3").clauses
    found = [
        (one.api, one.reason, one.clauses)
        for one in claims.lacks("4.3", counted, lambda _: True, lambda _: range(4, 18))
    ]
    said = f"features.toml claims versions of Fetch that are not advertised: {lacking}; mend"
    assert [api for api, _, _ in found] == (["Fetch"] if lacking else [])
    assert all(reason.startswith(said) and not clauses for _, reason, clauses in found)


@pytest.mark.system
def test_a_run_says_what_is_claimed_and_lacking(tmp_path: Path) -> None:
    """The served model has no quotas, and breaks FET-071 and FET-172 as Apache Kafka does."""
    options = ("--scenarios", "30", "--seed", "1", "--no-report", "--no-corpus", "--no-restart")
    features = tmp_path / "features.toml"
    out = tmp_path / "runs"
    with Model() as model:
        asked = ("run", "--bootstrap-server", ":".join(map(str, model.address)), *options)
        named = (*asked, "--features", str(features), "--out", str(out))
        features.write_text('lacks = ["FET-071", "FET-172"]')
        code, text = invoke(*named)
        assert code == FOUND, text
        assert "LACKS  claimed and lacking: AlterClientQuotas, DescribeClientQuotas" in text
        features.write_text(
            'lacks = ["FET-071", "FET-172", "AlterClientQuotas", "DescribeClientQuotas"]'
        )
        code, text = invoke(*named)
        assert code == OK, text
        assert "CONFORMS" in text
        features.write_text('claims = ["fetch"]\n[versions]\nFetch = "4-99"\n')
        code, text = invoke(*named)
        assert code == FOUND, text
        assert "claims versions of Fetch that are not advertised: v19 to v99" in " ".join(
            text.split()
        )
        features.write_text('claims = ["offsets"]')
        code, text = invoke(*named)
        assert code == 2
        assert "found none" in text
    first, second, _ = sorted(out.glob("*/events.jsonl"), key=lambda one: one.stat().st_mtime)
    summary = summarise(read_log(first).events, catalogue("fetch"))
    assert [one.api for one in summary_file(summary, catalogue("fetch")).lacking] == [
        "AlterClientQuotas",
        "DescribeClientQuotas",
    ]
    assert b"AlterClientQuotas is there, as claimed" in junit(summary)
    assert "### lacks AlterClientQuotas" in step_summary(summary)
    outcomes = {
        one.outcome
        for event in read_log(second).events
        if isinstance(event, Judged)
        for one in event.verdicts
        if one.clause in {"FET-071", "FET-172"}
    }
    assert outcomes == {Outcome.UNSUPPORTED}


async def _refused(_: Any, __: Any, answer: Any) -> Any:
    return {**answer, "error_code": 35}


@pytest.mark.parametrize("lacks", ["", 'lacks = ["InitProducerId"]'])
def test_transactions_that_fail_count_where_they_are_claimed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacks: str
) -> None:
    altered(monkeypatch, "InitProducerId", _refused)
    events = events_of(claims=read(tmp_path, lacks))
    unlaid = [event for event in events if isinstance(event, NotLaid)]
    lacking = [event for event in events if isinstance(event, LeftOut) and event.claimed]
    assert unlaid
    assert {one.unclaimed for one in unlaid} == {bool(lacks)}
    outcome = RunOutcome({}, strict=True)
    for event in events:
        outcome.see(event)
    if lacks:
        assert not lacking
        assert not outcome.not_laid
    else:
        assert {one.claimed for one in lacking} == {"InitProducerId"}
        assert outcome.failed
        word, sentence = headline(summarise([RUN, *lacking], catalogue("fetch")))
        assert (word, sentence) == ("LACKS", "claimed and lacking: InitProducerId")
