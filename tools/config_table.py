"""Write the table of configs and compiled constants: `python tools/config_table.py`.

Java runs `ConfigTable.java` on the jars of each locked release (they come from the cache, or are
downloaded); what it prints of all releases is merged into `spec/limits/config_table/`. Needs a
Java with a compiler, a JDK. Takes some 3 s for each release.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from conformance.systems.jars import available_versions, class_path
from conformance.systems.java import find_java

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "tools" / "ConfigTable.java"
TARGET = ROOT / "spec" / "limits" / "config_table"
_LOG = "org.apache.kafka.storage.internals.log"
CONSTANTS = (
    "org.apache.kafka.controller.ReplicationControlManager#MAX_PARTITIONS_PER_BATCH",
    "org.apache.kafka.controller.QuorumController#MAX_RECORDS_PER_USER_OP",
    "org.apache.kafka.common.internals.Topic#MAX_NAME_LENGTH",
    f"{_LOG}.OffsetIndex#ENTRY_SIZE",
    f"{_LOG}.TimeIndex#ENTRY_SIZE",
)
MADE = "Made by `tools/config_table.py`, not by hand; see `spec.limits.config_table`."


def rows_of(version: str) -> list[str]:
    """What the jars of one release define, a line for each config and constant."""
    java = find_java()
    jars = ":".join(str(jar) for jar in class_path(version))
    command = [
        str(java.executable),
        "-XX:TieredStopAtLevel=1",
        "-cp",
        jars,
        str(SOURCE),
        *CONSTANTS,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise SystemExit(f"Kafka {version}: expected a table, found: {done.stderr}")
    return done.stdout.splitlines()


def merged(tables: dict[str, list[str]]) -> list[str]:
    """The lines of all releases, each once, with the releases that have it in front."""
    holders: dict[str, list[str]] = {}
    for version, rows in tables.items():
        for row in rows:
            holders.setdefault(row, []).append(version)
    by_name = sorted(holders, key=lambda row: (row.split("\t")[:2], holders[row]))
    return [
        "\t".join(("all" if len(holders[row]) == len(tables) else ",".join(holders[row]), row))
        for row in by_name
    ]


def module(title: str, *tables: str) -> str:
    """A module of the table."""
    return "\n\n".join([f'"""{title}\n\n{MADE}\n"""', *tables]) + "\n"


def table(name: str, lines: list[str]) -> str:
    """Lines as a constant."""
    return "\n".join([f'{name} = """\\', *lines, '"""'])


def modules_of(tables: dict[str, list[str]]) -> dict[str, str]:
    """The modules of the table by their names: one for each plane, and one for the constants."""
    planes: dict[str, list[str]] = {}
    for line in merged(tables):
        planes.setdefault(line.split("\t")[1], []).append(line)
    constants = [line.replace("\tconstant", "", 1) for line in planes.pop("constant")]
    shown = ", ".join(f'"{version}"' for version in tables)
    versions = f'VERSIONS = ({shown})\n"""The releases, oldest first."""'
    modules = {
        plane: module(
            f"{plane.capitalize()} configs, as the jars of each release define them.",
            table("CONFIGS", lines),
        )
        for plane, lines in planes.items()
    }
    title = "The releases, and compiled constants of each, as its jars define them."
    return {**modules, "constants": module(title, versions, table("CONSTANTS", constants))}


def main() -> int:
    """Write the table of all locked releases."""
    modules = modules_of({version: rows_of(version) for version in available_versions()})
    paths = {TARGET / f"{name}.py": text for name, text in modules.items()}
    if "--check" in sys.argv[1:]:
        return int(any(path.read_text(encoding="utf-8") != text for path, text in paths.items()))
    for path, text in paths.items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
