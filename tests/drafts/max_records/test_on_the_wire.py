"""The draft on the wire: served in a profile, asked as any client would, found by a clause when it
is wrong.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.cli.common import make_codec
from conformance.cli.planted import must_show
from conformance.cluster import reach
from conformance.subjects.fetch.broker_player import FetchBrokerPlayer
from conformance.systems.model import Model
from conformance.wire.schema import schema
from drafts.max_records.axes import parse
from drafts.max_records.change import draft_change
from drafts.max_records.clauses import ask_all
from drafts.max_records.definitions import TAG, default_of
from drafts.max_records.draft import DRAFT
from drafts.max_records.profile import Profile
from results.log import LOG_NAME, read_log
from results.reproduce import reproduction
from spec.draft import Drafted
from spec.events import Event, Judged, Note, ReadingRuledOut, RunFinished, RunStarted
from spec.fetch.outcomes import FetchAnswer
from spec.layout import Batch, Layout, Partition
from spec.releases import semantics_for
from spec.verdict import Outcome

FOURS = Partition((tuple([Batch(100, 4)] * 3),))
M01 = ask_all(Layout((FOURS, Partition((tuple([Batch(100, 4)] * 2),)))), 6, 1, 0)


@pytest.fixture
def identified(tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Runs `fencepost identify model` into a folder of its own; the exit code and what is shown."""

    def identify(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(
            main, ["identify", "model", "--no-report", "--out", str(tmp_path), *arguments]
        )
        return result.exit_code, result.output

    return identify


def events(tmp_path: Path) -> tuple[Event, ...]:
    """The events of the one run in the folder."""
    (folder,) = tmp_path.iterdir()
    reading = read_log(folder / LOG_NAME)
    assert not reading.truncated
    return reading.events


@pytest.mark.system
@pytest.mark.parametrize("release", ["4.0.2", "4.3.1"])
@pytest.mark.parametrize("encoding", ["tagged", "plain"])
def test_case_m01_on_the_wire(release: str, encoding: str) -> None:
    """KAFKA-19554: batches of four records: a limit of 6 gives two of the first partition, 1 gives
    one, 0 all.
    """
    profile = parse(f"encoding={encoding}")
    semantics = draft_change(profile)(semantics_for(release.rpartition(".")[0]))
    with Model(release, draft=f"max-records:{profile}") as model:
        player = FetchBrokerPlayer(
            reach(*model.address, make_codec(Drafted(DRAFT, profile))), semantics, "m01"
        )
        played = player.play_one(M01)
        player.close()
    assert not played.judgement.breaks
    answers = [exchange.outcome for exchange in played.observation.exchanges]
    assert all(isinstance(answer, FetchAnswer) for answer in answers)
    records = [
        [sum(b.records for b in got.batches) for got in answer.partitions]
        for answer in answers
        if isinstance(answer, FetchAnswer)
    ]
    assert records == [[12, 8], [12, 8], [8, 0], [4, 0], [12, 8]]


Identified = Callable[..., tuple[int, str]]


@pytest.mark.system
def test_a_run_names_the_profile_that_is_served_and_leaves_a_run_folder(
    identified: Identified, tmp_path: Path
) -> None:
    profile = "stop=before,encoding=plain,tail=free,zero=invalid,session=cached"
    code, output = identified("--draft", "max-records", "--profile", profile)
    assert code == 0, output
    named = next(line for line in output.splitlines() if line.startswith("PROFILE"))
    for reading in (
        "stop=before",
        "tail=free",
        "zero=invalid",
        "session=cached",
        "encoding=plain",
        "gaps=records|offsets",
    ):
        assert reading in named
    found = events(tmp_path)
    started, finished = found[0], found[-1]
    assert isinstance(started, RunStarted)
    assert isinstance(finished, RunFinished)
    assert (started.subject, started.requirement_set) == ("max_records", "max_records-4.3@2")
    assert reproduction(started) == (
        f"fencepost identify model --kafka 4.3.1 --draft max-records --profile {profile} --seed 1"
    )
    assert (finished.reason, finished.exit_code) == ("done", 0)
    assert finished.scenarios == sum(isinstance(event, Judged) for event in found)
    ruled_out = {event.reading for event in found if isinstance(event, ReadingRuledOut)}
    assert {"stop=after", "encoding=tagged", "zero=no_data", "tail=counted"} <= ruled_out
    assert (
        not {
            "stop=before",
            "encoding=plain",
            "zero=invalid",
            "tail=free",
            "gaps=offsets",
            "scope=both",
        }
        & ruled_out
    )
    (folder,) = tmp_path.iterdir()
    files = {"events.jsonl", "junit.xml", "readings", "summary.json"}
    assert {path.name for path in folder.iterdir()} == files
    summary = json.loads((folder / "summary.json").read_text())
    assert (summary["verdict"], summary["run"]["exit_code"]) == ("CONFORMS", 0)
    assert {one["reading"] for one in summary["readings_ruled_out"]} == ruled_out


@pytest.mark.system
def test_a_fault_is_found_by_its_clause_and_its_scenario_can_be_replayed(
    identified: Identified, tmp_path: Path
) -> None:
    code, output = identified("--draft", "max-records", "--fault", "max-records-skips-a-batch")
    assert code == 1
    assert "violates MXR-101" in output
    (folder,) = tmp_path.iterdir()
    kept = folder / "scenarios" / "MXR-101-no-prefix.json"
    assert "MXR-101" in (folder / "junit.xml").read_text()
    faulty = ("--draft", "max-records", "--fault", "max-records-skips-a-batch")
    for options, code, word in (
        (faulty, 1, "FAILED"),
        (faulty[:2], 0, "FIXED"),
        ((), 3, "no Kafka release has MaxRecords"),
    ):
        result = CliRunner().invoke(main, ["replay", str(kept), "model", *options])
        assert result.exit_code == code, result.output
        assert word in result.output


@pytest.mark.system
def test_where_no_profile_fits_the_scenario_that_ruled_out_the_last_is_named(
    identified: Identified, tmp_path: Path
) -> None:
    code, output = identified("--draft", "max-records", "--fault", "max-records-one-more-than-two")
    assert code == 1
    assert "NO PROFILE" in output
    found = events(tmp_path)
    played = {event.scenario for event in found if isinstance(event, Judged)}
    (note,) = [
        event.text for event in found if isinstance(event, Note) and "any longer" in event.text
    ]
    assert any(scenario in note for scenario in played)


@pytest.mark.system
def test_a_broker_without_the_field_is_unsupported_and_never_passes(
    identified: Identified, tmp_path: Path
) -> None:
    code, output = identified("--subject", "max-records")
    assert code == 3
    assert "UNSUPPORTED" in output
    assert "conforms" not in output
    (judged,) = [event for event in events(tmp_path) if isinstance(event, Judged)]
    assert [verdict.outcome for verdict in judged.verdicts] == [Outcome.UNSUPPORTED]
    (folder,) = tmp_path.iterdir()
    summary = json.loads((folder / "summary.json").read_text())
    assert (summary["verdict"], summary["run"]["exit_code"]) == ("NOTHING EXERCISED", 3)


@pytest.mark.system
def test_a_run_that_distinguishes_readings_is_not_resumed_as_another(
    identified: Identified, tmp_path: Path
) -> None:
    identified("--subject", "max-records")
    (folder,) = tmp_path.iterdir()
    result = CliRunner().invoke(main, ["run", "model", "--no-corpus", "--resume", str(folder)])
    assert result.exit_code == 2, result.output
    assert "expected a run of `fencepost run`, found subject max_records" in result.output
    assert "fencepost identify model" in result.output


@pytest.mark.system
@pytest.mark.parametrize(
    ("fault", "clause"),
    [
        ("max-records-doubled", "MXR-106"),
        ("max-records-of-one-refused", "MXR-100"),
        ("max-records-absent-is-one", "MXR-103"),
    ],
)
def test_a_broker_that_is_wrong_about_the_simplest_limit_is_judged_and_not_called_unsupported(
    identified: Identified, fault: str, clause: str
) -> None:
    code, output = identified("--draft", "max-records", "--fault", fault)
    assert code == 1, output
    assert f"violates {clause}" in output


@pytest.mark.system
def test_the_report_of_such_a_run_names_what_was_ruled_out(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        main, ["identify", "model", "--draft", "max-records", "--out", str(tmp_path)]
    )
    assert result.exit_code == 0, result.output
    (folder,) = tmp_path.iterdir()
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "<h1>CONFORMS</h1>" in text
    assert "MXR-A2, reading <b>stop=before</b>" in text
    assert "the profile is scope=request|both" in text


@pytest.mark.parametrize(
    ("profile", "default"),
    [("default", 0), ("zero=no_data", -1), ("zero=invalid,negative=failed", 2**31 - 1)],
)
def test_the_default_is_a_value_that_means_no_limit(profile: str, default: int) -> None:
    assert default_of(parse(profile)) == default


@pytest.mark.parametrize(
    ("encoding", "version", "tag"),
    [("tagged", 19, TAG), ("plain", 19, None), ("unversioned", 12, TAG)],
)
def test_the_field_stands_where_the_profile_says(
    encoding: str, version: int, tag: int | None
) -> None:
    definitions = make_codec(Drafted(DRAFT, parse(f"encoding={encoding}"))).definitions
    root = schema(definitions, "FetchRequest", version).root
    (field,) = [field for field in (*root.fields, *root.tagged) if field.key == "max_records"]
    assert (field.kind, field.tag) == ("int32", tag)
    assert (19 in definitions.versions("FetchRequest")) == (encoding != "unversioned")
    assert "max_records" not in [
        field.key for field in schema(definitions, "FetchRequest", 11).root.fields
    ]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--profile", "stop=before"), "name it by --draft too, fetch-modes or max-records"),
        (("--draft", "max-records", "--profile", "stop=never"), "after, before"),
        (("--draft", "max-records", "--profile", "halt=after"), "scope, stop"),
    ],
)
def test_wrong_use_says_what_is_expected(
    identified: Identified, arguments: tuple[str, ...], named: str
) -> None:
    code, output = identified(*arguments)
    assert code == 2
    assert named in output


def test_a_draft_needs_the_served_model() -> None:
    result = CliRunner().invoke(main, ["identify", "--draft", "max-records", "--no-report"])
    assert result.exit_code == 2
    assert "served model" in result.output


def test_a_default_profile_is_shown_as_such() -> None:
    assert str(Profile()) == "default"


def test_a_fault_of_the_draft_can_not_show_in_a_run_of_fetches() -> None:
    said = (
        "one of max_records; plant it by `identify model --draft max-records --fault "
        "max-records-doubled`"
    )
    with pytest.raises(
        click.ClickException,
        match=f"expected a fault of the subject fetch, found max-records-doubled, {said}",
    ) as caught:
        must_show("max-records-doubled", "fetch")
    assert caught.value.exit_code == 2


@pytest.mark.system
def test_a_log_of_before_the_command_was_written_down_names_it(
    identified: Identified, tmp_path: Path
) -> None:
    identified("--subject", "max-records")
    header = events(tmp_path)[0]
    assert isinstance(header, RunStarted)
    options = {name: value for name, value in header.options.items() if name != "command"}
    assert reproduction(replace(header, options=options)) == reproduction(header)
