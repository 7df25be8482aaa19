"""The command line that does a run again."""

import shlex

from spec.draft_registry import draft_of
from spec.events import RunStarted
from spec.subject_registry import SUBJECTS


def command_of(header: RunStarted) -> str:
    """The command that made a run, `run` or `identify`. Logs of before it was written down are of
    drafts where they are not of `run`.
    """
    released = {subject.name for subject in SUBJECTS if draft_of(subject.name) is None}
    return header.options.get("command", "run" if header.subject in released else "identify")


PLAYED_ON = (
    *("kafka", "brokers", "bootstrap_server", "command_config", "image", "image_settings"),
    *("fault", "facts", "draft", "profile"),
    *("client", "client_command", "client_option", "client_fault"),
)
"""The options of a run that `fencepost replay` takes too: what it is played on."""


def reproduction(header: RunStarted) -> str:
    """The line to type, from the header's seed and options.

    An option's name is that of the command line, `scenarios` or `min_release`; `true` stands for a
    flag, `false` for none. `system` is no option: it stands behind the command. A value of several
    lines stands for an option given as often. Secrets can't be in it: the header holds none, and a
    properties file is named, not copied.
    """
    options = {**header.options, "seed": str(header.seed)}
    options.pop("command", None)
    return _line(["fencepost", command_of(header)], options)


def replaying(header: RunStarted, file: str) -> str:
    """The line that plays a scenario file on what the run tested.

    Args:
        header: the run's.
        file: the scenario file.
    """
    played_on = {
        name: value
        for name, value in header.options.items()
        if name == "system" or name.replace("-", "_") in PLAYED_ON
    }
    return _line(["fencepost", "replay", shlex.quote(file)], played_on)


def _line(words: list[str], options: dict[str, str]) -> str:
    if "system" in options:
        words.append(shlex.quote(options.pop("system")))
    for name, value in options.items():
        if value == "false":
            continue
        option = "--" + name.replace("_", "-")
        words += (
            [option]
            if value == "true"
            else [word for one in value.split("\n") for word in (option, shlex.quote(one))]
        )
    return " ".join(words)
