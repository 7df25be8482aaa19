"""The scenario file that a run folder keeps for each kind of break."""

import re

from results.clusters import Cluster

FOLDER = "scenarios"


def case_name(cluster: Cluster) -> str:
    """The name of a kind's scenario file, without its ending."""
    return re.sub(r"[^A-Za-z0-9]+", "-", f"{cluster.clause}-{cluster.signature}").strip("-")


def case_file(cluster: Cluster) -> str:
    """Where it is in a run folder."""
    return f"{FOLDER}/{case_name(cluster)}.json"
