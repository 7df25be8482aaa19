"""What a command does with a run that is over: its files, its report and its last words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cli.asked_files import AskedFiles
from conformance.cli.done import Done
from conformance.cli.run_folder import OptionalFiles, write_outcome, write_report

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from conformance.cli.findings_files import FindingsWriter
    from conformance.cli.run_output import RunOutput
    from results.summary import Summary


def end_run(
    o: Mapping[str, Any],
    output: RunOutput,
    folder: Path,
    summary: Summary,
    findings_writer: FindingsWriter,
    *,
    from_log: bool,
) -> Done:
    """Write what is made of a run when it is over, and show its summary.

    Args:
        o: the options of the command.
        output: where to.
        folder: the run's.
        summary: of all its events.
        findings_writer: writes the findings files that the user named.
        from_log: make the report from the log, not from the summary.
    """
    assert summary.footer is not None
    console, asked_files = output.console, AskedFiles()
    write_outcome(
        folder,
        summary,
        console,
        strict=o["strict"],
        verbose=o["verbose"],
        more=OptionalFiles(o["sarif"], o["badge"], asked_files),
    )
    for line in findings_writer.write(summary, asked_files):
        console.print(line, soft_wrap=True)
    if summary.footer.reason == "interrupted":
        console.print(f"`fencepost report {folder}` makes the report", soft_wrap=True)
    elif o["report"] and summary.scenarios:
        write_report(folder, console, None if from_log else summary)
    output.end(summary)
    return Done(asked_files.code(summary.footer.exit_code), folder, summary)
