"""The command line, and the one place where all rooms meet."""

import click

from conformance.cli import cost, diff, explain, identify, proxy, readings, replay, report, run, serve, systems
from conformance.cli import spec as spec_command


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
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
    fencepost readings MXR-A2                      the ways to read a text, and the smallest case apart

    \b
    Exit codes: 0 nothing unlisted. 1 an unlisted violation, a stale or expired finding, or under
    --strict an unlisted deviation. 2 wrong use. 3 something inconclusive or unreachable, or nothing
    exercised. 4 a failure of Fencepost itself. 130 interrupted.
    """  # noqa: D301 - click wants the character itself


for command in (
    run.run,
    replay.replay,
    explain.explain,
    spec_command.spec,
    readings.readings,
    identify.identify,
    cost.cost,
    report.report,
    diff.diff,
    systems.systems,
    proxy.proxy,
    serve.serve,
):
    main.add_command(command)
