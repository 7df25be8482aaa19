"""The event log: what is whole is read, what is not is counted, nothing is lost in silence."""

from pathlib import Path

import pytest

from results.log import EventWriter, ForeignLogError, FutureLogError, HeaderMissingError, LogEmptyError, LogNotFoundError, read_log
from spec.canonical import to_json
from spec.events import Event, Judged, LayoutPlaced, Note, RunFinished, RunStarted
from spec.layout import Batch, Layout, Partition
from spec.scenario import Fetch, FetchPartition
from spec.verdict import Outcome, Side, Verdict

HEADER = RunStarted("run", "2026-11-28T00:00:00Z", "0.1.0", 7, "fetch", "embedded", "4.3", "fetch-4.3@1")
PLACED = LayoutPlaced("layout", Layout((Partition(((Batch(100),),)),)))
JUDGED = Judged(
    "scenario", "layout", "question", (Fetch((FetchPartition(0, 0),)),), (Verdict("FET-004", Outcome.CONFORMS, Side.AT),), elapsed_ms=1.5
)
FOOTER = RunFinished("done", 0, 1, 1, 0.5)


def written(path: Path, *events: Event) -> Path:
    with EventWriter(path) as writer:
        for event in events:
            writer.write(event)
    return path


def test_a_log_is_read_as_it_was_written(tmp_path: Path) -> None:
    reading = read_log(written(tmp_path / "events.jsonl", HEADER, PLACED, JUDGED, FOOTER))
    assert reading.header == HEADER
    assert tuple(reading.events) == (HEADER, PLACED, JUDGED, FOOTER)
    assert not reading.truncated


def test_a_log_without_its_footer_is_truncated(tmp_path: Path) -> None:
    assert read_log(written(tmp_path / "events.jsonl", HEADER, PLACED)).truncated


def test_broken_lines_are_counted_and_the_others_kept(tmp_path: Path) -> None:
    path = written(tmp_path / "events.jsonl", HEADER, *[JUDGED] * 10)
    with path.open("a", encoding="utf-8") as log:
        log.write(to_json(JUDGED)[:40] + "\n" + "[1, 2]\n")
    reading = read_log(path)
    assert sum(isinstance(event, Judged) for event in reading.events) == 10
    assert len(reading.broken_lines) == 2


def test_a_resumed_log_goes_on_after_a_torn_line(tmp_path: Path) -> None:
    path = written(tmp_path / "events.jsonl", HEADER, JUDGED)
    with path.open("a", encoding="utf-8") as log:
        log.write('{"kind":"jud')
    with EventWriter(path, resume=True) as writer:
        writer.write(Note("went on"))
    reading = read_log(path)
    assert JUDGED in reading.events
    assert Note("went on") in reading.events


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("", LogEmptyError),
        ("hello\n", ForeignLogError),
        (to_json(JUDGED) + "\n", HeaderMissingError),
        (to_json(HEADER).replace('"kind"', '"format":99,"kind"', 1) + "\n", FutureLogError),
    ],
)
def test_a_file_that_is_no_log_is_told_apart(tmp_path: Path, content: str, error: type[Exception]) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(content)
    with pytest.raises(error, match=r"events\.jsonl"):
        read_log(path)


def test_a_missing_log_names_its_place(tmp_path: Path) -> None:
    with pytest.raises(LogNotFoundError, match="nowhere"):
        read_log(tmp_path / "nowhere.jsonl")
