"""The summary as Markdown for a GitHub step summary: the verdict first, never above the size at
which GitHub drops it whole.
"""

import os
from pathlib import Path

from results.clusters import Cluster
from results.files import ReportError
from results.headline import headline
from results.markdown import code_block, escape
from results.picture_text import sketch
from results.reproduce import reproduction
from results.summary import Summary
from results.text import count_of

LIMIT_BYTES = 1000 * 1024
"""GitHub drops a step summary above 1,024 KiB whole."""

SETTING = "GITHUB_STEP_SUMMARY"
_SIGNS = {"VIOLATES": "❌", "LACKS": "❌", "CONFORMS": "✅"}


def append_step_summary(summary: Summary) -> Path | None:
    """Append the run to the file that GitHub Actions names in `GITHUB_STEP_SUMMARY`; does nothing
    where that is not set.

    Raises:
        ReportError: the file can't be written.
    """
    name = os.environ.get(SETTING)
    if not name:
        return None
    try:
        with Path(name).open("ab") as file:
            file.write(step_summary(summary).encode(errors="backslashreplace"))
    except OSError as error:
        raise ReportError(
            f"expected to append to the file {name} that {SETTING} names, found: "
            f"{error.strerror or error}; unset it or mend it"
        ) from error
    return Path(name)


def step_summary(summary: Summary, limit: int = LIMIT_BYTES) -> str:
    """The run as Markdown of at most `limit` bytes (at least 2,000); what does not fit is counted,
    not cut in half.
    """
    word, sentence = headline(summary)
    parts = [
        f"## {_SIGNS.get(word, '⚠️')} Fencepost: {word}\n\n{escape(sentence)}\n",
        _facts(summary),
        _table(summary),
    ]
    parts += [f"### lacks {one.claimed}\n\n{escape(one.reason)}\n" for one in summary.missing_apis]
    parts += [_difference(cluster) for cluster in summary.clusters]
    parts += [f"- note: {escape(note)}\n" for note in summary.notes]
    text, used, left_out = "", 0, 0
    for part in parts:
        size = len(part.encode(errors="backslashreplace")) + 1
        if used + size > limit - 200:
            left_out += 1
            continue
        text += part + "\n"
        used += size
    if left_out:
        text += (
            f"\n{count_of(left_out, 'part')} left out here for size; `summary.json` and the report "
            "have them all.\n"
        )
    return text


def _facts(summary: Summary) -> str:
    lines = [
        f"{count_of(summary.scenarios, 'scenario')} over {count_of(summary.layouts, 'layout')}."
    ]
    if summary.score is not None:
        lines.append(f"{escape(summary.score.sentence)}.")
        lines += [
            f"- not exercised: {escape(', '.join(one.clauses))}, because: {escape(one.reason)}"
            for one in summary.score.not_exercised
        ]
    if summary.truncated:
        lines.append("**The run was cut short**: the event log has no footer.")
    if summary.broken_lines:
        lines.append(
            f"**{count_of(len(summary.broken_lines), 'line')} of the event log can't be read** and "
            "were not counted."
        )
    if summary.header:
        header = summary.header
        lines.append(f"System: {escape(header.system)}, judged as Kafka {escape(header.release)}.")
        lines.append(f"Again:\n\n{code_block(reproduction(header))}")
    return "\n".join(lines) + "\n"


def _table(summary: Summary) -> str:
    head = (
        "clause",
        "strength",
        "exercised",
        "conforms",
        "deviates",
        "violates",
        "known",
        "inconclusive",
    )
    rows = ["| " + " | ".join(head) + " |", "| --- | --- |" + " ---: |" * (len(head) - 2)]
    for count in summary.clauses:
        strength = count.strength.value if count.strength else "?"
        numbers = (
            count.exercised,
            count.conforms,
            count.deviates,
            count.violates,
            count.known,
            count.inconclusive,
        )
        rows.append(
            f"| {escape(count.clause)} | {escape(strength)} | "
            + " | ".join(map(str, numbers))
            + " |"
        )
    return "<details><summary>Clauses</summary>\n\n" + "\n".join(rows) + "\n\n</details>\n"


def _difference(cluster: Cluster) -> str:
    known = f" (known: {escape(cluster.known)})" if cluster.known is not None else ""
    title = (
        f"### {cluster.outcome.value}: {escape(cluster.clause)} {escape(cluster.signature)}{known}"
    )
    text = f"{title}\n\n{count_of(cluster.count, 'scenario')}. {escape(cluster.why)}\n"
    if cluster.example and cluster.known is None:
        drawn = code_block(sketch(cluster.example, cluster.observation))
        text += f"\nScenario `{cluster.example_id}`:\n\n{drawn}\n"
    return text
