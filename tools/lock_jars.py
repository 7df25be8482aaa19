"""Write the jar locks: `python -m tools.lock_jars 4.3.1 4.4.0`.

Two locks for each version: `kafka-` for a broker, and `tools-` for what Kafka's console tools need
besides. A broker's lock lists the jars that it needs, with SHA-256 and size. The dependency tree is
resolved by jgo; what a broker never loads (tools, plug-ins, readers of formats that Kafka's server
doesn't use) is left out, and a small log binding is added, because without one a broker that
refuses its configuration exits silently.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from pathlib import Path

import jgo
import jgo.maven

from conformance.systems.resolving import broker_artifacts

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


def main(versions: list[str]) -> int:
    """Write the locks of each version."""
    if not versions:
        print("usage: python -m tools.lock_jars VERSION...   (for example 4.3.1)", file=sys.stderr)
        return 2
    LOCKS.mkdir(exist_ok=True)
    for version in versions:
        for name, artifacts in (("kafka", broker_jars(version)), ("tools", tools_jars(version))):
            entries = sorted(
                (entry(artifact) for artifact in artifacts), key=lambda jar: str(jar["path"])
            )
            lines = ",\n".join(f"  {json.dumps(jar)}" for jar in entries)
            target = LOCKS / f"{name}-{version}.json"
            target.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
            print(
                f"{target.name}: {len(entries)} jars, {sum(int(jar['size']) for jar in entries):,} "
                "bytes"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
