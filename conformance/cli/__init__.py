"""The command line, and the one place where all rooms meet."""

from importlib import import_module
from importlib.util import find_spec

import click

from conformance.cli.lazy import LazyGroup, import_object
from spec.draft_packages import draft_packages

REPORT_ERRORS = "conformance.cli.errors:report_errors"


def _of_drafts() -> dict[str, tuple[str, str]]:
    """The commands that drafts bring, each in its package's module `command`, in the mapping
    `COMMANDS`.
    """
    found: dict[str, tuple[str, str]] = {}
    for package in draft_packages():
        if find_spec(package) is not None and find_spec(f"{package}.command") is not None:
            found |= import_module(f"{package}.command").COMMANDS
    return found


class Commands(LazyGroup):
    """The commands; an error in one that a draft brings ends as in our own."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, imported now; None where there is none."""
        command = super().get_command(ctx, cmd_name)
        if (
            command is not None
            and command.callback is not None
            and cmd_name in _BROUGHT
            and not hasattr(command.callback, "__wrapped__")
        ):
            command.callback = import_object(REPORT_ERRORS)(command.callback)
        return command


_BROUGHT = _of_drafts()
COMMANDS = {
    "run": (
        "conformance.cli.run:run",
        "Draw layouts, ask the broker around their fences, judge every answer.",
    ),
    "smoke": (
        "conformance.cli.smoke:smoke",
        "Say within ten seconds whether a broker can be tested, and how far.",
    ),
    "replay": ("conformance.cli.replay:replay", "Play the scenario in FILE on a broker again."),
    "explain": (
        "conformance.cli.explain:explain",
        "Draw a scenario's layout and fences, and what decided each byte.",
    ),
    "spec": (
        "conformance.cli.spec:spec",
        "List the clauses, or show one with its sources and examples.",
    ),
    "limits": (
        "conformance.cli.limits:limits",
        "List the limits of a Kafka release, or compute one.",
    ),
    "audit": (
        "conformance.cli.audit:audit",
        "Read a broker's data folder, and name what breaks a rule.",
    ),
    "import": (
        "conformance.cli.import_log:import_log",
        "Write a scenario with the layout of a real segment.",
    ),
    "readings": (
        "conformance.cli.readings:readings",
        "List the readings of unclear texts, and the cases that distinguish them.",
    ),
    "identify": (
        "conformance.cli.identify:identify",
        "Find which readings of unclear texts a broker follows.",
    ),
    "report": ("conformance.cli.report:report", "Make the HTML report of one or more run folders."),
    "diff": ("conformance.cli.diff:diff", "Compare two run folders by clause and scenario."),
    "matrix": (
        "conformance.cli.matrix:matrix",
        "Run every subject on every release, and show what differs by clause.",
    ),
    "changes": (
        "conformance.cli.changes:changes",
        "Write what a release does otherwise than an earlier one, with cases.",
    ),
    "implementation": (
        "conformance.cli.implementation:implementation",
        "Write what an implementation of others supports and breaks, as a page.",
    ),
    "clean": (
        "conformance.cli.clean:clean",
        "Remove from a cluster what a run that was cut off left on it.",
    ),
    "findings": (
        "conformance.cli.findings:findings",
        "List the known breaks of released software that come with Fencepost.",
    ),
    "systems": ("conformance.cli.systems:systems", "List the kinds of broker that can be tested."),
    "proxy": (
        "conformance.cli.proxy:proxy",
        "Stand between clients and a broker, and alter answers.",
    ),
    "serve": ("conformance.cli.serve:serve", "Serve the model behind Kafka's wire protocol."),
    **_BROUGHT,
}
"""Where each command is, and its help in one line; imported when it is called."""


@click.group(
    cls=Commands,
    lazy=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="fencepost", prog_name="fencepost")
def main() -> None:
    """Hold a Kafka broker against the executable specification of Kafka's limits.

    \b
    fencepost run                                  a real Apache Kafka 4.3.1, started here
    fencepost run --kafka 4.0.2                    another release
    fencepost run --bootstrap-server host:9092     any broker you can reach
    fencepost explain FET-004                      what a clause says, with its worked example drawn
    fencepost replay FILE                          play a kept scenario again
    fencepost diff RUN_A RUN_B                     what changed from one run to another
    fencepost serve --fault no-progress            the specification as a broker, wrong in one way
    fencepost readings MXR-A2                      the ways to read a text, and the smallest case
    apart

    \b
    Exit codes: 0 nothing unlisted. 1 an unlisted violation, a stale or expired finding, or under
    --strict an unlisted deviation. 2 wrong use. 3 something inconclusive or unreachable, or nothing
    exercised. 4 a failure of Fencepost itself. 130 interrupted.
    """  # noqa: D301 - click wants the character itself
