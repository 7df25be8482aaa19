"""The tables of a report, column by column, and the lines that they are read from; types in Spark's
DDL.
"""

from spec.frozen import frozen

_VERDICT = (
    "STRUCT<clause STRING, outcome STRING, sides INT, why STRING, signature STRING, primary "
    "BOOLEAN>"
)

LINE = f"""
    kind STRING, run STRING, started STRING, fencepost STRING, seed STRING, subject STRING, system STRING, release STRING,
    requirement_set STRING, facts MAP<STRING, STRING>, options MAP<STRING, STRING>, format INT, id STRING, layout STRING,
    scenario STRING, family STRING, step STRING, steps STRING, verdicts ARRAY<{_VERDICT}>, config STRING, relations ARRAY<STRING>,
    observation STRING, elapsed_ms DOUBLE, waited_ms DOUBLE, clause STRING, signature STRING, found STRING, verdict {_VERDICT}, calls INT,
    reading STRING, why STRING, shape STRING, records BIGINT, held BIGINT, fetches BIGINT, fetched BIGINT, stored BIGINT, taken BIGINT,
    reproduced BIGINT, replays BIGINT, text STRING, part STRING, reason STRING, exit_code INT, layouts BIGINT, scenarios BIGINT, seconds DOUBLE,
    clauses ARRAY<STRING>, broken STRING
"""
"""One line of an event log, all events in one; layouts, steps, scenarios and observations stay JSON
text. `broken` is the whole line where it does not fit."""

LAYOUT = """STRUCT<partitions: ARRAY<STRUCT<
    segments: ARRAY<ARRAY<STRUCT<kind: STRING, size: BIGINT, records: BIGINT, codec: STRING, txn:
        BIGINT>>>, log_start: BIGINT>>>
         """
"""The part of a layout that scenario features are made from."""

STEPS = """ARRAY<STRUCT<kind: STRING, partitions: ARRAY<STRUCT<partition: INT, max_bytes: BIGINT>>,
max_bytes: BIGINT,
    min_bytes: BIGINT, max_wait_ms: BIGINT, isolation: INT, version: INT, epoch: BIGINT>>"""
"""The part of steps that scenario features are made from."""


@frozen
class Column:
    """A column: its name, its Spark type, and what it holds."""

    name: str
    type: str
    meaning: str


@frozen
class Table:
    """A Parquet table in `tables/<name>`."""

    name: str
    meaning: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names in order."""
        return tuple(column.name for column in self.columns)

    @property
    def ddl(self) -> str:
        """The schema as Spark takes it."""
        return ", ".join(f"`{column.name}` {column.type}" for column in self.columns)


_RUN = (
    Column("run", "STRING", "the run's id"),
    Column("run_started", "TIMESTAMP", "UTC"),
    Column("system", "STRING", "the system's name"),
    Column("release", "STRING", "the Kafka release it is judged as"),
    Column(
        "kafka",
        "STRING",
        "the fact `kafka`, the exact version, where the system gives one; otherwise the release",
    ),
    Column("seed", "STRING", "what the drawing starts from; text, as it may be of any length"),
    Column("subject", "STRING", "what was tested"),
)
RUN_NAMES = tuple(column.name for column in _RUN)
"""The columns by which every table names the run of a row."""
_SCENARIO = (
    Column("scenario", "STRING", "its id"),
    Column("layout", "STRING", "its layout's id"),
    Column("family", "STRING", "which generator made it"),
)
_FEATURES = (
    Column("partitions", "INT", "partitions of the layout"),
    Column("segments", "INT", "segments of all its partitions"),
    Column("batches", "INT", "batches of all its partitions, markers left out"),
    Column("bytes", "BIGINT", "bytes of all batches, markers left out"),
    Column("transactional", "BOOLEAN", "some batch belongs to a transaction"),
    Column("steps", "INT", "steps of the scenario"),
    Column(
        "asked",
        "INT",
        "partitions in its first fetch; it and the next eight are null without a fetch",
    ),
    Column("partition_max_bytes", "BIGINT", "the smallest in its first fetch"),
    Column("max_bytes", "BIGINT", "of its first fetch"),
    Column("min_bytes", "BIGINT", "of its first fetch"),
    Column("max_wait_ms", "BIGINT", "of its first fetch"),
    Column("isolation", "INT", "of its first fetch"),
    Column("version", "INT", "of its first fetch"),
    Column(
        "epochs",
        "STRING",
        "classes of session epochs in all fetches: `sessionless`, `full`, `incremental`, joined "
        "by `+`",
    ),
)

SCENARIOS = Table(
    "scenarios",
    "One row for each judged scenario.",
    (
        *_RUN,
        *_SCENARIO,
        Column("elapsed_ms", "DOUBLE", "how long the play took"),
        Column(
            "waited_ms",
            "DOUBLE",
            "how much of it was waiting for what a broker holds back; 0 where that is not measured",
        ),
        *_FEATURES,
        Column("codecs", "ARRAY<STRING>", "codecs of its layout's batches, sorted"),
        Column("relations", "ARRAY<STRING>", "the relations of limits it stood for"),
    ),
)

VERDICTS = Table(
    "verdicts",
    "One row for each verdict, with its scenario's features; what is a list (`codecs`, "
    "`relations`) stands in `scenarios` alone.",
    (
        *_RUN,
        *_SCENARIO,
        Column("clause", "STRING", "the clause's id"),
        Column(
            "strength",
            "STRING",
            "must, reference, best_effort; null for a clause that the catalogue does not have",
        ),
        Column("outcome", "STRING", "violates, inconclusive, deviates, conforms, unsupported"),
        Column("sides", "ARRAY<STRING>", "below, at, above: where the clause's fence was met"),
        Column("signature", "STRING", "what makes two breaks the same"),
        Column(
            "primary",
            "BOOLEAN",
            "of several breaks in one scenario, the one that explains the others",
        ),
        Column("why", "STRING", "expected against found"),
        Column("known", "STRING", "the reason of the finding that lists it; null where none does"),
        *_FEATURES,
    ),
)

DIVERGENCES = Table(
    "divergences",
    "One row for each verdict that violates, deviates or is inconclusive, with the scenario whole.",
    (
        *_RUN,
        *_SCENARIO,
        *(
            Column(name, kind, "as in verdicts")
            for name, kind in (("clause", "STRING"), ("strength", "STRING"), ("outcome", "STRING"))
        ),
        *(
            Column(name, kind, "as in verdicts")
            for name, kind in (("signature", "STRING"), ("primary", "BOOLEAN"), ("why", "STRING"))
        ),
        Column("known", "STRING", "as in verdicts"),
        Column(
            "found_json", "STRING", "the scenario as found; null where its layout's line is lost"
        ),
        Column("found_observation_json", "STRING", "what came back for it"),
        Column("shrunk_json", "STRING", "the scenario as shrunk; null where that was not done"),
        Column("shrunk_observation_json", "STRING", "what came back for it"),
        Column("shrunk_why", "STRING", "expected against found, of the shrunk one"),
    ),
)

RUNS = Table(
    "runs",
    "One row for each run.",
    (
        *_RUN,
        Column("log", "STRING", "where the event log was read from"),
        Column("fencepost", "STRING", "version of the suite"),
        Column("requirement_set", "STRING", "the clauses that count, by name"),
        Column(
            "facts",
            "MAP<STRING, STRING>",
            "harmless facts of the system, and the known differences",
        ),
        Column("options", "MAP<STRING, STRING>", "options that matter for doing it again"),
        Column("judged", "BIGINT", "judged scenarios in the log"),
        Column("placed", "BIGINT", "distinct layouts in the log"),
        Column("broken", "BIGINT", "lines that can't be read"),
        Column("truncated", "BOOLEAN", "the last line that can be read is not the footer"),
        Column("reason", "STRING", "why it ended; null where it was cut short"),
        Column("exit_code", "INT", "null where it was cut short"),
        Column("seconds", "DOUBLE", "null where it was cut short"),
        Column("notes", "ARRAY<STRING>", "the log's notes, in its order"),
    ),
)

READINGS = Table(
    "readings",
    "One row for each reading that was ruled out.",
    (
        *_RUN,
        Column("clause", "STRING", "the clause's id"),
        Column("reading", "STRING", "the reading's name"),
        Column("why", "STRING", "what does not fit"),
        Column("scenario_json", "STRING", "the scenario that ruled it out"),
        Column("observation_json", "STRING", "what came back for it; null where it was not kept"),
    ),
)

FLAKY = Table(
    "flaky",
    "One row for each break that was not reproduced.",
    (
        *_RUN,
        Column("clause", "STRING", "the clause's id"),
        Column("signature", "STRING", "what makes two breaks the same"),
        Column("outcome", "STRING", "violates or deviates, by the first play"),
        Column("why", "STRING", "expected against observed, of the first play"),
        Column("reproduced", "BIGINT", "how many of the replays showed the same break"),
        Column("replays", "BIGINT", "how often the scenario was played again"),
        Column("scenario_json", "STRING", "the scenario, whole"),
        Column("observation_json", "STRING", "what the first play gave"),
    ),
)

COSTS = Table(
    "costs",
    "One row for each log and reading of the draft MaxRecords: what a consumer of so many records "
    "at a time fetches.",
    (
        *_RUN,
        Column("shape", "STRING", "what the log is like"),
        Column("reading", "STRING", "today, or a profile of the draft"),
        Column("records", "BIGINT", "records that the consumer can take at a time"),
        Column("held", "BIGINT", "records in the log"),
        Column("fetches", "BIGINT", "requests that returned something"),
        Column("fetched", "BIGINT", "bytes returned"),
        Column("stored", "BIGINT", "bytes of the log"),
        Column("taken", "BIGINT", "records that were read"),
    ),
)

BROKEN_LINES = Table(
    "broken_lines",
    "One row for each line of an event log that can't be read.",
    (
        *_RUN,
        Column("log", "STRING", "where the event log was read from"),
        Column("line", "BIGINT", "line number, from 1"),
        Column("reason", "STRING", "what is wrong with it"),
        Column("text", "STRING", "its first 200 characters"),
    ),
)

TABLES = (VERDICTS, SCENARIOS, DIVERGENCES, RUNS, READINGS, FLAKY, COSTS, BROKEN_LINES)
"""All of them, the largest first."""
