"""The scenario file that a run folder keeps for each kind of break."""

import re

from results.clusters import Cluster

FOLDER = "scenarios"


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
