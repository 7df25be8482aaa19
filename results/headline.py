"""A run, or several, in one word and one sentence."""

from results.summary import Summary
from results.text import count_of
from spec.frozen import frozen
from spec.verdict import Outcome


@frozen
class State:
    """The figures of a headline. Counts are of verdicts; violations and deviations are the
    unlisted ones.

    Attributes:
        violated, deviating: the clauses, sorted.
        broken: a run ended because the system could not be used.
        whole: each log has its footer and no broken line.
        interrupted: a run was interrupted.
        flaky: breaks that were not reproduced.
        not_laid: scenarios that were left out since their layouts could not be laid.
        too_undecided: scenarios were inconclusive, and not when played again, too often.
        missing_apis: APIs that a features file claims and that were not there, sorted.
    """

    violated: tuple[str, ...]
    deviating: tuple[str, ...]
    violates: int
    deviates: int
    known: int
    inconclusive: int
    exercised: int
    broken: bool
    whole: bool
    interrupted: bool
    flaky: int = 0
    not_laid: int = 0
    too_undecided: bool = False
    missing_apis: tuple[str, ...] = ()


def headline(summary: Summary) -> tuple[str, str]:
    """The most severe thing that holds of a run, see `headline_of`."""
    reason = summary.footer.reason if summary.footer else ""
    return headline_of(
        State(
            violated=_unlisted_ids(summary, Outcome.VIOLATES),
            deviating=_unlisted_ids(summary, Outcome.DEVIATES),
            violates=summary.total("violates"),
            deviates=summary.total("deviates"),
            known=summary.total("known"),
            inconclusive=summary.total("inconclusive"),
            exercised=summary.exercised,
            broken=reason == "broken",
            whole=not (summary.truncated or summary.broken_lines),
            interrupted=reason == "interrupted",
            flaky=len(summary.flaky),
            not_laid=sum(kind.scenarios for kind in summary.not_laid),
            too_undecided=summary.too_undecided,
            missing_apis=tuple(sorted({one.claimed for one in summary.missing_apis})),
        )
    )


def headline_of(state: State) -> tuple[str, str]:
    """The most severe thing that holds, as a word and a sentence.

    Returns:
        The word is one of `VIOLATES`, `LACKS`, `INCONCLUSIVE`, `NOTHING EXERCISED`, `CUT SHORT`,
        `DEVIATES`, `CONFORMS`.
    """
    flaky = f"; {count_of(state.flaky, 'flaky break')}" if state.flaky else ""
    lacking = f"claimed and lacking: {_name_list(state.missing_apis)}" if state.missing_apis else ""
    if state.violated:
        broken = f"{_name_list(state.violated)} broken in {count_of(state.violates, 'verdict')}"
        return "VIOLATES", f"{broken}{flaky}{'; ' + lacking if lacking else ''}"
    if state.missing_apis:
        return "LACKS", f"{lacking}{flaky}"
    doubt, deviates = _doubt(state), _deviations(state)
    if doubt:
        word, why = doubt
        return word, f"{why}; {deviates}" if deviates else why
    if deviates:
        return "DEVIATES", f"{deviates}{flaky}"
    differ = "differs" if state.known == 1 else "differ"
    known = f"; {count_of(state.known, 'verdict')} {differ} as findings list" if state.known else ""
    early = "; the run was interrupted" if state.interrupted else ""
    unlaid = f"; {count_of(state.not_laid, 'scenario')} not laid" if state.not_laid else ""
    return "CONFORMS", f"every exercised clause held{known}{flaky}{unlaid}{early}"


def _deviations(state: State) -> str:
    if not state.deviating:
        return ""
    times = count_of(state.deviates, "verdict")
    return f"legal, yet other than Apache Kafka: {_name_list(state.deviating)} in {times}"


def _doubt(state: State) -> tuple[str, str] | None:
    if state.broken:
        return "INCONCLUSIVE", "the run ended early because the system under test could not be used"
    if state.inconclusive:
        return (
            "INCONCLUSIVE",
            (
                f"{count_of(state.inconclusive, 'verdict')} could not be given; nothing was seen "
                "to break a promise"
            ),
        )
    if state.too_undecided:
        return (
            "INCONCLUSIVE",
            "too many scenarios were inconclusive when first played: is the network losing data?",
        )
    if not state.exercised:
        return "NOTHING EXERCISED", "no clause's condition arose, so nothing can be said"
    if not state.whole:
        return "CUT SHORT", "nothing was seen to break a promise, but the event log is not whole"
    return None


def _unlisted_ids(summary: Summary, outcome: Outcome) -> tuple[str, ...]:
    return tuple(
        sorted(
            {
                cluster.clause
                for cluster in summary.clusters
                if cluster.outcome is outcome and cluster.known is None
            }
        )
    )


def _name_list(names: tuple[str, ...], most: int = 3) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
