"""A dry run with some modules replaced, as a child process: it answers scenarios by a mutant.

The arguments are the subject, a file with an object of the replacing sources by the modules' dotted
names, and the release. Each pickled scenario on the input is followed on the output by its pickled
observation, or by a text that says why there is none. Nothing is judged here.
"""

from __future__ import annotations

import json
import pickle
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, cast

from mutant_server import Replacing, end_with_parent

if TYPE_CHECKING:
    from conformance.engine.player import Config, Player
    from spec.observation import Observation
    from spec.scenario import Scenario


def answer(players: dict[Config, Player], subject: str, release: str) -> bool:
    """Answer one scenario; False where there is none any more."""
    from conformance.engine.player import LayoutPlayer  # noqa: PLC0415 - mutants come first
    from conformance.subjects.registry import runner_of  # noqa: PLC0415
    from spec.releases import semantics_for  # noqa: PLC0415

    try:
        scenario = cast("Scenario", pickle.load(sys.stdin.buffer))  # noqa: S301 - our own parent
    except EOFError:
        return False
    found: Observation | str
    try:
        player = players.get(scenario.config)
        if player is None:
            player = runner_of(subject).dry_run(semantics_for(release), None)
            if isinstance(player, LayoutPlayer) and scenario.config:
                player.restart(scenario.config)
            players[scenario.config] = player
        found = player.play_one(scenario).observation
    except Exception as failed:  # noqa: BLE001 - a mutant fails in any way
        found = f"{type(failed).__name__}: {failed}"
    pickle.dump(found, sys.stdout.buffer)
    sys.stdout.buffer.flush()
    return True


def main() -> None:
    """Answer scenarios until the input ends."""
    subject, file, release = sys.argv[1:]
    threading.Thread(target=end_with_parent, daemon=True).start()
    sys.meta_path.insert(0, Replacing(json.loads(Path(file).read_text("utf-8"))))
    import conformance.engine.player as playing  # noqa: PLC0415 - mutants come first
    from spec.judgement import Judgement  # noqa: PLC0415

    vars(playing)["judge"] = lambda *_: Judgement(())
    players: dict[Config, Player] = {}
    while answer(players, subject, release):
        pass


if __name__ == "__main__":
    main()
