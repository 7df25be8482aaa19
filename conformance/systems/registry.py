"""The kinds of broker that can be tested; third parties add theirs by the entry point group `fencepost.systems`."""

from __future__ import annotations

import importlib.util
import shutil
from dataclasses import dataclass
from importlib.metadata import entry_points

from conformance.systems.base import NotAvailable
from conformance.systems.jars import available_versions
from conformance.systems.java import find_java

GROUP = "fencepost.systems"


@dataclass(frozen=True, slots=True)
class Listed:
    """One kind of system: what it is, and what is missing for it; `reason` is empty where nothing is."""

    name: str
    description: str
    reason: str = ""

    @property
    def available(self) -> bool:
        """Whether it can be used now."""
        return not self.reason


def systems() -> tuple[Listed, ...]:
    """Every kind that is known here."""
    ours = (
        Listed("embedded", f"Apache Kafka as a child process: {', '.join(available_versions())}", _java()),
        Listed("container", "a container image, by --image", _container()),
        Listed("external", "any broker, by --bootstrap-server and --command-config"),
    )
    return (*ours, *[Listed(point.name, f"from {point.value}") for point in entry_points(group=GROUP)])


def _java() -> str:
    try:
        find_java()
    except NotAvailable as missing:
        return str(missing)
    return ""


def _container() -> str:
    if importlib.util.find_spec("testcontainers") is None:
        return "needs testcontainers: pip install 'fencepost[container]'"
    return "" if shutil.which("docker") else "needs Docker"
