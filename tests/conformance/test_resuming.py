"""A run is resumed as it began: what is not given is taken from its own log, and what is given must
not make it another run.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import click
import pytest

from conformance.cli.planted import must_show
from conformance.cli.resuming import must_be_resumable, must_be_the_same, resumed_options
from conformance.cli.run import run
from conformance.cli.run_header import options_to_repeat
from conformance.engine.plan import Plan
from conformance.engine.resume_point import ResumePoint
from conformance.subjects.share.dry_run import ShareDryRun
from conformance.subjects.share.loop import ShareLoop
from spec.events import ReadingRuledOut, RunStarted
from spec.releases import semantics_for
from spec.requirements import requirement_set

if TYPE_CHECKING:
    from pathlib import Path

PLAN = Plan(7, 300, clauses=frozenset({"SHR-001", "SHR-002"}))


def started(*words: str) -> RunStarted:
    """The header of a run that was begun so."""
    given = run.make_context("run", list(words)).params
    options = options_to_repeat(given, PLAN)
    return RunStarted(
        "id",
        "2026-01-01T00:00:00Z",
        "0.1.0",
        7,
        "share",
        given["system"],
        "4.1",
        requirement_set("share", "4.1").name,
        {},
        options,
    )


def resumed(header: RunStarted, *words: str) -> dict[str, Any]:
    """The options of a run that continues it."""
    return resumed_options(run.make_context("run", ["--resume", "RUN", *words]), header)


WITH_FAULT = (
    "model",
    "--subject",
    "share",
    "--kafka",
    "4.1.2",
    "--fault",
    "record-limit-rounds-up",
    "--strict",
    "--no-restart",
)


def test_resume_alone_continues_with_all_that_the_run_was_given() -> None:
    found = resumed(started(*WITH_FAULT))
    ruled_out = (
        "system",
        "subject",
        "kafka",
        "fault",
        "strict",
        "restart",
        "seed",
        "scenarios",
        "clauses",
    )
    expected = (
        "model",
        "share",
        "4.1.2",
        "record-limit-rounds-up",
        True,
        False,
        7,
        300,
        ("SHR-001", "SHR-002"),
    )
    assert tuple(found[name] for name in ruled_out) == expected
    assert str(found["resume"]) == "RUN"
    must_be_the_same(started(*WITH_FAULT), found, PLAN)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--subject", "fetch"), "expected subject share, as the run began, found fetch"),
        (("embedded",), "expected system model, as the run began, found embedded"),
        (("--kafka", "4.3.1"), "expected kafka 4.1.2, as the run began, found 4.3.1"),
        (
            ("--fault", "max-records-off-by-one"),
            "expected fault record-limit-rounds-up, as the run began, found max-records-off-by-one",
        ),
        (("--seed", "8"), "expected seed 7, as the run began, found 8"),
    ],
)
def test_an_option_that_makes_it_another_run_is_wrong_use(
    words: tuple[str, ...], said: str
) -> None:
    header = started(*WITH_FAULT)
    with pytest.raises(click.ClickException, match=said) as caught:
        must_be_the_same(header, resumed(header, *words), PLAN)
    assert caught.value.exit_code == 2


def test_what_may_have_changed_is_taken_as_given(tmp_path: Path) -> None:
    header = started(
        "--subject", "share", "--bootstrap-server", "before:9092", "--corpus", str(tmp_path)
    )
    found = resumed(
        header, "--bootstrap-server", "now:9092", "--no-corpus", "--time", "5m", "--strict"
    )
    assert (found["bootstrap_server"], found["corpus"], found["no_corpus"]) == (
        "now:9092",
        None,
        True,
    )
    assert (found["duration"], found["strict"]) == ("5m", True)
    assert resumed(header)["bootstrap_server"] == "before:9092"


def test_a_run_of_another_command_is_not_resumed() -> None:
    header = started("model")
    identified = replace(header, options={**header.options, "command": "identify"})
    with pytest.raises(
        click.ClickException,
        match=r"expected a run of `fencepost run`.*; begin again: `fencepost identify model",
    ):
        resumed(identified)


def test_a_run_that_another_hypothesis_drew_is_not_resumed() -> None:
    header = replace(started("model"), fencepost=version("fencepost"))
    must_be_resumable(replace(header, hypothesis=version("hypothesis")))
    must_be_resumable(header)
    with pytest.raises(
        click.ClickException, match=r"found one by 6\.1\.0, which draws other cases"
    ):
        must_be_resumable(replace(header, hypothesis="6.1.0"))


def test_a_run_that_was_judged_by_other_clauses_is_not_resumed() -> None:
    header = replace(started(), fencepost=version("fencepost"))
    must_be_resumable(header)
    with pytest.raises(click.ClickException, match=r"found one by share-4\.1@1, which has other"):
        must_be_resumable(replace(header, requirement_set="share-4.1@1"))


@pytest.mark.slow
def test_a_reading_that_was_ruled_out_before_is_not_reported_again() -> None:
    def ruled_out(plan: Plan) -> set[tuple[str, str]]:
        loop = ShareLoop(ShareDryRun(semantics_for("4.3")), plan, frozenset())
        return {
            (event.clause, event.reading)
            for event in loop.events()
            if isinstance(event, ReadingRuledOut)
        }

    before = ruled_out(Plan(7, 1, restart=False))
    assert before
    assert not ruled_out(Plan(7, 1, restart=False, before=ResumePoint(ruled_out=frozenset(before))))


@pytest.mark.parametrize(
    ("fault", "subject", "said"),
    [
        (
            "record-limit-rounds-up",
            "fetch",
            "one of share; plant it by `run model --subject share --fault record-limit-rounds-up`",
        ),
        (
            "no-progress",
            "share",
            "one of fetch; plant it by `run model --subject fetch --fault no-progress`",
        ),
        ("no-progress", "groups", "one of fetch; the served model has no faults of groups"),
    ],
)
def test_a_fault_that_can_not_show_is_wrong_use(fault: str, subject: str, said: str) -> None:
    with pytest.raises(
        click.ClickException,
        match=f"expected a fault of the subject {subject}, found {fault}, {said}",
    ) as caught:
        must_show(fault, subject)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("fault", "subject"),
    [(None, "groups"), ("record-limit-rounds-up", "share"), ("no-progress", "fetch")],
)
def test_a_fault_of_what_is_tested_is_planted(fault: str | None, subject: str) -> None:
    must_show(fault, subject)
