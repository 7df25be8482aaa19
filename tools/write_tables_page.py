"""Write docs/reference/tables.md from the columns in the code: python -m tools.write_tables_page."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from results.job_tables import JOBS
from results.schema import Table
from results.spark.warehouse import STORED

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "tables.md"
HEAD = """\
# Tables of many runs

`fencepost report RUN... --tables URL` takes runs into Parquet tables at a place (`file:`, `hdfs:`, `s3a:`; [an object store](../spark.md#tables-on-an-object-store) takes
some jars and settings), and computes the jobs over all runs there. Every table is partitioned by `subject` and
`run`; times are UTC. A run that is taken in twice is there once. A column that an older Fencepost did not write is null. `truncated` marks a run that was cut
off, `late` one that came after a run of the same subject and system that was started later. One process writes at a time.

The figures of a single run are made without Spark; `results/figures.py` has what each count means, for both.

## Tables
"""
MIDDLE = """
## Jobs

Each is written to `jobs/NAME`.
"""


def page() -> str:
    """The page."""
    return f"{HEAD}{''.join(_sections(STORED))}{MIDDLE}{''.join(_sections(JOBS))}"


def _sections(tables: Iterable[Table]) -> Iterator[str]:
    for table in tables:
        rows = [f"| `{one.name}` | `{one.type}` | {one.meaning} |" for one in table.columns]
        head = ["| column | type | meaning |", "| --- | --- | --- |"]
        yield "\n".join(["", f"### {table.name}", "", table.meaning, "", *head, *rows, ""])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
