"""A run in one word and one sentence."""

from results.summary import Summary
from results.text import counted
from spec.verdict import Outcome


def headline(summary: Summary) -> tuple[str, str]:
    """The most severe thing that holds of a run, as a word and a sentence.

    Returns:
        The word is one of `VIOLATES`, `INCONCLUSIVE`, `NOTHING EXERCISED`, `CUT SHORT`, `DEVIATES`, `CONFORMS`.
    """
    violated = _unlisted(summary, Outcome.VIOLATES)
    if violated:
        return "VIOLATES", f"{_listed(violated)} broken in {counted(summary.total('violates'), 'verdict')}"
    doubt = _doubt(summary)
    if doubt:
        return doubt
    deviating = _unlisted(summary, Outcome.DEVIATES)
    if deviating:
        times = counted(summary.total("deviates"), "verdict")
        return "DEVIATES", f"legal, yet other than Apache Kafka: {_listed(deviating)} in {times}"
    known = f"; {counted(summary.total('known'), 'verdict')} differ as findings list" if summary.total("known") else ""
    early = "; the run was interrupted" if summary.footer and summary.footer.reason == "interrupted" else ""
    return "CONFORMS", f"every exercised clause held{known}{early}"


def _doubt(summary: Summary) -> tuple[str, str] | None:
    if summary.footer and summary.footer.reason == "broken":
        return "INCONCLUSIVE", "the run ended early because the system under test could not be used"
    inconclusive = summary.total("inconclusive")
    if inconclusive:
        return "INCONCLUSIVE", f"{counted(inconclusive, 'verdict')} could not be given; nothing was seen to break a promise"
    if not summary.exercised:
        return "NOTHING EXERCISED", "no clause's condition arose, so nothing can be said"
    if summary.truncated or summary.broken_lines:
        return "CUT SHORT", "nothing was seen to break a promise, but the event log is not whole"
    return None


def _unlisted(summary: Summary, outcome: Outcome) -> list[str]:
    return sorted({cluster.clause for cluster in summary.clusters if cluster.outcome is outcome and cluster.known is None})


def _listed(names: list[str], most: int = 3) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
