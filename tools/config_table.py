"""Write the table of configs and compiled constants: `python tools/config_table.py`.

Java runs `ConfigTable.java` on the jars of each locked release (they come from the cache, or are
downloaded); what it prints of all releases is merged into `spec/limits/config_table.py`. Needs a
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
TARGET = ROOT / "spec" / "limits" / "config_table.py"
_LOG = "org.apache.kafka.storage.internals.log"
CONSTANTS = (
    "org.apache.kafka.controller.ReplicationControlManager#MAX_PARTITIONS_PER_BATCH",
    "org.apache.kafka.controller.QuorumController#MAX_RECORDS_PER_USER_OP",
    "org.apache.kafka.common.internals.Topic#MAX_NAME_LENGTH",
    f"{_LOG}.OffsetIndex#ENTRY_SIZE",
    f"{_LOG}.TimeIndex#ENTRY_SIZE",
)
HEAD = '''"""Configs and compiled constants of each release, as its jars define them.

Made by `tools/config_table.py`, not by hand. A line of `CONFIGS` has, between tabs: the releases
(`all` for every one), plane, name, type, default, validator, update mode, `public` or `internal`,
and the broker configs that a topic config falls back to. `<required>` is a config that must be
set, `null` a default of none, `-` nothing. A line of `CONSTANTS`: releases, class and field, value.
"""

'''


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


def main() -> int:
    """Write the table of all locked releases."""
    versions = available_versions()
    lines = merged({version: rows_of(version) for version in versions})
    constants = [line.replace("\tconstant", "", 1) for line in lines if "\tconstant\t" in line]
    configs = [line for line in lines if "\tconstant\t" not in line]
    shown = ", ".join(f'"{version}"' for version in versions)
    parts = [
        HEAD,
        f'VERSIONS = ({shown})\n"""The releases, oldest first."""\n\n',
        'CONFIGS = """\\\n' + "\n".join(configs) + '\n"""\n\n',
        'CONSTANTS = """\\\n' + "\n".join(constants) + '\n"""\n',
    ]
    text = "".join(parts)
    if "--check" in sys.argv[1:]:
        return int(TARGET.read_text(encoding="utf-8") != text)
    TARGET.write_text(text, encoding="utf-8")
    print(f"{TARGET.relative_to(ROOT)}: {len(configs)} configs, {len(constants)} constants")
    return 0


if __name__ == "__main__":
    sys.exit(main())
