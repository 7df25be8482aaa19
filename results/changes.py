"""What changed from one release to another: where a newer broker answers otherwise than an older
one would.

The newer broker is judged as the older release. What it breaks then is a change, and the smallest
scenario that breaks it shows it.
"""

from collections.abc import Iterable

from results.clauses import ClauseInfo, Clauses
from results.clusters import Cluster, by_cause
from results.summary import Summary
from spec.frozen import frozen


@frozen
class Change:
    """One kind of difference.

    Attributes:
        clause: what the older release does, or promises.
        cluster: how the newer one differs, with an example.
        explained: differences of other clauses in the same scenarios.
    """

    clause: ClauseInfo
    cluster: Cluster
    explained: tuple[Cluster, ...]


@frozen
class Changes:
    """One subject from one release to another.

    Attributes:
        subject: its name.
        scenarios: how many were judged.
        found: the differences, the heaviest first.
        added, removed: clauses that only the newer release has, or only the older one.
        not_laid: why layouts that the older release takes could not be laid.
    """

    subject: str
    scenarios: int
    found: tuple[Change, ...]
    added: tuple[ClauseInfo, ...]
    removed: tuple[ClauseInfo, ...]
    not_laid: tuple[str, ...] = ()


def changes_of(
    summary: Summary, clauses: Clauses, older: Iterable[str], newer: Iterable[str]
) -> Changes:
    """The changes that a run shows.

    Args:
        summary: a run of the newer broker, judged as the older release.
        clauses: the catalogue.
        older: the ids of the older release's clauses.
        newer: those of the newer one's.

    Raises:
        ValueError: the run has no header.
    """
    if summary.header is None:
        raise ValueError("expected a run with a header, found none")
    unlisted = [one for one in summary.clusters if one.known is None and one.clause in clauses]
    before, after = set(older), set(newer)
    return Changes(
        summary.header.subject,
        summary.scenarios,
        tuple(
            [
                Change(clauses[cluster.clause], cluster, tuple(explained))
                for cluster, explained in by_cause(unlisted)
            ]
        ),
        tuple([clauses[clause] for clause in sorted(after - before)]),
        tuple([clauses[clause] for clause in sorted(before - after)]),
        tuple([f"{kind.step}: {kind.why}" for kind in summary.not_laid]),
    )
