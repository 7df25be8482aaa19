"""The jobs over many runs: known answers by hand, and drawn tables against plain definitions."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from math import ceil, isclose, sqrt
from random import Random
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from results import job_tables, schema
from results.figures import rate_interval
from results.schema import Table
from results.spark import jobs
from results.spark.interactions import interactions
from results.spark.lift import lift
from results.spark.plays import flaky_rates, timings
from results.spark.releases import beside_earlier_release, readings_left

pytestmark = pytest.mark.spark

Row = dict[str, Any]
IMPLEMENTATIONS = (
    ("embedded", "4.1", "4.1.2"),
    ("embedded", "4.10", "4.10.0"),
    ("embedded", "4.9", "4.9.1"),
    ("kfake", "4.3", "4.3"),
)
BROKEN = ("violates", "deviates")


def frame(spark: Any, table: Table, rows: Iterable[Row]) -> Any:
    """A data frame of a table; what a row does not name is null."""
    values = [tuple([row.get(name) for name in table.names]) for row in rows]
    return spark.createDataFrame(values, table.ddl)


def rows(found: Any, table: Table) -> list[Row]:
    """The rows of a job, whose columns are those that are documented."""
    wanted = [(one.name, one.type.lower()) for one in table.columns]
    assert [(name, kind) for name, kind in found.dtypes] == wanted
    return [row.asDict(recursive=True) for row in found.collect()]


def same(found: list[Row], expected: list[Row]) -> None:
    """The same rows in any order, floating point as near as arithmetic allows."""

    def key(row: Row) -> str:
        return str([value for value in row.values() if not isinstance(value, float)])

    assert len(found) == len(expected)
    for one, other in zip(sorted(found, key=key), sorted(expected, key=key), strict=True):
        assert one.keys() == other.keys()
        for name, value in one.items():
            if isinstance(value, float) and other[name] is not None:
                assert isclose(value, other[name], rel_tol=1e-9, abs_tol=1e-12), (name, one, other)
            else:
                assert value == other[name], (name, one, other)


def run_of(number: int, random: Random) -> Row:
    system, release, kafka = IMPLEMENTATIONS[number % len(IMPLEMENTATIONS)]
    subject = random.choice(("fetch", "share"))
    return {
        "run": f"r{number}",
        "system": system,
        "release": release,
        "kafka": kafka,
        "subject": subject,
    }


class Drawn:
    """Tables of drawn runs."""

    def __init__(self, random: Random, runs: int = 6, scenarios: int = 40) -> None:
        self.runs = [run_of(number, random) for number in range(runs)]
        self.scenarios: list[Row] = []
        self.verdicts: list[Row] = []
        self.flaky: list[Row] = []
        self.readings: list[Row] = []
        for run in self.runs:
            for number in range(scenarios):
                scenario = run | self._features(random) | {"scenario": f"s{number % 37}"}
                self.scenarios.append(scenario)
                self.verdicts += [
                    run | {"scenario": scenario["scenario"]} | self._verdict(clause, random)
                    for clause in random.sample(("FET-001", "FET-002", "FET-003"), 2)
                ]
            self.flaky += [
                run
                | {
                    "clause": random.choice(("FET-001", "FET-009")),
                    "signature": random.choice(("a", "b")),
                    "outcome": "violates",
                    "reproduced": random.randrange(2),
                    "replays": random.choice((0, 2, 3)),
                }
                for _ in range(scenarios // 10)
            ]
            self.readings += [
                run
                | {"clause": "FET-001", "reading": random.choice(("x", "y")), "why": f"w{number}"}
                for number in range(random.randrange(3))
            ]

    def _features(self, random: Random) -> Row:
        fetched = random.random() < 0.8
        return {
            "family": random.choice(("question", "history")),
            "elapsed_ms": random.choice((0.5, 2.0, random.random() * 9)),
            "waited_ms": float(random.randrange(3)),
            "partitions": random.randrange(1, 20),
            "segments": 1,
            "batches": random.randrange(9),
            "transactional": random.random() < 0.5,
            "steps": random.randrange(1, 4),
            "asked": 1 if fetched else None,
            "isolation": random.randrange(2) if fetched else None,
            "version": 12 if fetched else None,
            "epochs": "full" if fetched else None,
            "codecs": random.choice((None, [], ["none"], ["lz4", "zstd"])),
            "relations": random.sample(
                ["a=at:first", "a=at:last", "a=below", "b=above", "c=given"], random.randrange(4)
            ),
        }

    def _verdict(self, clause: str, random: Random) -> Row:
        outcome = random.choice((*["conforms"] * 4, *BROKEN, "inconclusive", "unsupported"))
        broke = outcome in BROKEN
        return {
            "clause": clause,
            "strength": "must",
            "outcome": outcome,
            "sides": [],
            "signature": random.choice("ab") if broke else "",
            "primary": broke and random.random() < 0.5,
            "known": "listed" if broke and random.random() < 0.2 else None,
        }


def implementation(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["system"], row["release"], row["kafka"]


def named(key: tuple[Any, ...]) -> Row:
    return dict(zip(("system", "release", "kafka"), key, strict=True))


def levels_of(row: Row) -> set[str]:
    def size(number: int) -> str:
        for most, label in ((0, "0"), (1, "1"), (3, "2-3"), (7, "4-7"), (15, "8-15")):
            if number <= most:
                return label
        return "16+"

    found = {name.partition(":")[0] for name in row["relations"]}
    found |= {f"codec={codec}" for codec in row["codecs"] or ()}
    for name in ("isolation", "version", "epochs"):
        if row[name] is not None:
            found.add(f"{name}={row[name]}")
    found.add(f"transactional={str(row['transactional']).lower()}")
    for name in ("partitions", "segments", "batches", "asked", "steps"):
        if row[name] is not None:
            found.add(f"{name}={size(row[name])}")
    return found


def plain_interactions(drawn: Drawn) -> list[Row]:
    seen: dict[str, set[str]] = defaultdict(set)
    counts: Counter[tuple[str, str, str]] = Counter()
    for row in drawn.scenarios:
        levels = levels_of(row)
        seen[row["subject"]] |= levels
        counts.update([(row["subject"], a, b) for a, b in combinations(sorted(levels), 2)])
    result = []
    for subject, levels in seen.items():
        limits = {
            one.partition("=")[0] for one in levels if one.endswith(("=below", "=at", "=above"))
        }
        every = levels | {
            f"{limit}={side}" for limit in limits for side in ("below", "at", "above")
        }
        for one in every:
            for other in every:
                if one.partition("=")[0] < other.partition("=")[0]:
                    count = counts[subject, min(one, other), max(one, other)]
                    result.append({"subject": subject, "one": one, "other": other, "count": count})
    return result


def plain_lift(drawn: Drawn) -> list[Row]:
    levels: dict[tuple[str, str], set[str]] = {}
    for row in drawn.scenarios:
        levels.setdefault((row["run"], row["scenario"]), levels_of(row))
    plays: dict[tuple[str, str], dict[tuple[str, str], set[str]]] = defaultdict(dict)
    for row in drawn.verdicts:
        if row["outcome"] in {"conforms", *BROKEN}:
            of = plays[row["subject"], row["clause"]]
            signatures = of.setdefault((row["run"], row["scenario"]), set())
            if row["outcome"] in BROKEN:
                signatures.add(row["signature"])
    result = []
    for (subject, clause), of in plays.items():
        for signature in {one for signatures in of.values() for one in signatures}:
            broke = {play for play, signatures in of.items() if signature in signatures}
            for level in {level for play in broke for level in levels[play]}:
                with_level = {play for play in of if level in levels[play]}
                together = len(broke & with_level)
                result.append(
                    {
                        "subject": subject,
                        "clause": clause,
                        "signature": signature,
                        "level": level,
                        "together": together,
                        "with_level": len(with_level),
                        "broke": len(broke),
                        "exercised": len(of),
                        "support": together / len(of),
                        "confidence": together / len(with_level),
                        "lift": together / len(with_level) / (len(broke) / len(of)),
                    }
                )
    return result


def plain_timings(drawn: Drawn) -> list[Row]:
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in drawn.scenarios:
        groups[(*implementation(row), row["subject"], row["family"])].append(row)

    def figures(name: str, some: list[Row]) -> Row:
        values = sorted(row[name] for row in some)
        nearest = {
            f"{name}_{part}": values[max(ceil(share * len(values)), 1) - 1]
            for part, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99))
        }
        return nearest | {f"{name}_max": values[-1]}

    return [
        named(key[:3])
        | {"subject": key[3], "family": key[4], "plays": len(some)}
        | figures("elapsed_ms", some)
        | figures("waited_ms", some)
        for key, some in groups.items()
    ]


def exercised_by(drawn: Drawn) -> Counter[tuple[Any, ...]]:
    return Counter(
        (*implementation(row), row["clause"])
        for row in drawn.verdicts
        if row["outcome"] in {"conforms", *BROKEN}
    )


def plain_flaky(drawn: Drawn) -> list[Row]:
    exercised = exercised_by(drawn)
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in drawn.flaky:
        groups[(*implementation(row), row["clause"], row["signature"])].append(row)
    result = []
    for key, some in groups.items():
        reproduced = sum(row["reproduced"] for row in some)
        replays = sum(row["replays"] for row in some)
        tried = exercised[key[:4]]
        result.append(
            named(key[:3])
            | {
                "clause": key[3],
                "signature": key[4],
                "outcome": "violates",
                "plays": len(some),
                "reproduced": reproduced,
                "replays": replays,
                "rate": reproduced / replays if replays else None,
                "exercised": tried,
                "share": len(some) / tried if tried else None,
            }
        )
    return result


def plain_confidence(drawn: Drawn) -> list[Row]:
    broke = Counter(
        (*implementation(row), row["clause"]) for row in drawn.verdicts if row["outcome"] in BROKEN
    )
    result = []
    for key, exercised in exercised_by(drawn).items():
        rate, z2 = broke[key] / exercised, 1.959963984540054**2
        middle = (rate + z2 / (2 * exercised)) / (1 + z2 / exercised)
        spread = rate * (1 - rate) / exercised + z2 / (4 * exercised**2)
        half = sqrt(z2 * spread) / (1 + z2 / exercised)
        result.append(
            {"clause": key[3], "strength": "must"}
            | named(key[:3])
            | {
                "exercised": exercised,
                "broke": broke[key],
                "rate": rate,
                "rate_low": max(middle - half, 0.0),
                "rate_high": min(middle + half, 1.0),
            }
        )
    return result


def plain_causes(drawn: Drawn) -> list[Row]:
    counts: Counter[tuple[str, ...]] = Counter()
    for row in drawn.verdicts:
        for other in drawn.verdicts:
            both = row["outcome"] in BROKEN and other["outcome"] in BROKEN
            alike = (row["run"], row["scenario"]) == (other["run"], other["scenario"])
            if both and alike and other["primary"] and not row["primary"]:
                kind = row["clause"], row["signature"], row["outcome"]
                counts[(*kind, other["clause"], other["signature"])] += 1
    names = ("clause", "signature", "outcome", "cause_clause", "cause_signature")
    return [dict(zip(names, key, strict=True)) | {"count": n} for key, n in counts.items()]


def plain_readings(drawn: Drawn) -> list[Row]:
    result = []
    for subject, clause, reading in {
        (row["subject"], row["clause"], row["reading"]) for row in drawn.readings
    }:
        for key in {implementation(run) for run in drawn.runs if run["subject"] == subject}:
            some = [
                row
                for row in drawn.readings
                if (row["subject"], row["clause"], row["reading"]) == (subject, clause, reading)
                and implementation(row) == key
            ]
            result.append(
                {"subject": subject, "clause": clause, "reading": reading}
                | named(key)
                | {
                    "runs": sum(
                        implementation(run) == key and run["subject"] == subject
                        for run in drawn.runs
                    ),
                    "ruled_out": len({row["run"] for row in some}),
                    "why": min((row["why"] for row in some), default=None),
                }
            )
    return result


def divergences(drawn: Drawn) -> list[Row]:
    return [row for row in drawn.verdicts if row["outcome"] in BROKEN]


PLAIN: Mapping[str, tuple[Table, Callable[[Any, Drawn], Any], Callable[[Drawn], list[Row]]]] = {
    "interactions": (
        job_tables.INTERACTIONS,
        lambda spark, drawn: interactions(frame(spark, schema.SCENARIOS, drawn.scenarios)),
        plain_interactions,
    ),
    "lift": (
        job_tables.LIFT,
        lambda spark, drawn: lift(
            frame(spark, schema.VERDICTS, drawn.verdicts),
            frame(spark, schema.SCENARIOS, drawn.scenarios),
        ),
        plain_lift,
    ),
    "timings": (
        job_tables.TIMINGS,
        lambda spark, drawn: timings(frame(spark, schema.SCENARIOS, drawn.scenarios)),
        plain_timings,
    ),
    "flaky_rates": (
        job_tables.FLAKY_RATES,
        lambda spark, drawn: flaky_rates(
            frame(spark, schema.FLAKY, drawn.flaky), frame(spark, schema.VERDICTS, drawn.verdicts)
        ),
        plain_flaky,
    ),
    "confidence": (
        job_tables.CONFIDENCE,
        lambda spark, drawn: jobs.confidence(
            jobs.matrix(frame(spark, schema.VERDICTS, drawn.verdicts))
        ),
        plain_confidence,
    ),
    "causes": (
        job_tables.CAUSES,
        lambda spark, drawn: jobs.causes(frame(spark, schema.DIVERGENCES, divergences(drawn))),
        plain_causes,
    ),
    "readings_left": (
        job_tables.READINGS_LEFT,
        lambda spark, drawn: readings_left(
            frame(spark, schema.READINGS, drawn.readings), frame(spark, schema.RUNS, drawn.runs)
        ),
        plain_readings,
    ),
}


@pytest.mark.parametrize("name", PLAIN)
def test_a_job_gives_what_its_plain_definition_gives(spark: Any, name: str) -> None:
    table, job, plain = PLAIN[name]
    drawn = Drawn(Random(1))
    expected = plain(drawn)
    assert expected
    same(rows(job(spark, drawn), table), expected)


@pytest.mark.parametrize("name", PLAIN)
@settings(max_examples=5, deadline=None, phases=(Phase.explicit, Phase.generate, Phase.shrink))
@given(
    random=st.randoms(use_true_random=False),
    runs=st.integers(0, 4),
    scenarios=st.sampled_from((0, 1, 2, 10, 12)),
)
def test_a_job_gives_what_its_plain_definition_gives_for_any_few_rows(
    spark: Any, name: str, random: Random, runs: int, scenarios: int
) -> None:
    table, job, plain = PLAIN[name]
    drawn = Drawn(random, runs, scenarios)
    same(rows(job(spark, drawn), table), plain(drawn))


def test_a_clause_is_followed_from_version_to_version_by_number(spark: Any) -> None:
    def verdict(kafka: str, outcome: str, known: str | None = None) -> Row:
        return {
            "run": f"r{kafka}",
            "system": "embedded",
            "release": kafka.rpartition(".")[0],
            "kafka": kafka,
            "subject": "fetch",
            "scenario": "s",
            "clause": "FET-001",
            "strength": "must",
            "outcome": outcome,
            "sides": [],
            "known": known,
        }

    verdicts = [
        verdict("4.10.0", "deviates"),
        verdict("4.10.0", "conforms"),
        verdict("4.9.1", "conforms"),
        verdict("4.1.2", "violates"),
        verdict("4.1.10", "violates", "KAFKA-1"),
        verdict("4.11.0", "inconclusive"),
        verdict("5.0.0", "unexercised"),
    ]
    found = rows(
        beside_earlier_release(jobs.matrix(frame(spark, schema.VERDICTS, verdicts))),
        job_tables.ALONG_RELEASES,
    )
    of = {row["kafka"]: (row["state"], row["earlier"], row["change"]) for row in found}
    assert of == {
        "4.1.2": ("violates", None, "first"),
        "4.1.10": ("known", "4.1.2", "better"),
        "4.9.1": ("conforms", "4.1.10", "better"),
        "4.10.0": ("deviates", "4.9.1", "worse"),
        "4.11.0": ("undecided", "4.10.0", "undecided"),
    }


def test_what_never_broke_leaves_a_rate_that_falls_with_its_tries() -> None:
    """Wilson's interval by hand: z^2 / (n + z^2) where nothing broke."""
    for exercised, expected in ((20, 0.161), (1_000, 0.00383), (10_000, 0.000384)):
        low, high = rate_interval(0, exercised)
        assert isclose(low, 0.0, abs_tol=1e-12)
        assert isclose(high, expected, rel_tol=0.01)
    assert [round(one, 3) for one in rate_interval(10, 20)] == [0.299, 0.701]
