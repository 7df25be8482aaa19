"""Event logs to tables. All of it is Spark's own parsing with an explicit schema, so executors need
nothing but Spark.

A line is either counted as the event it is or listed as broken: never dropped, never a row of
nulls.
"""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, get_args

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  everyone's name for it

from results import schema
from results.clauses import Clauses
from results.schema import LAYOUT, LINE, STEPS, Table
from spec.canonical import kind_of
from spec.events import Event, ReadingCost
from spec.fetch.steps import Fetch, FetchPartition
from spec.frozen import frozen
from spec.verdict import Outcome, Side

_EVENTS: tuple[type, ...] = get_args(Event)
_TEXT = 200
VERSIONS = ("client.tested", "kafka")
"""The facts of what is tested that say its version, the first that there is."""
_BETWEEN = "\n"
"""Stands in no run id, clause or signature."""
_RUN = schema.RUN_NAMES
_COST = tuple(field.name for field in fields(ReadingCost))


@frozen
class Tables:
    """The tables of `results.schema`, as data frames; `cached` are those that they share, to be
    unpersisted in the end.
    """

    runs: DataFrame
    scenarios: DataFrame
    verdicts: DataFrame
    divergences: DataFrame
    readings: DataFrame
    flaky: DataFrame
    costs: DataFrame
    broken_lines: DataFrame
    cached: tuple[DataFrame, ...]

    def by_name(self) -> Mapping[str, DataFrame]:
        """Each by its table's name."""
        return {table.name: getattr(self, table.name) for table in schema.TABLES}


def tables_of(
    lines: DataFrame, clauses: Clauses, known: Mapping[tuple[str, str, str], str]
) -> Tables:
    """The tables of these lines, not yet computed.

    Args:
        lines: as `read_lines` gives them; worth persisting, since every table is made from them.
        clauses: for the strengths.
        known: reasons of known differences by run, clause and signature.
    """
    good = lines.where("fault IS NULL")
    runs = _runs(lines).persist()
    of_run = F.broadcast(runs.select(*_RUN, "log"))
    judged = (
        _judged_frame(good)
        .join(of_run, "log")
        .join(F.broadcast(_layouts(good)), ["log", "layout"], "left")
    )
    scenarios = _with_features(judged)
    verdicts = _verdicts(scenarios, clauses, known)
    ruled_out = good.where("kind = 'reading_ruled_out'")
    readings = ruled_out.select(
        "log",
        "clause",
        "reading",
        "why",
        F.col("scenario").alias("scenario_json"),
        F.col("observation").alias("observation_json"),
    ).join(of_run, "log")
    flaky = (
        good.where("kind = 'flaky'")
        .select(
            "log",
            "clause",
            "signature",
            "verdict.outcome",
            F.coalesce("verdict.why", F.lit("")).alias("why"),
            "reproduced",
            "replays",
            F.col("scenario").alias("scenario_json"),
            F.col("observation").alias("observation_json"),
        )
        .join(of_run, "log")
    )
    broken = _number_broken_lines(lines).join(of_run, "log")
    return Tables(
        runs=_shape(runs, schema.RUNS),
        scenarios=_shape(scenarios, schema.SCENARIOS),
        verdicts=_shape(verdicts, schema.VERDICTS),
        divergences=_shape(_divergences(verdicts, good), schema.DIVERGENCES),
        readings=_shape(readings, schema.READINGS),
        flaky=_shape(flaky, schema.FLAKY),
        costs=_shape(
            good.where("kind = 'costed'").select("log", *_COST).join(of_run, "log"), schema.COSTS
        ),
        broken_lines=_shape(broken, schema.BROKEN_LINES),
        cached=(lines, runs),
    )


def read_lines(spark: SparkSession, logs: Sequence[Path]) -> DataFrame:
    """All lines of these event logs, parsed; `fault` says what is wrong with a line, null where
    nothing is.

    Args:
        spark: the session.
        logs: event logs, each with a readable header and with a run id of its own
            (`results.log.read_header`).
    """
    raw = (
        spark.read.option("lineSep", "\n")
        .text([path.resolve().as_uri() for path in logs])
        .select(
            "value",
            F.col("_metadata.file_path").alias("log"),
            F.col("_metadata.file_block_start").alias("block"),
        )
        .withColumn("within", F.monotonically_increasing_id())
    )
    parsed = F.from_json(
        "value", LINE, {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": "broken"}
    )
    steps = F.from_json("steps", STEPS)
    layout = F.when(F.col("kind") == "layout_placed", F.from_json("layout", LAYOUT))
    return (
        raw.withColumn("line", parsed)
        .select("log", "block", "within", "value", "line.*")
        .withColumn("parsed_steps", steps)
        .withColumn("parsed_layout", layout)
        .withColumn("fault", F.expr(_fault()))
        .withColumn("value", F.expr(f"CASE WHEN fault IS NOT NULL THEN left(value, {_TEXT}) END"))
        .drop("broken")
    )


def _fault() -> str:
    """SQL for what is wrong with a line; null where nothing is."""
    needs = {str(kind_of(event)): _required_fields(fields(event)) for event in _EVENTS}
    kinds = ", ".join(f"'{kind}'" for kind in needs)
    missing = " ".join(
        f"WHEN kind = '{kind}' AND ({' OR '.join(f'{name} IS NULL' for name in names)}) "
        f"THEN 'expected {kind} with {', '.join(names)}, found one of them missing'"
        for kind, names in needs.items()
    )
    outcomes = ", ".join(f"'{outcome.value}'" for outcome in Outcome)
    return f"""CASE
        WHEN trim(value) = '' THEN 'expected an event, found an empty line'
        WHEN NOT startswith(ltrim(value), '{{') THEN 'expected an object, found something else'
        WHEN coalesce(size(from_json(concat('[', value, ']'), 'ARRAY<STRUCT<kind: STRING>>')), 0) <> 1
            THEN 'expected one object, found more behind it or JSON that is cut short'
        WHEN broken IS NOT NULL THEN 'expected an event of the format, found JSON that is mistyped'
        WHEN kind IS NULL OR kind NOT IN ({kinds}) THEN 'expected the kind of an event, found none that is known'
        {missing}
        WHEN kind = 'judged' AND NOT coalesce(startswith(steps, '[') AND forall(parsed_steps, s -> s.kind IS NOT NULL), false)
            THEN 'expected steps, found something else'
        WHEN kind = 'layout_placed' AND parsed_layout.partitions IS NULL THEN 'expected a layout, found something else'
        WHEN kind = 'judged' AND NOT forall(verdicts, v -> v.clause IS NOT NULL AND coalesce(v.outcome IN ({outcomes}), false))
            THEN 'expected verdicts with clause and outcome, found one without'
    END"""


def _required_fields(of: Sequence[Field[Any]] | tuple[Field[Any], ...]) -> list[str]:
    return [
        field.name for field in of if field.default is MISSING and field.default_factory is MISSING
    ]


def _runs(lines: DataFrame) -> DataFrame:
    """One row for each log. A header may stand in it again after a resume: the first counts; of the
    footers the last.
    """
    place = F.struct("block", "within")

    def first(name: str) -> Any:
        return F.min_by(
            F.when(F.col("kind") == "run_started", F.col(name)), F.when(_is("run_started"), place)
        ).alias(name)

    def last(name: str) -> Any:
        return F.max_by(name, F.when(_is("run_finished"), place)).alias(name)

    header = [
        first(name)
        for name in (
            "run",
            "started",
            "system",
            "release",
            "seed",
            "fencepost",
            "subject",
            "requirement_set",
        )
    ]
    maps = [first(name) for name in ("facts", "options")]
    notes = F.transform(
        F.array_sort(F.collect_list(F.when(_is("note"), F.struct(place.alias("place"), "text")))),
        lambda n: n["text"],
    )
    grouped = lines.groupBy("log").agg(
        *header,
        *maps,
        *[last(name) for name in ("reason", "exit_code", "seconds")],
        F.count(F.when(_is("judged"), 1)).alias("judged"),
        F.count_distinct(F.when(_is("layout_placed"), F.col("id"))).alias("placed"),
        F.count("fault").alias("broken"),
        notes.alias("notes"),
        F.max_by("kind", F.when(F.col("fault").isNull(), place)).alias("last_kind"),
    )
    whole = F.col("last_kind") == "run_finished"
    return (
        grouped.withColumn("truncated", ~whole)
        .withColumn("run_started", F.try_to_timestamp("started"))
        .withColumn("kafka", F.coalesce(*[_fact(name) for name in VERSIONS], "release"))
        .withColumns(
            {name: F.when(whole, F.col(name)) for name in ("reason", "exit_code", "seconds")}
        )
    )


def _fact(name: str) -> Any:
    return F.try_element_at("facts", F.lit(name))


def _is(kind: str) -> Any:
    return (F.col("kind") == kind) & F.col("fault").isNull()


def _judged_frame(good: DataFrame) -> DataFrame:
    wanted = (
        "log",
        "scenario",
        "layout",
        "family",
        "verdicts",
        "config",
        "relations",
        "observation",
        "elapsed_ms",
        "waited_ms",
    )
    steps = [F.col("steps").alias("steps_json"), F.col("parsed_steps")]
    return good.where("kind = 'judged'").select(*wanted, *steps)


def _layouts(good: DataFrame) -> DataFrame:
    """One row for each layout of a log: what it is like."""
    entries = "flatten(transform(layout.partitions, p -> flatten(coalesce(p.segments, array()))))"
    batches = f"filter({entries}, e -> e.kind IS NULL)"
    features = {
        "partitions": "size(layout.partitions)",
        "segments": (
            "aggregate(layout.partitions, 0, (n, p) -> n + size(coalesce(p.segments, "
            "array(array()))))"
        ),
        "batches": f"size({batches})",
        "bytes": f"aggregate({batches}, 0L, (n, e) -> n + e.size)",
        "codecs": f"array_sort(array_distinct(transform({batches}, e -> coalesce(e.codec, 'none'))))",
        "transactional": f"exists({batches}, e -> e.txn IS NOT NULL)",
    }
    return (
        good.where("kind = 'layout_placed'")
        .dropDuplicates(["log", "id"])
        .select("log", F.col("id").alias("layout_id"), F.col("parsed_layout").alias("layout"))
        .select("log", "layout_id", *[F.expr(sql).alias(name) for name, sql in features.items()])
        .withColumnRenamed("layout_id", "layout")
    )


def _with_features(judged: DataFrame) -> DataFrame:
    fetch = {field.name: field.default for field in fields(Fetch)}
    partition = {field.name: field.default for field in fields(FetchPartition)}
    epochs = f"""array_join(array_sort(array_distinct(transform(fetches, f -> CASE coalesce(f.epoch, {fetch["epoch"]})
        WHEN -1 THEN 'sessionless' WHEN 0 THEN 'full' ELSE 'incremental' END))), '+')"""
    limits = (
        "array_min(transform(first.partitions, p -> coalesce(p.max_bytes, "
        f"{partition['max_bytes']})))"
    )
    plain = ("max_bytes", "min_bytes", "max_wait_ms", "isolation", "version")
    return (
        judged.withColumn("fetches", F.expr("filter(parsed_steps, s -> s.kind = 'fetch')"))
        .withColumn("first", F.expr("try_element_at(fetches, 1)"))
        .withColumns(
            {
                "steps": F.size("parsed_steps"),
                "asked": F.expr(
                    "CASE WHEN first IS NOT NULL THEN coalesce(size(first.partitions), 0) END"
                ),
                "partition_max_bytes": F.expr(limits),
                **{
                    name: F.expr(
                        f"CASE WHEN first IS NOT NULL THEN coalesce(first.{name}, {fetch[name]}) "
                        "END"
                    )
                    for name in plain
                },
                "epochs": F.expr(f"CASE WHEN first IS NOT NULL THEN {epochs} END"),
                "relations": F.coalesce("relations", F.expr("cast(array() AS ARRAY<STRING>)")),
                "elapsed_ms": F.coalesce("elapsed_ms", F.lit(0.0)),
                "waited_ms": F.coalesce("waited_ms", F.lit(0.0)),
            }
        )
        .drop("parsed_steps", "fetches", "first")
    )


def _verdicts(
    scenarios: DataFrame, clauses: Clauses, known: Mapping[tuple[str, str, str], str]
) -> DataFrame:
    strengths = _literal_map({clause.id: clause.strength.value for clause in clauses.values()})
    reasons = _literal_map({_BETWEEN.join(key): reason for key, reason in known.items()})
    bits = ", ".join(
        f"CASE WHEN sides & {side.value} <> 0 THEN '{side.name.lower()}' END"
        for side in Side
        if side.name
    )
    diverging = F.col("outcome").isin(Outcome.VIOLATES.value, Outcome.DEVIATES.value)
    return (
        scenarios.withColumn("verdict", F.explode("verdicts"))
        .select(
            "*",
            "verdict.clause",
            "verdict.outcome",
            "verdict.sides",
            "verdict.why",
            "verdict.signature",
            "verdict.primary",
        )
        .drop("verdicts", "verdict")
        .withColumn("sides", F.expr(f"array_compact(array({bits}))"))
        .fillna("", ["why", "signature"])
        .fillna(value=False, subset=["primary"])
        .withColumn("strength", F.try_element_at(strengths, "clause"))
        .withColumn(
            "known",
            F.when(
                diverging,
                F.try_element_at(reasons, F.concat_ws(_BETWEEN, "run", "clause", "signature")),
            ),
        )
    )


def _literal_map(values: Mapping[str, str]) -> Any:
    """A map small enough to be part of the plan, which is cheaper than a join."""
    pairs = [F.lit(text) for pair in values.items() for text in pair]
    return F.create_map(*pairs) if pairs else F.expr("cast(map() AS MAP<STRING, STRING>)")


def _divergences(verdicts: DataFrame, good: DataFrame) -> DataFrame:
    shrunk = (
        good.where("kind = 'shrunk'")
        .groupBy("log", "clause", "signature", F.col("found").alias("scenario"))
        .agg(
            F.min_by(
                F.struct("scenario", "observation", "verdict.why"),
                F.struct(F.length("scenario"), "scenario"),
            ).alias("shrunk")
        )
    )
    layouts = good.where("kind = 'layout_placed'").dropDuplicates(["log", "id"])
    texts = layouts.select("log", F.col("id").alias("layout"), F.col("layout").alias("layout_json"))
    config = (
        "CASE WHEN coalesce(config, '[]') = '[]' THEN '' ELSE concat(',\"config\":', config) END"
    )
    found = f"concat('{{\"layout\":', layout_json, ',\"steps\":', steps_json, {config}, '}}')"
    return (
        verdicts.where(F.col("outcome").isin("violates", "deviates", "inconclusive"))
        .join(shrunk, ["log", "clause", "signature", "scenario"], "left")
        .join(texts, ["log", "layout"], "left")
        .withColumns(
            {
                "found_json": F.expr(found),
                "found_observation_json": F.col("observation"),
                "shrunk_json": F.col("shrunk.scenario"),
                "shrunk_observation_json": F.col("shrunk.observation"),
                "shrunk_why": F.col("shrunk.why"),
            }
        )
    )


def _number_broken_lines(lines: DataFrame) -> DataFrame:
    """The broken lines, each with its number: how many lines of its log do not come after it."""
    broken = lines.where("fault IS NOT NULL").select(
        "log", "block", "within", F.col("fault").alias("reason"), F.col("value").alias("text")
    )
    others = lines.select("log", F.struct("block", "within").alias("place"))
    return (
        F.broadcast(broken)
        .join(others, "log")
        .where("place <= struct(block, within)")
        .groupBy("log", "block", "within", "reason", "text")
        .agg(F.count(F.lit(1)).alias("line"))
    )


def _shape(frame: DataFrame, table: Table) -> DataFrame:
    return frame.select(
        *[F.col(column.name).cast(column.type).alias(column.name) for column in table.columns]
    )
