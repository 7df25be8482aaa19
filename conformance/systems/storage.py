"""A broker's empty data folder: formatted once for each version by Kafka's own tool, then copied.

What the tool writes besides `meta.properties` (which features the cluster begins with) is the same
for each new cluster of a version; `meta.properties` is written here, with a fresh cluster id, so
that no two brokers can be taken for each other.
"""

from __future__ import annotations

import base64
import shutil
import tempfile
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from conformance.cache import cache_dir
from conformance.cluster import NODE_ID
from conformance.systems import broker_log
from conformance.systems.base import StartFailed
from conformance.systems.broker_config import render, server_properties

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_IDENTITY = "meta.properties"
_FORMAT_S = 120.0
_LINES = 2_000
_SHOWN_LINES = 20
_UNUSED_PORTS = (1, 2)


def new_id() -> str:
    """A fresh id in Kafka's form: 16 bytes in URL-safe base64 without padding, not beginning with a
    dash.
    """
    while True:
        text = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        if not text.startswith("-"):
            return text


def cluster_id(data_dir: Path) -> str | None:
    """The id of the cluster that a data folder belongs to; None if it isn't formatted."""
    try:
        lines = (data_dir / _IDENTITY).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return None
    return dict(line.split("=", 1) for line in lines if "=" in line).get("cluster.id")


def initialize(
    data_dir: Path, formatted: Path, node: int = NODE_ID, cluster: str | None = None
) -> str:
    """Makes `data_dir` (which may hold files already) the folder of a node of a cluster, by default
    of a new one; the cluster's id.

    `formatted_folder` is what `formatted()` gave.
    """
    shutil.copytree(formatted, data_dir, dirs_exist_ok=True)
    fresh = cluster or new_id()
    settings = {
        "version": "1",
        "cluster.id": fresh,
        "node.id": str(node),
        "directory.id": new_id(),
    }
    (data_dir / _IDENTITY).write_text(render(settings), encoding="utf-8")
    return fresh


def formatted_folder(
    version: str,
    features: Mapping[str, int],
    log: Path,
    run_java: Callable[[list[str], float], bool],
) -> Path:
    """The cached folder to copy, without an identity; made by Kafka's storage tool if it isn't
    there (1 s).

    `features` are feature levels (`share.version`) that differ from the version's own. `run_java`
    runs Java's main class and arguments with a time limit in seconds, writes to `log`, and says
    whether it succeeded.

    Raises:
        StartFailed: the tool refused; with its reason.
    """
    levels = "".join(f"-{feature}-{level}" for feature, level in sorted(features.items()))
    made = cache_dir() / "formatted" / f"kafka-{version}{levels}"
    made.parent.mkdir(parents=True, exist_ok=True)
    with (
        FileLock(f"{made}.lock"),
        tempfile.TemporaryDirectory(dir=made.parent, prefix=".") as scratch,
    ):
        if made.is_dir():
            return made
        fresh = Path(scratch) / "data"
        config = Path(scratch) / "format.properties"
        config.write_text(render(server_properties(fresh, _UNUSED_PORTS, {})), encoding="ascii")
        chosen = [f"--feature={feature}={level}" for feature, level in sorted(features.items())]
        tool = [
            "kafka.tools.StorageTool",
            "format",
            f"--cluster-id={new_id()}",
            f"--config={config}",
            *chosen,
        ]
        if not run_java(tool, _FORMAT_S) or not (fresh / _IDENTITY).is_file():
            lines = broker_log.tail(log, _LINES)
            why = broker_log.reason(lines) or "it gave no reason"
            raise StartFailed(
                f"the storage tool of Kafka {version}", why, log=log, tail=lines[-_SHOWN_LINES:]
            )
        (fresh / _IDENTITY).unlink()
        fresh.rename(made)
    return made
