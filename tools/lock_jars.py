"""Write the jar locks: `python -m tools.lock_jars 4.3.1 4.4.0 s3a`.

Two locks for each version: `kafka-` for a broker, and `tools-` for what Kafka's console tools need
besides. A broker's lock lists the jars that it needs, with SHA-256 and size. The dependency tree is
resolved by jgo; what a broker never loads (tools, plug-ins, readers of formats that Kafka's server
doesn't use) is left out, and a small log binding is added, because without one a broker that
refuses its configuration exits silently.

`s3a` is the lock of the jars by which the tests let Spark read an object store. Hadoop names all of
Amazon's SDK in one jar of 700 MB. Its filesystem needs some 12 MB of that: the clients of S3 and of
its transfers, and what these need that Spark does not bring.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import jgo
import jgo.maven

from conformance.systems.resolving import broker_artifacts
from results.spark.session import spark_home
from tests.object_store import LOCK as S3A_LOCK

if TYPE_CHECKING:
    from collections.abc import Sequence

LOCKS = Path(__file__).resolve().parent.parent / "conformance" / "systems" / "locks"


def broker_jars(version: str) -> list[jgo.maven.Artifact]:
    """The artifacts that a broker of this version needs."""
    return [jgo.resolve(":".join(coordinates))[0] for coordinates in broker_artifacts(version)]


TOOLS = re.compile(r"kafka-tools|jackson-(dataformat-csv|datatype-jdk8)")
"""What the console tools load that a broker doesn't."""


def tools_jars(version: str) -> list[jgo.maven.Artifact]:
    """The artifacts that the console tools of this version need besides the broker's."""
    return [
        found
        for found in jgo.resolve(f"org.apache.kafka:kafka-tools:{version}")
        if TOOLS.fullmatch(found.artifactId)
    ]


BROUGHT = re.compile(r"(netty-(?!nio-client)|http(client|core)$|commons-|slf4j-).*")
"""What Spark brings itself, in versions of its own."""
SDK = "software.amazon.awssdk"


def s3a_jars() -> list[jgo.maven.Artifact]:
    """The artifacts that Hadoop's filesystem for S3 needs beside Spark's own."""
    (api,) = (spark_home() / "jars").glob("hadoop-client-api-*.jar")
    hadoop = api.stem.removeprefix("hadoop-client-api-")
    found = jgo.resolve(f"org.apache.hadoop:hadoop-aws:{hadoop}")
    version = next(one.version for one in found if one.artifactId == "bundle")
    alone = [one for one in found if one.artifactId in {"hadoop-aws", "analyticsaccelerator-s3"}]
    transfers = jgo.maven.MavenContext().project(SDK, "s3-transfer-manager").at_version(version)
    clients = jgo.resolve(f"{SDK}:s3:{version}")
    return [
        *alone,
        transfers.artifact(),
        *(one for one in clients if not BROUGHT.match(one.artifactId)),
    ]


def entry(artifact: jgo.maven.Artifact) -> dict[str, str | int]:
    """One entry of a lock: the jar's path in a Maven repository, its SHA-256 and its size in
    bytes.
    """
    group, name, version = artifact.groupId, artifact.artifactId, artifact.version
    content = artifact.resolve().read_bytes()
    return {
        "path": f"{group.replace('.', '/')}/{name}/{version}/{name}-{version}.jar",
        "sha256": hashlib.sha256(content).hexdigest(),
        "size": len(content),
    }


def write_lock(target: Path, artifacts: Sequence[jgo.maven.Artifact]) -> None:
    """Write a lock of these jars, and say how large they are."""
    entries = sorted((entry(artifact) for artifact in artifacts), key=lambda jar: str(jar["path"]))
    lines = ",\n".join(f"  {json.dumps(jar)}" for jar in entries)
    target.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    size = sum(int(jar["size"]) for jar in entries)
    print(f"{target.name}: {len(entries)} jars, {size:,} bytes")


def main(names: list[str]) -> int:
    """Write the locks of each version, and of `s3a`."""
    if not names:
        usage = "usage: python -m tools.lock_jars VERSION|s3a...   (for example 4.3.1)"
        print(usage, file=sys.stderr)
        return 2
    LOCKS.mkdir(exist_ok=True)
    for name in names:
        if name == "s3a":
            write_lock(S3A_LOCK, s3a_jars())
            continue
        write_lock(LOCKS / f"kafka-{name}.json", broker_jars(name))
        write_lock(LOCKS / f"tools-{name}.json", tools_jars(name))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
