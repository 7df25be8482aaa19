"""Runs what the documentation shows: the commands of a page in its order, in one empty folder, and
holds what they print to what the page says.

A block that begins with ```` ```console ```` has commands, each after `$ `, and under each what of
its output is shown: these lines stand in the output in this order, `…` for any lines between, and
at the end of a line for any rest of it. A command ends with exit code 0 unless a comment says
another, `# exit code 1`. One that ends with `&` is left running until the page is done; its first
line is awaited. A block that begins with ```` ```console needs=broker ```` or `needs=container` is
played apart from the others. One that begins with ```` ```toml file=NAME ```` is written to a file
of that name.
"""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from conformance.cache import SETTING, cache_dir

ROOT = Path(__file__).resolve().parents[2]
SERVED = "9092"
"""The port that pages name; each page is played on a free one."""
PUBLISHED = "apache/kafka:4.3.1"
"""The image that pages name; the one that is there is started."""
IMAGE = os.environ.get("FENCEPOST_IMAGE", "local/kafka:4.3.1")
_BLOCK = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"# exit code (\d+)")
_PATIENCE = 300.0
BESIDE = "{} & cat >/dev/null; kill -9 $!"
"""Runs a command until the standard input ends: with the test, or with the tests' own process."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a page.

    Attributes:
        line: as it is typed.
        shown: what of its output the page shows.
        needs: `container` or `broker` where it needs one; otherwise empty.
    """

    line: str
    shown: tuple[str, ...]
    needs: str = ""

    @property
    def exit_code(self) -> int:
        """With which it ends."""
        said = _CODE.search(self.line)
        return int(said[1]) if said else 0

    @property
    def stays(self) -> bool:
        """Whether it runs on beside what follows."""
        return self.line.endswith("&")


@dataclass(frozen=True, slots=True)
class File:
    """A file that a page shows."""

    name: str
    text: str


def blocks_of(text: str) -> Iterator[re.Match[str]]:
    """The fenced blocks of a page, each with its `info` and its `body`."""
    return _BLOCK.finditer(text)


def parts_of(text: str) -> Iterator[Command | File]:
    """The commands and files of a page, in order."""
    for block in blocks_of(text):
        info, body = block["info"].split(), block["body"]
        said = dict([word.split("=", 1) for word in info if "=" in word])
        if "file" in said:
            yield File(said["file"], body)
        elif info[:1] == ["console"]:
            yield from _commands(body, said.get("needs", ""))


def _commands(body: str, needs: str) -> Iterator[Command]:
    line, shown = "", list[str]()
    for one in body.replace("\\\n", " ").splitlines():
        if one.startswith("$ "):
            if line:
                yield Command(line, tuple(shown), needs)
            line, shown = one.removeprefix("$ "), []
        else:
            assert line, f"expected a block that begins with a command, found {one!r}"
            shown.append(one)
    yield Command(line, tuple(shown), needs)


def missing_line(shown: tuple[str, ...], output: str) -> str | None:
    """The first shown line that does not stand in the output after those before it; None where all
    do. Without `…` between them they follow each other.
    """
    lines = [line.rstrip() for line in output.splitlines()]
    at, anywhere = 0, True
    for wanted in shown:
        if wanted == "…":
            anywhere = True
            continue
        last = len(lines) if anywhere else at + 1
        found = next((n for n in range(at, last) if _is_shown(wanted, lines[n : n + 1])), None)
        if found is None:
            return wanted
        at, anywhere = found + 1, False
    return None


def _is_shown(wanted: str, lines: list[str]) -> bool:
    return any(
        line.startswith(wanted[:-1]) if wanted.endswith("…") else line == wanted.rstrip()
        for line in lines
    )


def play(page: Path, folder: Path, needs: str = "") -> None:
    """Run what a page has that needs so much, in an empty folder; an assertion names the command
    that does not do as it says.
    """
    with _session(folder) as (environment, port, running):
        for part in parts_of(page.read_text(encoding="utf-8")):
            if isinstance(part, File):
                (folder / part.name).write_text(part.text.replace(SERVED, port), encoding="utf-8")
            elif part.needs == needs:
                _play(part, folder, environment, port, running)


@contextmanager
def _session(
    folder: Path,
) -> Iterator[tuple[dict[str, str], str, list[subprocess.Popen[str]]]]:
    cache = folder.parent / f"{folder.name}-cache"
    _lend_cache(cache)
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "100",
        SETTING: str(cache),
    }
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    running: list[subprocess.Popen[str]] = []
    try:
        yield environment, port, running
    finally:
        for process in running:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def _lend_cache(cache: Path) -> None:
    """A cache folder with all that the user's has, but with a corpus of its own."""
    real = cache_dir()
    cache.mkdir()
    for one in real.iterdir() if real.exists() else ():
        if one.name != "corpus":
            (cache / one.name).symlink_to(one)


def _play(
    command: Command,
    folder: Path,
    environment: dict[str, str],
    port: str,
    running: list[subprocess.Popen[str]],
) -> None:
    line = command.line.replace(SERVED, port).replace(PUBLISHED, IMAGE)
    line = line.replace("benchmarks/", f"{ROOT}/benchmarks/")
    process = subprocess.Popen(
        ["bash", "-c", BESIDE.format(line.removesuffix("&")) if command.stays else line],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE if command.stays else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    if command.stays:
        running.append(process)
        assert process.stdout is not None
        output = process.stdout.readline()
        code = process.poll() or 0
    else:
        try:
            output, _ = process.communicate(timeout=_PATIENCE)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        code = process.returncode
    output = output.replace(port, SERVED)
    assert code == command.exit_code, f"$ {command.line}\nended with {code}:\n{output}"
    missing = missing_line(command.shown, output)
    assert missing is None, f"$ {command.line}\nexpected the line {missing!r} in:\n{output}"
