"""The rows of a report on one run, from its summary: the same that the Spark jobs compute for
many.
"""

from typing import Any

from results.clauses import Clauses
from results.clusters import Cluster, cluster_order
from results.costs import costs_of
from results.summary import Summary
from spec.canonical import to_json
from spec.events import RunStarted
from spec.judgement import EVERY_CLAUSE

Rows = dict[str, tuple[dict[str, Any], ...]]
"""Rows by the name of the job or the table that they stand for."""


def rows_of(summary: Summary, header: RunStarted, clauses: Clauses) -> Rows:
    """The rows of one run.

    Args:
        summary: the run.
        header: its header.
        clauses: those of all subjects, for their strengths.
    """
    implementation = {
        "system": header.system,
        "release": header.release,
        "kafka": header.facts.get("client.tested", header.facts.get("kafka", header.release)),
    }
    strengths = {clause: info.strength.value for clause, info in clauses.items()}

    def named(clause: str) -> dict[str, Any]:
        return {"clause": clause, "strength": strengths.get(clause)}

    spoke = [
        count
        for count in summary.clauses
        if count.exercised or count.inconclusive or count.unsupported
    ]
    every = sorted((*summary.clusters, *summary.doubts), key=cluster_order)
    return {
        "matrix": tuple(
            sorted(
                [{**named(one.clause), **implementation, **one.figures} for one in spoke],
                key=lambda row: row["clause"],
            )
        ),
        "clusters": tuple(
            [named(one.clause) | _cluster(one, header.run, implementation) for one in every]
        ),
        "regressions": (),
        "relations": tuple(
            [
                {"relation": name, "count": count}
                for name, count in sorted(summary.relations.items())
            ]
        ),
        "pairs": tuple(
            [
                {"one": one, "other": other, "count": count}
                for (one, other), count in sorted(summary.pairs.items())
            ]
        ),
        "runs": (_run(summary, header) | implementation,),
        "costs": costs_of(summary.costs),
        "readings": tuple(
            [
                {
                    "clause": one.clause,
                    "reading": one.reading,
                    "why": one.why,
                    "scenario_json": to_json(one.scenario),
                    "observation_json": to_json(one.observation)
                    if one.observation is not None
                    else None,
                    **implementation,
                }
                for one in summary.readings
            ]
        ),
        "flaky": tuple(
            [
                {
                    "clause": one.clause,
                    "signature": one.signature,
                    "outcome": one.verdict.outcome.value,
                    "why": one.verdict.why,
                    "reproduced": one.reproduced,
                    "replays": one.replays,
                    **implementation,
                }
                for one in summary.flaky
            ]
        ),
        "broken_lines": tuple(
            [
                {"run": header.run, "line": one.number, "reason": one.reason, "text": one.text}
                for one in summary.broken_lines
            ]
        ),
    }


def _cluster(cluster: Cluster, run: str, implementation: dict[str, str]) -> dict[str, Any]:
    return {
        "signature": cluster.signature,
        "outcome": cluster.outcome.value,
        "known": cluster.known,
        "count": cluster.count,
        "primary": cluster.primary,
        "implementations": [f"{implementation['system']} {implementation['kafka']}"],
        "example_json": to_json(cluster.example) if cluster.example is not None else None,
        "observation_json": to_json(cluster.observation)
        if cluster.observation is not None
        else None,
        "example_why": cluster.why,
        "shrunk": cluster.shrunk,
        "run": run,
    }


def scores_of(summary: Summary) -> tuple[dict[str, Any], ...]:
    """How much of its requirement set the run exercised: one row, none where its log does not say
    what counts.
    """
    if summary.score is None:
        return ()
    groups = [
        {"clauses": list(one.clauses), "reason": one.reason} for one in summary.score.not_exercised
    ]
    return ({"sentence": summary.score.sentence, "not_exercised": groups},)


def causes_of(summary: Summary) -> dict[tuple[str, str], str]:
    """The break that explains another in each of its scenarios, by that one's clause and
    signature.
    """
    return {
        (one.clause, one.signature): " ".join(one.cause)
        for one in summary.clusters
        if one.cause is not None
    }


def not_given_of(summary: Summary) -> tuple[dict[str, Any], ...]:
    """Why verdicts could not be given, a row for each reason."""
    return tuple(
        [
            {
                "outcome": one.outcome.value,
                "why": one.why,
                "scenarios": one.scenarios,
                "clauses": [name for name in one.clauses if name != EVERY_CLAUSE],
            }
            for one in summary.reasons
        ]
    )


def _run(summary: Summary, header: RunStarted) -> dict[str, Any]:
    footer = summary.footer
    return {
        "run": header.run,
        "judged": summary.scenarios,
        "placed": summary.layouts,
        "broken": len(summary.broken_lines),
        "truncated": summary.truncated,
        "reason": footer.reason if footer else None,
        "exit_code": footer.exit_code if footer else None,
        "seconds": footer.seconds if footer else None,
        "notes": list(summary.notes),
    }
