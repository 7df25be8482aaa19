"""The options that do a run again, for the header of its event log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cli.options import DEFAULT_SYSTEM
from conformance.cli.subject_options import default_subject

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.engine.plan import Plan

OF_A_RELEASE = ("embedded", "model")
"""The systems that stand for a release of Apache Kafka."""


def system_options_to_repeat(options: Mapping[str, Any]) -> dict[str, str]:
    """The options that name the system, for doing a run again."""
    if options["bootstrap_server"]:
        return {"bootstrap-server": options["bootstrap_server"]}
    if options["image"] or options["image_settings"]:
        container = {"image": options["image"], "image-settings": options["image_settings"]}
        return {name: value for name, value in container.items() if value}
    has_client = bool(options.get("client") or options.get("client_command"))
    said = has_client or options["system"] != DEFAULT_SYSTEM
    named = {"system": options["system"]} if said else {}
    of_kafka = options["system"] in OF_A_RELEASE
    given = ("kafka", "fault") if of_kafka else ()
    several = {"brokers": str(options["brokers"])} if options.get("brokers", 1) > 1 else {}
    return {**{name: str(options[name]) for name in given if options[name]}, **several, **named}


OTHERS = (
    "command_config",
    "facts",
    "features",
    "corpus",
    "shrink",
    "client",
    "client_command",
    "client_fault",
)
"""Options that are kept as they were given."""
SPREAD = ("spark_master", "workers", "portion")
"""Options of a run that is spread over a cluster."""


def options_to_repeat(options: Mapping[str, Any], plan: Plan) -> dict[str, str]:
    """The options that matter for doing the run again."""
    kept = (
        {"scenarios": str(plan.scenarios)}
        if plan.seconds is None
        else {"time": str(options["duration"])}
    )
    kept |= system_options_to_repeat(options)
    if options["subject"] != default_subject():
        kept["subject"] = options["subject"]
    several = {
        "clause": sorted(plan.clauses),
        "findings": [str(file) for file in options["findings"]],
        "client_option": [*options["client_options"]],
    }
    kept |= {name: "\n".join(values) for name, values in several.items() if values}
    kept |= {name: str(options[name]) for name in OTHERS if options[name]}
    if options.get("spark_master"):
        kept |= {name: str(options[name]) for name in SPREAD}
    flags = {
        "no-restart": not options["restart"],
        "strict": options["strict"],
        "no-corpus": options["no_corpus"],
        "no-shipped-findings": options["no_shipped_findings"],
    }
    kept |= {name: "true" for name, given in flags.items() if given}
    return kept
