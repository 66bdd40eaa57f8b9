"""Replay: play the recorded streams of an earlier run again, without a host and without a model.

Everything the harness derives from a stream is derived anew (tokens, tools, answer, verdict); only
the agent's patch comes from the recorded prediction, because there is no tree to take it from.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from codeviews.harness import session
from codeviews.harness.benchmarks import Benchmark
from codeviews.harness.describing import Attempt, Context, describe, grade
from codeviews.harness.errors import BadInput
from codeviews.harness.hosts import Command, Launch, Outcome, claude_code, host
from codeviews.harness.records import TrialId
from codeviews.harness.results import RunFolder, load_records
from codeviews.harness.tasks import Task

NAME = "replay"
BINARY = ""
PACKAGE = ""
VERSION = ""
KEY = ""
UPSTREAM = ""
LIMITS = True


def command(launch: Launch) -> Command:
    """There is nothing to start.

    Raises:
        BadInput: always.
    """
    raise BadInput("the replay host starts no program: give the run to replay with --replay FOLDER")


def read(lines: Iterable[str]) -> Outcome:
    """Streams of Claude Code, the host the study used."""
    return claude_code.read(lines)


def attempt(context: Context, id: TrialId, task: Task, module: Benchmark) -> Attempt:
    """One attempt out of the recording; a trial of a later run number plays run 0 again.

    Raises:
        BadInput: the trial was not recorded.
    """
    recording = RunFolder(Path(context.grid.replay))
    source = next((i for i in (id, id.model_copy(update={"run": 0})) if recording.done(i)), None)
    if source is None:
        raise BadInput(f"{recording.path} has no recording of {id.benchmark} {id.task} {id.slug}")
    old = load_records([recording.record_path(source)]).records[0]
    stream = recording.file(source, "streams", ".jsonl").read_bytes()
    dumped = recording.file(source, "sessions", ".json").read_bytes()
    program = host(old.host.name)
    seen = session.restore(program, dumped, stream)
    record = describe(context, id, program, seen)
    record.index, record.repo, record.flags = old.index, old.repo, old.flags
    record.failure = old.failure if old.failure and old.failure.kind != "no_prediction" else None
    grade(record, task, module, seen.outcome.text, old.prediction.patch)
    return Attempt(record, seen, module.prompt(task))
