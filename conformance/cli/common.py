"""Common parts of the commands: options that name a system, and errors turned into a message and an
exit code.
"""

from __future__ import annotations

import functools
import signal
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from conformance.cluster import MissingApiError
from conformance.drafts import patched
from conformance.exit_codes import INTERRUPTED, MISUSE, OURS, UNREACHABLE
from conformance.facts import Given, read_facts_file
from conformance.misuse import BadConfiguration
from conformance.placement.problem import PlacementFailed
from conformance.subjects.registry import RUNNERS, find_fault
from conformance.systems import base
from conformance.systems.jars import available_versions, clients_jar
from conformance.systems.registry import find
from conformance.wire import outcomes
from conformance.wire.codec import Codec
from conformance.wire.definitions import Definitions
from results.files import ReportError
from results.log import LogError, LogWriteError, read_header
from spec.canonical import FormatError
from spec.catalogue import UnknownClauseError
from spec.draft import Drafted
from spec.draft_registry import UnknownDraftError, draft_named, drafts
from spec.readings import BadProfileError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.systems.base import BrokerSystem

DEFAULT_KAFKA = "4.3.1"
DEFAULT_SYSTEM = "embedded"
NAMING = ("system", "kafka", "bootstrap_server", "command_config", "image", "fault")
"""The options that say which broker is meant."""

F = TypeVar("F", bound="Callable[..., Any]")


def not_empty(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Refuse an empty text for an option that says which broker is meant, such as an unset variable
    gives.

    Raises:
        ClickException: it is empty or blank.
    """
    if value is not None and not value.strip():
        raise wrong(
            f"{parameter.opts[0]}: expected {parameter.make_metavar(context)}, found an empty "
            "text; leave the option out or name one"
        )
    return value


def system_options(command: F) -> F:
    """The options that say which broker is meant."""
    for option in reversed(
        (
            click.option(
                "--kafka",
                default=DEFAULT_KAFKA,
                show_default=True,
                metavar="VERSION",
                help="Apache Kafka release to start here.",
            ),
            click.option(
                "--bootstrap-server",
                metavar="HOST:PORT",
                callback=not_empty,
                help="A broker that runs already, instead of one started here.",
            ),
            click.option(
                "--command-config",
                type=click.Path(exists=True, dir_okay=False, path_type=Path),
                metavar="FILE",
                help="Client properties for --bootstrap-server, as Kafka's own tools take them.",
            ),
            click.option(
                "--image",
                metavar="IMAGE",
                callback=not_empty,
                help="Start this container image, such as apache/kafka:4.3.1, instead.",
            ),
            click.option(
                "--fault",
                metavar="NAME",
                callback=not_empty,
                help="Plant this fault in the served model; see `serve --list-faults`.",
            ),
        )
    ):
        command = option(command)
    return command


def draft_options(command: F) -> F:
    """The options that give a served model a draft KIP."""
    for option in (
        click.option(
            "--profile",
            metavar="NAME=VALUE,...",
            help="How the draft is read; `fencepost readings` lists the questions.",
        ),
        click.option(
            "--draft",
            metavar="NAME",
            help="Know this draft KIP too, max-records for one; `fencepost readings` names them.",
        ),
    ):
        command = option(command)
    return command


def drafted_by(draft: str | None, profile: str | None) -> Drafted | None:
    """The draft and the profile that the options name; None without a draft."""
    if draft is None:
        if profile is not None:
            raise wrong(
                "--profile says how a draft is read; name it by --draft too, "
                f"{' or '.join(one.name for one in drafts())}"
            )
        return None
    try:
        found = draft_named(draft)
        return Drafted(found, found.questions.parse(profile or "default"))
    except UnknownDraftError as unknown:
        raise wrong(f"--draft: {unknown}") from unknown
    except BadProfileError as bad:
        raise wrong(f"--profile: {bad}") from bad


def wrong(message: str) -> click.ClickException:
    """Wrong use: exit code 2."""
    return _error_with_code(message, MISUSE)


def _error_with_code(message: str, code: int) -> click.ClickException:
    """An error that needs no trace: its message says what was expected, what was found and what to
    do.
    """
    error = click.ClickException(message)
    error.exit_code = code  # type: ignore[misc]  # click reads it from the instance
    return error


def end_in_order() -> None:
    """Let SIGTERM and SIGINT end a run as Ctrl-C does: with a footer, and nothing left running."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    signal.signal(signal.SIGINT, interrupt)


def report_errors(command: F) -> F:
    """Turn what can go wrong into a message and the documented exit code."""

    @functools.wraps(command)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            sys.exit(INTERRUPTED)
        except Exception as error:
            code = exit_code_of(error)
            if code is None:
                raise _error_with_code(_ours(error), OURS) from error
            raise _error_with_code(str(error), code) from error

    return guarded  # type: ignore[return-value]


def _ours(error: Exception) -> str:
    trace = "".join(traceback.format_exception(error))
    return f"this is a fault of Fencepost itself, please report it with these lines:\n{trace}"


def exit_code_of(error: Exception) -> int | None:
    """The documented exit code of an error that has a good message; None for one of our own
    making.
    """
    if isinstance(error, FormatError | UnknownClauseError | base.UnknownVersion | BadConfiguration):
        return MISUSE
    if isinstance(
        error,
        base.SystemProblem
        | outcomes.NotConnected
        | outcomes.NoAnswer
        | PlacementFailed
        | MissingApiError,
    ):
        return UNREACHABLE
    if isinstance(error, LogWriteError | ReportError):
        return OURS
    return MISUSE if isinstance(error, LogError) else None


def make_codec(drafted: Drafted | None = None) -> Codec:
    """Kafka's messages, from the locked kafka-clients jars: the newest, and the oldest for what
    only it has; and a draft's.
    """
    versions = available_versions()
    messages = Definitions.from_jars([clients_jar(versions[-1]), clients_jar(versions[0])])
    return Codec(patched(messages, drafted))


def _needs_model(fault: str | None, drafted: Drafted | None) -> None:
    """Refuse what only the served model can be given."""
    if fault:
        raise wrong("--fault plants a fault in the served model; name the system `model` too")
    if drafted is not None:
        asked = f"or ask another broker about it by `identify --subject {drafted.draft.name}`"
        raise wrong(f"--draft gives the served model a draft; name the system `model` too, {asked}")


def make_system(
    system: str,
    *,
    kafka: str,
    bootstrap_server: str | None,
    command_config: Path | None,
    image: str | None,
    fault: str | None = None,
    config: dict[str, str] | None = None,
    drafted: Drafted | None = None,
) -> BrokerSystem:
    """The broker that the options name, not started yet."""
    if bootstrap_server and image:
        raise wrong("expected --bootstrap-server or --image, found both; leave one out")
    if command_config and not bootstrap_server:
        raise wrong("--command-config says how to reach a --bootstrap-server; give that too")
    if system != "model" or bootstrap_server or image:
        _needs_model(fault, drafted)
    if (bootstrap_server or image) and system != DEFAULT_SYSTEM:
        raise wrong(
            f"expected one broker, found the system {system!r} and --bootstrap-server or --image; "
            "leave one out"
        )
    if bootstrap_server:
        return find("external").create(
            bootstrap_server, command_config, lambda text: click.echo(text, err=True)
        )
    if image:
        return find("container").create(image)
    if system == "model":
        must_exist(fault)
        return find("model").create(
            kafka, config=config, fault=fault, draft=None if drafted is None else str(drafted)
        )
    if system == DEFAULT_SYSTEM:
        return find(system).create(kafka, config=config or {})
    if system in {"container", "external"}:
        option = "--image" if system == "container" else "--bootstrap-server"
        raise wrong(
            f"expected {option} for the system {system!r}, found none; say which one is meant"
        )
    return find(system).create()


def must_exist(fault: str | None) -> None:
    """Raise `UnknownFaultError` where the served model can be given no fault of this name."""
    if fault is not None:
        find_fault(fault)


def given_facts(path: Path | None) -> Given:
    """The facts that a file gives; none without a file."""
    return read_facts_file(path) if path else Given()


def known_relations(runs: Sequence[Path]) -> frozenset[str]:
    """Every relation of limits that the generators of these runs' subjects can hit, so that a
    report can say which were not tried.
    """
    subjects = {read_header(run / "events.jsonl").subject for run in runs}
    every = [runner.relations() for runner in RUNNERS if runner.subject in subjects]
    return frozenset().union(*every)


class SubjectName(click.ParamType[str]):
    """The name of a subject that can be run."""

    name = "subject"

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """The names, as a choice is shown."""
        del param, ctx
        return f"[{'|'.join(_subjects())}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name itself."""
        if value not in _subjects():
            self.fail(f"expected one of {', '.join(_subjects())}, found {value!r}", param, ctx)
        return str(value)


def default_subject() -> str:
    """The subject that is tested unless a command names another one: the first of the registry."""
    return _subjects()[0]


def _subjects() -> tuple[str, ...]:
    return tuple([runner.subject for runner in RUNNERS])
