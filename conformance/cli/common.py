"""What the options of commands name: systems, drafts, facts."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from conformance.cli.errors import wrong
from conformance.cli.options import DEFAULT_SYSTEM
from conformance.drafts import patch_definitions
from conformance.facts import Given, read_facts_file
from conformance.subjects.registry import RUNNERS, find_fault
from conformance.systems.embedded_cluster import EmbeddedCluster
from conformance.systems.image_settings import image_settings as read_image_settings
from conformance.systems.jars import available_versions, clients_jar
from conformance.systems.registry import find
from conformance.systems.resolving import provide_lock
from conformance.wire.codec import Codec
from conformance.wire.definitions import Definitions
from results.log import read_header
from spec.draft import Drafted
from spec.draft_registry import UnknownDraftError, draft_named, drafts
from spec.readings import BadProfileError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from conformance.systems.base import BrokerSystem


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


AGAIN_S = 0.05
"""How soon an interrupt that was dropped is sent again."""


def end_in_order() -> None:
    """Let SIGTERM and SIGINT end a run as Ctrl-C does: with a footer, and nothing left running."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    signal.signal(signal.SIGINT, interrupt)
    sys.unraisablehook = _send_dropped_interrupt_again


def _send_dropped_interrupt_again(dropped: sys.UnraisableHookArgs) -> None:
    """Python prints and drops what is raised in a destructor, or in a callback of the garbage
    collector. Where that is an interrupt, it is sent again in a moment.
    """
    if dropped.exc_type is KeyboardInterrupt:
        threading.Timer(AGAIN_S, os.kill, (os.getpid(), signal.SIGINT)).start()
    else:
        sys.__unraisablehook__(dropped)


@contextmanager
def freeze_start_up() -> Iterator[None]:
    """Leave what is there already (modules, Kafka's definitions, clauses) out of the walks of the
    garbage collector. It looks at all that lives every few thousand answers, which takes longer
    than to decode one.
    """
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def make_codec(drafted: Drafted | None = None) -> Codec:
    """Kafka's messages, from the locked kafka-clients jars: the newest, and the oldest for what
    only it has; and a draft's.
    """
    versions = available_versions()
    messages = Definitions.from_jars([clients_jar(versions[-1]), clients_jar(versions[0])])
    return Codec(patch_definitions(messages, drafted))


def _needs_model(fault: str | None, drafted: Drafted | None) -> None:
    """Refuse what only the served model can be given."""
    if fault:
        raise wrong("--fault plants a fault in the served model; name the system `model` too")
    if drafted is not None:
        asked = f"or ask another broker about it by `identify --subject {drafted.draft.name}`"
        raise wrong(f"--draft gives the served model a draft; name the system `model` too, {asked}")


def _embedded_broker(kafka: str, brokers: int, config: dict[str, str]) -> BrokerSystem:
    """Apache Kafka started here: one broker, or several as one cluster."""
    provide_lock(kafka, lambda text: click.echo(text, err=True))
    if brokers > 1:
        return EmbeddedCluster(kafka, brokers=brokers, config=config)
    return find(DEFAULT_SYSTEM).create(kafka, config=config)


def _can_be_several(brokers: int, system: str, elsewhere: str | None) -> None:
    """Refuse several brokers that are not started here; `elsewhere` names another broker."""
    if brokers > 1 and (elsewhere or system != DEFAULT_SYSTEM):
        raise wrong(
            f"--brokers: expected the system {DEFAULT_SYSTEM}, found another one or a broker that "
            "is not started here; leave one of them out"
        )


def _is_given(option: str) -> bool:
    """Whether the command line has an option itself, and not its default alone."""
    context = click.get_current_context(silent=True)
    source = context.get_parameter_source(option) if context is not None else None
    return source is ParameterSource.COMMANDLINE


def _names_no_other(system: str) -> None:
    """Refuse to name a system or a release beside a broker that is named otherwise."""
    if _is_given("kafka"):
        raise wrong(
            "--kafka names the release that is started here, found --bootstrap-server or --image "
            "too; leave it out, and name the release that the broker is judged as by --facts "
            "(release = ...)"
        )
    if system != DEFAULT_SYSTEM:
        raise wrong(
            f"expected one broker, found the system {system!r} and --bootstrap-server or --image; "
            "leave one out"
        )


def make_system(
    system: str,
    *,
    kafka: str,
    brokers: int = 1,
    bootstrap_server: str | None,
    command_config: Path | None,
    image: str | None,
    image_settings: str | None = None,
    fault: str | None = None,
    config: dict[str, str] | None = None,
    drafted: Drafted | None = None,
) -> BrokerSystem:
    """The broker that the options name, not started yet."""
    in_container = bool(image or image_settings)
    _can_be_several(brokers, system, bootstrap_server or image or image_settings)
    if bootstrap_server and in_container:
        raise wrong("expected --bootstrap-server or --image, found both; leave one out")
    if command_config and not bootstrap_server:
        raise wrong("--command-config says how to reach a --bootstrap-server; give that too")
    if system != "model" or bootstrap_server or in_container:
        _needs_model(fault, drafted)
    if bootstrap_server or in_container:
        _names_no_other(system)
    if bootstrap_server:
        return find("external").create(
            bootstrap_server, command_config, lambda text: click.echo(text, err=True)
        )
    if in_container:
        return _container(image, image_settings)
    if system == "model":
        must_exist(fault)
        return find("model").create(
            kafka, config=config, fault=fault, draft=None if drafted is None else str(drafted)
        )
    if system == DEFAULT_SYSTEM:
        return _embedded_broker(kafka, brokers, config or {})
    if system in {"container", "external"}:
        option = "--image" if system == "container" else "--bootstrap-server"
        raise wrong(
            f"expected {option} for the system {system!r}, found none; say which one is meant"
        )
    kind = find(system)
    return kind.create(config=config) if kind.takes_config else kind.create()


def _container(image: str | None, image_settings: str | None) -> BrokerSystem:
    if image_settings is None:
        return find("container").create(image)
    how = read_image_settings(image_settings, image)
    return find("container").create(how.image, how=how)


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
