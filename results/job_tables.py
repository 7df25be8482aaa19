"""What the jobs over many runs return, column by column; types in Spark's DDL."""

from results.schema import Column, Table

_IMPLEMENTATION = (
    Column("system", "STRING", "the system's name"),
    Column("release", "STRING", "the Kafka release it is judged as"),
    Column("kafka", "STRING", "its exact version, where it gives one; otherwise the release"),
)
_CLAUSE = (
    Column("clause", "STRING", "the clause's id"),
    Column("strength", "STRING", "must, reference, best_effort; null outside the catalogue"),
)
_KIND = (
    Column("clause", "STRING", "the clause's id"),
    Column("signature", "STRING", "what makes two breaks the same"),
    Column("outcome", "STRING", "violates, deviates or inconclusive"),
)

CONFIDENCE = Table(
    "confidence",
    "Clause by implementation: how often it broke, and which rates that leaves plausible.",
    (
        *_CLAUSE,
        *_IMPLEMENTATION,
        Column("exercised", "BIGINT", "scenarios in which the clause held or broke"),
        Column("broke", "BIGINT", "scenarios in which it broke, known differences included"),
        Column("rate", "DOUBLE", "broke / exercised"),
        Column("rate_low", "DOUBLE", "lower end of the rate's interval (Wilson, 95 %)"),
        Column("rate_high", "DOUBLE", "upper end; 0.16 for 0 of 20, 0.0004 for 0 of 10,000"),
    ),
)

CAUSES = Table(
    "causes",
    "Which break explains which other: one row for each kind of break and each cause.",
    (
        *_KIND,
        Column("cause_clause", "STRING", "the clause whose break is primary"),
        Column("cause_signature", "STRING", "its signature"),
        Column("count", "BIGINT", "scenarios in which both came"),
    ),
)

FLAKY_RATES = Table(
    "flaky_rates",
    "Breaks that were not reproduced, by implementation and kind.",
    (
        *_IMPLEMENTATION,
        *_KIND,
        Column("plays", "BIGINT", "plays in which it came and was not reproduced"),
        Column("reproduced", "BIGINT", "replays of these scenarios that showed it"),
        Column("replays", "BIGINT", "all replays of these scenarios"),
        Column("rate", "DOUBLE", "reproduced / replays; null without a replay"),
        Column("exercised", "BIGINT", "scenarios in which the clause held or broke there"),
        Column("share", "DOUBLE", "plays / exercised; null where nothing was exercised"),
    ),
)

INTERACTIONS = Table(
    "interactions",
    "Pairwise coverage: each two levels of different factors; a count of 0 is a hole.",
    (
        Column("subject", "STRING", "what was tested"),
        Column("one", "STRING", "`factor=level`, of the factor that is sorted first"),
        Column("other", "STRING", "`factor=level`, of the other"),
        Column("count", "BIGINT", "scenarios that had both"),
    ),
)

LIFT = Table(
    "lift",
    "Which levels of which factors come with a kind of break, among the scenarios that exercised "
    "its clause.",
    (
        Column("subject", "STRING", "what was tested"),
        Column("clause", "STRING", "the clause's id"),
        Column("signature", "STRING", "what makes two breaks the same"),
        Column("level", "STRING", "`factor=level`"),
        Column("together", "BIGINT", "scenarios that have the level and break so"),
        Column("with_level", "BIGINT", "scenarios that have the level"),
        Column("broke", "BIGINT", "scenarios that break so"),
        Column("exercised", "BIGINT", "scenarios in which the clause held or broke"),
        Column("support", "DOUBLE", "together / exercised"),
        Column("confidence", "DOUBLE", "together / with_level"),
        Column("lift", "DOUBLE", "confidence / (broke / exercised); 1 where nothing goes with it"),
    ),
)

TIMINGS = Table(
    "timings",
    "How long plays took, by implementation, subject and generator; percentiles by nearest rank.",
    (
        *_IMPLEMENTATION,
        Column("subject", "STRING", "what was tested"),
        Column("family", "STRING", "which generator made the scenarios"),
        Column("plays", "BIGINT", "judged scenarios"),
        *(
            Column(f"{name}_{part}", "DOUBLE", f"milliseconds {words}, {meaning}")
            for name, words in (("elapsed_ms", "of a play"), ("waited_ms", "of it spent waiting"))
            for part, meaning in (
                ("p50", "the median"),
                ("p90", "the 90th percentile"),
                ("p99", "the 99th percentile"),
                ("max", "the longest"),
            )
        ),
    ),
)

ALONG_RELEASES = Table(
    "along_releases",
    "Each clause from one release of a system to the next.",
    (
        *_CLAUSE,
        *_IMPLEMENTATION,
        Column("state", "STRING", "violates, deviates, known, conforms or undecided"),
        Column("earlier", "STRING", "the version before that spoke of the clause; null for none"),
        Column("earlier_state", "STRING", "its state there; null for none"),
        Column("change", "STRING", "first, same, worse, better or undecided"),
    ),
)

READINGS_LEFT = Table(
    "readings_left",
    "Each reading of an unclear text that was ruled out anywhere, on every implementation that its "
    "subject was tested on.",
    (
        Column("subject", "STRING", "what was tested"),
        Column("clause", "STRING", "the clause's id"),
        Column("reading", "STRING", "the reading's name"),
        *_IMPLEMENTATION,
        Column("runs", "BIGINT", "runs of the subject there"),
        Column("ruled_out", "BIGINT", "how many of them ruled it out; 0: it is left"),
        Column("why", "STRING", "what does not fit, of the first in order; null where it is left"),
    ),
)

JOBS = (
    CONFIDENCE,
    CAUSES,
    FLAKY_RATES,
    INTERACTIONS,
    LIFT,
    TIMINGS,
    ALONG_RELEASES,
    READINGS_LEFT,
)
"""All of them."""
