"""An interrupt ends a run as one, whatever the broker is at: what was judged is kept, and nothing
is started afterwards.
"""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.engine.dry_run import DryRun
from conformance.engine.restarts import Restarts
from conformance.placement.problem import PlacementFailed
from conformance.systems.base import StartFailed
from conformance.systems.model import Model
from conformance.wire.outcomes import NotConnected
from results.log import read_log
from spec.events import Judged, RunFinished
from spec.layout import Batch, Layout, Partition
from spec.releases import semantics_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from conformance.cluster import Cluster
    from conformance.placement.placed_partition import Placed

LAYOUT = Layout((Partition(((Batch(100),),)),))


class Restarting(DryRun):
    """A player that can't take layouts off, since its broker is being restarted."""

    def release(self, placed: Sequence[Placed]) -> None:
        """Nobody listens."""
        raise NotConnected(
            "localhost", 9092, f"connection refused, {len(placed)} layouts lie there"
        )


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, GeneratorExit])
def test_what_ended_the_work_on_a_layout_is_reported_and_not_that_it_could_not_be_taken_off(
    error: type[BaseException],
) -> None:
    player = Restarting(semantics_for("4.3"))
    with pytest.raises(error), player.lying(player.place([LAYOUT])):
        raise error


def test_a_layout_that_can_not_be_taken_off_after_all_went_well_is_reported() -> None:
    player = Restarting(semantics_for("4.3"))
    with pytest.raises(NotConnected), player.lying(player.place([LAYOUT])):
        pass


def test_no_broker_is_restarted_once_the_run_is_over() -> None:
    restarts = Restarts(
        lambda *_: pytest.fail("a broker was started that nobody stops"), places_files=False
    )
    restarts.end()
    with pytest.raises(PlacementFailed, match="the run is over"):
        restarts.restart({}, {})


def test_a_run_that_ends_waits_for_a_restart_that_is_under_way() -> None:
    began, after_loss, ended = threading.Event(), threading.Event(), threading.Event()
    cluster: Cluster = object()  # type: ignore[assignment]  # handed through

    def restart(*_: object) -> Cluster:
        began.set()
        assert after_loss.wait(60)
        return cluster

    restarts = Restarts(restart, places_files=False)
    found: list[Cluster] = []

    def end() -> None:
        restarts.end()
        ended.set()

    threads = [
        threading.Thread(target=lambda: found.append(restarts.restart({}, {}))),
        threading.Thread(target=end),
    ]
    threads[0].start()
    assert began.wait(60)
    threads[1].start()
    assert not ended.is_set()
    after_loss.set()
    for thread in threads:
        thread.join(60)
    assert ended.is_set()
    assert found == [cluster]


@pytest.mark.system
def test_an_interrupt_while_the_broker_is_down_for_a_restart_is_an_interrupt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broker is gone while it restarts, so that everything under way fails: the interrupt
    counts.
    """

    def interrupted(self: Model, config: Mapping[str, str] | None = None) -> None:
        self.stop()
        os.kill(os.getpid(), signal.SIGINT)
        raise StartFailed(
            "the served model", f"it was interrupted before it had its settings {config}"
        )

    monkeypatch.setattr(Model, "restart", interrupted)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    options = (
        "--subject",
        "share",
        "--scenarios",
        "10",
        "--seed",
        "7",
        "--no-report",
        "--no-corpus",
        "--out",
        str(tmp_path),
    )
    try:
        found = CliRunner().invoke(main, ["run", "model", *options])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert found.exit_code == 130, found.output
    (log,) = tmp_path.glob("*/events.jsonl")
    events = read_log(log).events
    assert any(isinstance(event, Judged) for event in events)
    assert isinstance(events[-1], RunFinished)
    assert events[-1].reason == "interrupted"
    assert "the run ended early" not in found.output
