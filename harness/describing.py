"""What a session means: the context of a trial, its record out of a session, and its grade."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from codeviews.harness.benchmarks import Benchmark
from codeviews.harness.exchange import NO_USAGE
from codeviews.harness.grid import Grid
from codeviews.harness.hosts import Host
from codeviews.harness.policy import policy
from codeviews.harness.pricing import cost
from codeviews.harness.records import (
    Failure,
    HostInfo,
    ModelCall,
    Tokens,
    ToolCall,
    TrialId,
    TrialRecord,
    Verdict,
    Wall,
)
from codeviews.harness.results import RunFolder
from codeviews.harness.scripting import no_prediction
from codeviews.harness.session import Session
from codeviews.harness.tasks import Task
from codeviews.harness.tool_names import kind, map_tool


@dataclass(frozen=True, slots=True)
class Context:
    """What every trial of a run shares. Picklable: it crosses to workers."""

    grid: Grid
    folder: str
    slots: str

    @property
    def results(self) -> RunFolder:
        """The run's folder."""
        return RunFolder(Path(self.folder))


class Attempt(NamedTuple):
    """One attempt at a trial: its record, and the session when the host ran at all."""

    record: TrialRecord
    session: Session | None
    prompt: str


def grade(record: TrialRecord, task: Task, module: Benchmark, answer: str, patch: str) -> None:
    """Fill in prediction and verdict of a record; an unusable answer becomes its failure."""
    record.prediction = module.collect(task, answer, patch)
    failure = record.failure
    if failure and not policy(failure.kind).counts:
        return
    if failure and not policy(failure.kind).grade:
        record.verdict = Verdict(success=False, grader="policy", note=failure.message)
        return
    record.verdict = module.grade(task, record.prediction)
    if failure is None and no_prediction(record.prediction):
        said = record.prediction.note or "the agent gave no usable answer"
        record.failure = Failure(kind="no_prediction", message=said)


def describe(context: Context, id: TrialId, program: Host, seen: Session) -> TrialRecord:
    """Everything of a record that the session tells."""
    grid, outcome = context.grid, seen.outcome
    turns = seen.log.turns()
    usage = Tokens.of(sum((turn.usage for turn in turns), NO_USAGE) if turns else outcome.usage)
    snapshot = next((turn.model for turn in turns if turn.model), outcome.model)
    told = HostInfo(
        name=program.NAME,
        version=outcome.version or program.VERSION,
        model=grid.model,
        snapshot=snapshot,
        effort=grid.effort,
        command=seen.command,
    )
    return TrialRecord(
        id=id,
        config=grid.digest(),
        session=outcome.session,
        host=told,
        calls=_calls(seen),
        tools=_tools(seen),
        usage=usage,
        cost_usd=_cost(seen, grid.model, usage),
        context_left=_context_left(seen),
        wall=_wall(seen),
    )


def _calls(seen: Session) -> list[ModelCall]:
    return [
        ModelCall(
            usage=Tokens.of(turn.usage),
            seconds=round(turn.ended - turn.started, 4),
            requested=list(turn.requested),
            stop_reason=turn.stop_reason,
        )
        for turn in seen.log.turns()
    ]


def _tools(seen: Session) -> list[ToolCall]:
    return [
        ToolCall(
            turn=number,
            tool=map_tool(call.name) or call.name,
            kind=kind(call.name),
            arguments=call.arguments,
            output_chars=len(call.output),
            is_error=call.is_error and not call.denied,
            denied=call.denied,
        )
        for number, step in enumerate(seen.outcome.steps)
        for call in step.calls
    ]


def _cost(seen: Session, model: str, usage: Tokens) -> float | None:
    told = seen.outcome.cost_usd
    return told if told is not None else cost(model, usage)


def _context_left(seen: Session) -> int | None:
    turns, window = seen.log.turns(), seen.outcome.context_window
    return window - turns[-1].usage.total if turns and window else None


def _wall(seen: Session) -> Wall:
    exchanges = [e for e in seen.log.exchanges if not e.side]
    total = seen.ended.seconds
    start = exchanges[0].started - seen.ended.started if exchanges else total
    model = sum(min(e.ended, seen.ended.ended) - e.started for e in exchanges)
    tool = max(0.0, total - start - model)
    parts = {"total": total, "start": start, "model": model, "tool": tool}
    return Wall(**{name: round(value, 4) for name, value in parts.items()})
