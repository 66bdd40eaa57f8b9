"""One run of a host: start the model endpoint, start the host, read what both said."""

from __future__ import annotations

import json
import os
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from codeviews.harness import behaviour
from codeviews.harness.errors import MissingProgram
from codeviews.harness.exchange import Exchange, ExchangeLog, Usage
from codeviews.harness.grid import Grid
from codeviews.harness.hosts import Host, Launch, Outcome, process
from codeviews.harness.hosts.process import Ended
from codeviews.harness.relay import Relay
from codeviews.harness.scripted_model import ScriptedModel

Endpoint = ScriptedModel | Relay


@dataclass(slots=True)
class Session:
    """What one run of a host left: the process's end, its stream read, and the endpoint's log."""

    command: list[str]
    ended: Ended
    outcome: Outcome
    log: ExchangeLog
    stream: bytes


def endpoint(
    grid: Grid, host: Host, workflow: str, values: dict[str, str]
) -> AbstractContextManager[Endpoint]:
    """The model endpoint of a trial: a script, or a relay to the host's own endpoint."""
    script = grid.behaviour_of(workflow)
    if script:
        return ScriptedModel(behaviour.load(script), values)
    return Relay(grid.base_url or host.UPSTREAM)


def key(grid: Grid, host: Host) -> str:
    """The key the host sends.

    Raises:
        MissingProgram: a real endpoint is used and the key is not in the environment.
    """
    if grid.script:
        return "scripted"
    value = os.environ.get(host.KEY, "")
    if not value:
        raise MissingProgram(
            f"host '{host.NAME}' needs a key in {host.KEY}; without one use --script BEHAVIOUR"
        )
    return value


def play(host: Host, launch: Launch, log: ExchangeLog, pid_file: Path) -> Session:
    """Run the host once and read its stream."""
    command = host.command(launch)
    stdout, stderr = launch.scratch / "stream.jsonl", launch.scratch / "stderr.txt"
    ended = process.run(command, stdout, stderr, launch.timeout, pid_file)
    stream = stdout.read_bytes()
    outcome = host.read(stream.decode(errors="replace").splitlines())
    if not outcome.finished and not outcome.error:
        outcome.error = _last_line(stderr)
    return Session(command.argv, ended, outcome, log, stream)


def _last_line(path: Path) -> str:
    lines = path.read_text(errors="replace").strip().splitlines()
    return lines[-1][:300] if lines else ""


def dump(session: Session) -> bytes:
    """The endpoint's log and the process's end as JSON, for ``replay``."""
    data = {
        "command": session.command,
        "ended": asdict(session.ended),
        "exchanges": [asdict(exchange) for exchange in session.log.exchanges],
    }
    return json.dumps(data).encode()


def restore(host: Host, dumped: bytes, stream: bytes) -> Session:
    """A session out of what ``dump`` and the stream file hold."""
    data: dict[str, Any] = json.loads(dumped)
    log = ExchangeLog([_exchange(item) for item in data["exchanges"]])
    outcome = host.read(stream.decode(errors="replace").splitlines())
    return Session(data["command"], Ended(**data["ended"]), outcome, log, stream)


def _exchange(item: dict[str, Any]) -> Exchange:
    tools, requested = tuple(item.pop("tools")), tuple(item.pop("requested"))
    usage = Usage(**item.pop("usage"))
    return Exchange(**item, usage=usage, tools=tools, requested=requested)
