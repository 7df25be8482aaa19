"""Every command that the documentation names is played there, or a table says what tries it
instead; and it can be understood by the command line.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import click
import pytest

from conformance.cli import COMMANDS, main
from tests.docs.commands import (
    named_commands,
    options_in,
    played_commands,
    subcommand,
    without_comment,
)
from tests.docs.console import ROOT

PAGES = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    + [page for page in (ROOT / "docs").rglob("*.md") if "decisions" not in page.parts]
)
PASSES_OVER = (
    "python passes_over.py localhost:9092,localhost:9094,localhost:9096 "
    "'docker kill kafka-{node}' 'docker start kafka-{node}'"
)
INSTALLED = "pip install '.[java,report]'"


ELSEWHERE: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "fencepost replay docs/clients/java-large-request.json --client java-producer",
            "fencepost replay docs/clients/java-lost-at-an-error.json --client java",
            "fencepost replay docs/clients/java-split-batch.json --client java-producer",
            "fencepost replay docs/clients/kafka-python-flush.json --client kafka-python-producer",
            "fencepost replay docs/clients/kafka-python-poll.json --client kafka-python",
            "fencepost replay docs/clients/librdkafka-truncation.json --client confluent",
            "python flush_fails.py localhost:9092",
            PASSES_OVER,
            "python poll_hangs.py localhost:9092",
        ),
        "tests/docs/test_client_reports.py",
    ),
    "fencepost run --client java --client franz-go": "tests/conformance/test_client_runs.py",
    "./fencepost run --kafka 4.0.2 --kafka 4.4.0": "tests/conformance/test_cli_several_runs.py",
    "./fencepost run --subject all": "tests/conformance/test_cli_several_runs.py",
    "./fencepost run --brokers 3 --subject replication": (
        "tests/conformance/subjects/replication/test_detection.py"
    ),
    "./fencepost run --clause FET-004 --strict": "tests/conformance/test_cli.py",
    "./fencepost identify --subject fetch|share": "tests/conformance/identify/test_released.py",
    "./fencepost run --clause ID --kafka 4.0.2": "tests/conformance/systems/test_embedded.py",
    **dict.fromkeys(
        (
            "fencepost findings [SYSTEM|CLAUSE]...",
            "fencepost findings apache-kafka clients --markdown",
            "fencepost findings apache-kafka clients --markdown > docs/findings.md",
            "./fencepost findings kafka-python",
            "fencepost run --no-shipped-findings",
        ),
        "tests/conformance/test_cli_findings.py",
    ),
    INSTALLED: "tests/docs/test_commands.py",
    **dict.fromkeys(
        (
            "fencepost run --client kafka-python",
            'fencepost run --client-command "python my_adapter.py"',
            'fencepost replay FILE --client-command "python my_adapter.py"',
            "./fencepost run --client java:4.3.1",
        ),
        "tests/conformance/test_client_runs.py",
    ),
    "pip install 'fencepost[container]'": "tests/docs/test_commands.py",
    "pip install 'fencepost[stores]'": "tests/docs/test_commands.py",
    ".ci/run": ".ci/run",
    "python benchmarks/detection.py": "tests/conformance/faults/test_detection.py",
    "python benchmarks/detection.py 5 NAME": "tests/conformance/faults/test_detection.py",
    "python benchmarks/found_again.py share": "tests/conformance/subjects/groups/test_detection.py",
    "python benchmarks/mutation.py": "tests/benchmarks/test_mutation.py",
    "python -m tools.lock_jars VERSION...": "tests/conformance/systems/test_jars.py",
    "python -m tools.write_schemas": "tests/conformance/test_cli_spec.py",
    "python -m tools.record_traces [VERSION...]": "tests/traces/test_recording.py",
    "pytest tests/spec/test_requirements.py": "tests/spec/test_requirements.py",
    "pytest -m broker tests/drafts/max_records/test_consumer.py": (
        "tests/drafts/max_records/test_consumer.py"
    ),
    "fencepost run model --subject ends --scenarios 50": "tests/test_adding_a_subject.py",
    "fencepost run --subject ends --scenarios 500": "tests/test_adding_a_subject.py",
    "fencepost serve --fault no-partial-batch": "tests/conformance/serve/test_server.py",
    "fencepost replay FILE model --draft max-records": (
        "tests/drafts/max_records/test_on_the_wire.py"
    ),
    "fencepost identify --subject max-records": "tests/drafts/max_records/test_identifying.py",
    "./fencepost run --spark-master spark://HOST:7077 --workers 8 --out /shared/runs": (
        "tests/conformance/test_spread_runs.py"
    ),
    "fencepost report RUN... --tables URL": "tests/results/test_tables_on_s3.py",
    "fencepost report RUN... --tables s3a://BUCKET/PLACE": "tests/results/test_tables_on_s3.py",
    "python -m benchmarks.spread_kills": "tests/conformance/test_spread_runs.py",
    "fencepost report --spark": "tests/results/test_report.py",
    "fencepost COMMAND --help": "tests/docs/test_pages.py",
    "fencepost matrix [RUN]...": "tests/conformance/test_cli_matrix.py",
    "./fencepost matrix": "tests/conformance/test_cli_matrix.py",
    "fencepost run --image-settings image.toml": "tests/conformance/systems/test_image_settings.py",
    "fencepost implementation SYSTEM [RUN]...": "tests/conformance/test_cli_implementation.py",
    "./fencepost implementation kfake": "tests/conformance/test_cli_implementation.py",
    "fencepost changes OLDER NEWER": "tests/conformance/test_cli_changes.py",
    "./fencepost changes 4.1.2 4.2.2": "tests/conformance/test_cli_changes.py",
    **dict.fromkeys(
        (
            "pytest --fencepost-bootstrap-server localhost:9092",
            (
                "pytest --fencepost-bootstrap-server localhost:9092 --fencepost-subject fetch "
                "--fencepost-subject offsets"
            ),
            "pytest --fencepost",
        ),
        "tests/test_pytest_plugin.py",
    ),
    "fencepost smoke ADDRESS --json": "tests/conformance/smoke/test_smoke.py",
    "fencepost import LOG": "tests/conformance/audit/test_import.py",
    "./fencepost import LOG": "tests/conformance/audit/test_import.py",
}
"""What tries a command that no page plays: it takes a network, a container, Spark or too long."""


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


PLAYED = [without_comment(line) for page in PAGES for line in played_commands(text_of(page))]
NAMED = sorted({line for page in PAGES for line in named_commands(text_of(page))})


def is_played(line: str) -> bool:
    """Whether a page plays the command, of `fencepost` with at least these options."""
    command = subcommand(line)
    if command is None:
        return line in PLAYED
    return any(
        subcommand(other) == command and options_in(line) <= options_in(other) for other in PLAYED
    )


def test_every_command_is_played_or_said_to_be_tried_elsewhere() -> None:
    assert len(NAMED) > len(ELSEWHERE)
    assert {line for line in NAMED if not is_played(line)} == ELSEWHERE.keys()


def test_what_tries_a_command_is_there() -> None:
    for line, path in ELSEWHERE.items():
        assert (ROOT / path).is_file(), line


@pytest.mark.parametrize("line", [line for line in [*NAMED, *PLAYED] if subcommand(line)])
def test_a_command_has_only_options_that_there_are(line: str) -> None:
    name = subcommand(line)
    if name == "COMMAND":
        return
    command = main.get_command(click.Context(main), name or "")
    assert command is not None, line
    known = {
        option
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    assert name in COMMANDS
    assert options_in(line.partition("|")[0]) <= known | {"--help"}, line


def test_the_reference_has_every_variable_that_the_package_reads() -> None:
    """But for one by which `./fencepost` and the command speak to each other."""
    sources = [ROOT / "fencepost", *(ROOT / "conformance").rglob("*.py")]
    sources += (ROOT / "results").rglob("*.py")
    read = {
        name
        for source in sources
        for name in re.findall(r"\b(?:FENCEPOST_[A-Z_]+|GITHUB_STEP_SUMMARY)\b", text_of(source))
    }
    section = text_of(ROOT / "docs/reference/files.md").partition("## Environment")[2]
    said = set(re.findall(r"^\| `([A-Z_]+)`", section, re.MULTILINE))
    assert read - {"FENCEPOST_RUN_FOLDER_FILE"} == said


def test_the_readme_names_every_command() -> None:
    for name in COMMANDS:
        assert f"./fencepost {name}" in text_of(ROOT / "README.md"), name


def test_the_parts_of_the_package_that_are_named_are_there() -> None:
    """Each `[...]` of a `pip install` is an optional part of the package."""
    named = [line for line in NAMED if line.startswith("pip install")]
    parts = {part for line in named for part in re.findall(r"\[([^]]+)\]", line)[0].split(",")}
    said = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = said.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    assert parts
    assert parts <= set(re.findall(r"^([a-z]+) = ", section, re.MULTILINE))


@pytest.mark.system
def test_the_package_can_be_installed_as_the_documentation_says(tmp_path: Path) -> None:
    """Without what it needs, which the tests have, and so without an index."""
    folder = tmp_path / "installed"
    options = ["--no-deps", "--no-build-isolation", "--quiet", "--target", str(folder)]
    install = [sys.executable, "-m", *shlex.split(INSTALLED), *options]
    subprocess.run(install, cwd=ROOT, check=True, timeout=300)
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    found = subprocess.run(
        [sys.executable, str(folder / "bin" / "fencepost"), "spec", "FET-004"],
        cwd=tmp_path,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert found.stdout.startswith("FET-004  must, ")
    assert {"spec", "generators", "conformance", "results", "drafts"} <= {
        one.name for one in folder.iterdir()
    }
