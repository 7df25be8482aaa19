"""The changes from one release to another as a page in Markdown."""

from collections.abc import Sequence

from results.changes import Change, Changes
from results.clauses import ClauseInfo
from results.markdown import code_block, escape
from results.picture_text import sketch
from results.text import count_of


def changes_page(older: str, newer: str, subjects: Sequence[Changes], again: str) -> str:
    """What changed from one release to another: by subject the differences, each with its smallest
    case, then the clauses that came or went.

    Args:
        older: the release that the newer one was judged as, `4.1.2`.
        newer: the broker that was asked.
        subjects: what was found.
        again: the command that makes the page again.
    """
    parts = [
        f"# From Kafka {older} to {newer}\n",
        f"Kafka {newer} was asked and judged as Kafka {older}. Each entry is what came otherwise, "
        "with the smallest scenario that shows it. Made by:\n\n" + code_block(again),
    ]
    for changes in subjects:
        parts.append(f"\n## {changes.subject}\n")
        found = count_of(len(changes.found), "change")
        parts.append(f"{found} in {count_of(changes.scenarios, 'scenario')}.\n")
        parts += [_entry(change, older, newer) for change in changes.found]
        parts += [
            f"- could not be laid as before, {escape(reason)}\n" for reason in changes.not_laid
        ]
        parts += _clauses(f"Only Kafka {older} has these clauses", changes.removed)
        parts += _clauses(f"Kafka {newer} has these clauses too", changes.added)
    return "\n".join(parts) + "\n"


def _entry(change: Change, older: str, newer: str) -> str:
    cluster = change.cluster
    seen = count_of(cluster.count, "scenario")
    lines = [
        f"### {change.clause.id}: {escape(cluster.signature)}\n",
        f"Kafka {older}: {escape(change.clause.statement, 2000)}\n",
        f"Kafka {newer}, in {seen}: {escape(cluster.why)}\n",
    ]
    if change.explained:
        names = ", ".join(f"{one.clause} ({one.signature})" for one in change.explained)
        lines.append(f"In the same scenarios: {escape(names)}\n")
    if cluster.example is not None:
        size = "The smallest case" if cluster.shrunk else "An example, not made smaller"
        lines += [f"{size}:\n", code_block(sketch(cluster.example, cluster.observation)) + "\n"]
    return "\n".join(lines)


def _clauses(title: str, clauses: Sequence[ClauseInfo]) -> list[str]:
    if not clauses:
        return []
    rows = [f"- {one.id}: {escape(one.statement, 2000)}" for one in clauses]
    return [f"{title}:\n", *rows, ""]
