"""The command line that does a run again."""

import shlex

from spec.events import RunStarted

COMMANDS = {"max_records": "identify"}
"""The command that makes a run of a subject, where that is not `run`."""


def reproduction(header: RunStarted) -> str:
    """The line to type, from the header's seed and options.

    An option's name is that of the command line, `scenarios` or `min_release`; `true` stands for a flag, `false` for none. `system`
    is no option: it stands behind the command. A value of several lines stands for an option given as often.
    Secrets can't be in it: the header holds none, and a properties file is named, not copied.
    """
    words = ["fencepost", COMMANDS.get(header.subject, "run")]
    options = {**header.options, "seed": str(header.seed)}
    if "system" in options:
        words.append(shlex.quote(options.pop("system")))
    for name, value in options.items():
        if value == "false":
            continue
        option = "--" + name.replace("_", "-")
        words += [option] if value == "true" else [word for one in value.split("\n") for word in (option, shlex.quote(one))]
    return " ".join(words)
