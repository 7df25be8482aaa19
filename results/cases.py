"""The scenario files that a run folder keeps: for each kind of break, and for each reading that was
ruled out.
"""

import re

from results.clusters import Cluster
from spec.events import ReadingRuledOut

FOLDER = "scenarios"
READINGS = "readings"


def case_name(cluster: Cluster) -> str:
    """The name of a kind's scenario file, without its ending."""
    return _name(cluster.clause, cluster.signature)


def case_file(cluster: Cluster) -> str:
    """Where it is in a run folder."""
    return case_file_of(cluster.clause, cluster.signature)


def case_file_of(clause: str, signature: str) -> str:
    """Where the scenario file of a clause and a signature is in a run folder."""
    return f"{FOLDER}/{_name(clause, signature)}.json"


def _name(clause: str, signature: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", f"{clause}-{signature}").strip("-")


def reading_file(ruled_out: ReadingRuledOut) -> str:
    """Where the scenario that ruled a reading out is in a run folder."""
    return f"{READINGS}/{ruled_out.clause}-not-{ruled_out.reading.replace('_', '-')}.json"
