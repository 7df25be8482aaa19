"""A served model as a child process, steered by lines of JSON.

The command line's one argument is an object: `kafka`, `host`, `port`, `config`, `fault`, and
`draft`, a draft with its profile, `max-records:stop=before`. Each line that it writes is an object:
`{"host": ..., "port": ...}` when it is up. Each line that it reads, `{"config": ...}`, restarts it
with these settings, and is answered by such a line again. It ends when its input does, so it can't
outlive whoever started it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from conformance.serve.assembly import listening
from conformance.serve.settings import Settings
from spec.draft_registry import parse_drafted


def _planted_fault(fault: object) -> Any:
    if fault is None:
        return None
    from conformance.subjects.registry import find_fault  # noqa: PLC0415 - not needed by a faultless model

    return find_fault(str(fault))[1]


async def _main(given: dict[str, object]) -> None:
    kafka, host, port = str(given["kafka"]), str(given["host"]), int(str(given["port"]))
    config, fault = given["config"], given["fault"]
    assert isinstance(config, dict)
    draft = parse_drafted(str(given["draft"])) if given.get("draft") else None
    server = await listening(Settings(kafka, config, draft), host, port, _planted_fault(fault))
    lines = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while True:
        sys.stdout.write(json.dumps({"host": server.state.host, "port": server.state.port}) + "\n")
        sys.stdout.flush()
        line = await lines.readline()
        if not line:
            break
        await server.restart(Settings(kafka, json.loads(line)["config"], draft))
    await server.stop()


if __name__ == "__main__":
    asyncio.run(_main(json.loads(sys.argv[1])))
