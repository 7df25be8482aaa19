"""The command line that does a run again."""

import shlex

from spec.events import RunStarted


def reproduction(header: RunStarted) -> str:
    """The line to type, from the header's seed and options.

    An option's name is that of the command line, `scenarios` or `min_release`; `true` stands for a flag, `false` for none.
    Secrets can't be in it: the header holds none, and a properties file is named, not copied.
    """
    words = ["fencepost", "run"]
    for name, value in {**header.options, "seed": str(header.seed)}.items():
        if value == "false":
            continue
        words.append("--" + name.replace("_", "-"))
        if value != "true":
            words.append(shlex.quote(value))
    return " ".join(words)
