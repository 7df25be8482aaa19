"""What runs on one implementation say, as a page in Markdown with a scenario file for each break,
and as a file of findings.
"""

import json
from collections.abc import Iterable, Mapping, Sequence

from results.cases import case_name
from results.clauses import Clauses
from results.clusters import Cluster, by_cause
from results.markdown import code_block, escape
from results.picture_text import sketch
from results.summary import ClauseCount, Summary
from results.text import count_of, plain
from spec.canonical import write_scenario
from spec.verdict import Outcome

_OFTEN = 4
"""A break is rare where it shows in less than one of so many exercises of its clause."""
_SHOWN_FACTS = ("release", "fetch.versions", "supported.metadata.version")


def scenario_files(summaries: Iterable[Summary]) -> Mapping[str, str]:
    """The example of each kind of break as a scenario file, by its name."""
    return {
        f"{case_name(cluster)}.json": write_scenario(cluster.example)
        for summary in summaries
        for cluster in summary.clusters
        if cluster.example is not None
    }


def implementation_page(
    name: str,
    summaries: Sequence[Summary],
    refused: Mapping[str, str],
    clauses: Clauses,
    again: str,
) -> str:
    """The page of an implementation: what was asked, what could not be, and each kind of break.

    Args:
        name: the system's, which is also the name of the folder of scenario files beside the page.
        summaries: of a run for each subject.
        refused: why a subject could not be run at all, by its name.
        clauses: the catalogue.
        again: the command that makes the page again.
    """
    facts = next((one.header.facts for one in summaries if one.header is not None), {})
    version = facts.get("implementation.version", "")
    judged = ", ".join(f"{key} {facts[key]}" for key in _SHOWN_FACTS if key in facts)
    parts = [
        f"# {name}\n",
        (
            f"{escape(f'{name} {version}'.strip())}, as it describes itself: {escape(judged)}. A "
            "violation is a broken promise of a KIP or of Kafka's documentation; a deviation is "
            "legal, and differs from what Apache Kafka does. Made by:\n"
        ),
        code_block(again) + "\n",
        "## What was asked\n",
        *_table(summaries, refused),
        *_gaps(summaries),
    ]
    for title, outcome in (("violates", Outcome.VIOLATES), ("deviates in", Outcome.DEVIATES)):
        heads = [
            (head, explained)
            for summary in summaries
            for head, explained in by_cause(summary.clusters)
            if head.outcome is outcome
        ]
        parts.append(f"## What it {title}\n")
        parts += [_entry(name, head, explained, clauses) for head, explained in heads]
        if not heads:
            parts.append("Nothing was found.\n")
    return "\n".join(parts)


def _table(summaries: Sequence[Summary], refused: Mapping[str, str]) -> list[str]:
    rows = ["| subject | scenarios | clauses held | violated | deviated | not judged |"]
    rows.append("| --- | --- | --- | --- | --- | --- |")
    for summary in summaries:
        subject = summary.header.subject if summary.header is not None else ""
        kinds = {
            outcome: {one.clause for one in summary.clusters if one.outcome is outcome}
            for outcome in (Outcome.VIOLATES, Outcome.DEVIATES)
        }
        broken = set().union(*kinds.values())
        held = [one for one in summary.clauses if one.exercised and one.clause not in broken]
        unmet = [one for one in summary.clauses if not one.exercised]
        figures = (summary.scenarios, len(held), *map(len, kinds.values()), len(unmet))
        rows.append(f"| {subject} | {' | '.join(map(str, figures))} |")
    rows += [f"| {subject} | not run: {escape(why)} | | | | |" for subject, why in refused.items()]
    return [*rows, ""]


def _gaps(summaries: Sequence[Summary]) -> list[str]:
    """What the implementation lacks, so that something could not be asked or judged."""
    lines = [
        f"- {one.header.subject}: {escape(reason.why)} ({count_of(reason.scenarios, 'scenario')})"
        for one in summaries
        if one.header is not None
        for reason in one.reasons
        if reason.outcome is Outcome.UNSUPPORTED
    ]
    lines += [
        f"- {one.header.subject}: {escape(kind.sentence)}"
        for one in summaries
        if one.header is not None
        for kind in one.not_laid
    ]
    lines += [
        f"- {one.header.subject}: the run ended early ({one.footer.reason})"
        for one in summaries
        if one.header is not None and one.footer is not None and one.footer.reason != "done"
    ]
    return ["## What it lacks\n", *lines, ""] if lines else []


def _entry(name: str, head: Cluster, explained: Sequence[Cluster], clauses: Clauses) -> str:
    lines = [
        f"### {head.clause}: {escape(head.signature)}\n",
        *([escape(clauses[head.clause].statement, 2000) + "\n"] if head.clause in clauses else []),
        f"In {count_of(head.count, 'scenario')}: {escape(head.why)}\n",
    ]
    if explained:
        others = ", ".join(
            f"{one.clause} {one.outcome} ({escape(one.signature)})" for one in explained
        )
        lines.append(f"In the same scenarios, explained by it: {others}\n")
    if head.example is not None:
        size = "The smallest case" if head.shrunk else "An example, not made smaller"
        path = f"docs/implementations/{name}/{case_name(head)}.json"
        lines += [
            f"{size}, played again by `fencepost replay {path} {name}`:\n",
            code_block(sketch(head.example, head.observation)) + "\n",
        ]
    return "\n".join(lines)


def findings_of(name: str, summaries: Sequence[Summary]) -> str:
    """Each kind of break as a finding of the implementation, in TOML."""
    facts = next((one.header.facts for one in summaries if one.header is not None), {})
    version = facts.get("implementation.version", "")
    parts = [f"# Breaks that {name} {version} is known for; made by `fencepost implementation`.\n"]
    for summary in summaries:
        counts = {one.clause: one for one in summary.clauses}
        for cluster in sorted(summary.clusters, key=lambda one: (one.clause, one.signature)):
            evidence = f"{name} {version}: {count_of(cluster.count, 'scenario')}"
            if cluster.example is not None:
                evidence += f", docs/implementations/{name}/{case_name(cluster)}.json"
            parts.append(
                "[[finding]]\n"
                f"clause = {_text(cluster.clause)}\n"
                f"signature = {_text(cluster.signature)}\n"
                f"system = {_text(name)}\n"
                f"reason = {_text(cluster.why)}\n"
                f"evidence = {_text(evidence)}\n"
                + ("rare = true\n" if _is_rare(cluster, counts.get(cluster.clause)) else "")
            )
    return "\n".join(parts)


def _is_rare(cluster: Cluster, count: ClauseCount | None) -> bool:
    """Whether a run without it says nothing of whether it is still there."""
    return count is None or cluster.count * _OFTEN < count.exercised


def _text(text: str) -> str:
    """A basic string of TOML, whose escapes are those of JSON."""
    return json.dumps(plain(text, 1900), ensure_ascii=True)
