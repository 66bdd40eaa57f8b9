"""Runs methods over tasks: one index per task's tree, one record per (method, run, task)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from codeviews.core.session import Session
from codeviews.core.store import Store
from codeviews.harness.errors import BadInput
from codeviews.harness.localization.artifacts import Shelf
from codeviews.harness.localization.methods import MODEL_FREE, Found, method
from codeviews.harness.localization.methods.curaloc import intervened
from codeviews.harness.localization.records import (
    LocalizationRecord,
    StageTokens,
    key,
    read,
    write,
)
from codeviews.harness.localization.selection import OURS
from codeviews.harness.results import make_folder
from codeviews.harness.tasks import Task, listed
from codeviews.harness.workspace import locate, locked, slot
from codeviews.servers.curaloc.planners import Inquiry
from codeviews.servers.curaloc.planners.anthropic import AnthropicClient
from codeviews.servers.curaloc.planners.client import Ledger, ModelClient
from codeviews.servers.curaloc.planners.openai import OpenAIClient
from codeviews.servers.curaloc.ranking import normalized
from codeviews.servers.curaloc.settings import DEFAULT, Settings

CLIENTS = {"anthropic": AnthropicClient, "openai": OpenAIClient}
LOCAGENT_TEMPERATURE = 1.0  # as published; the other compared methods take the model's default


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run. ``provider`` and ``model`` are "" when every method goes without a model.

    ``fresh``: interventions keep no stage of the reference run.
    """

    cohort: str
    methods: Sequence[str]
    repos: str
    out: Path
    runs: int = 1
    provider: str = ""
    model: str = ""
    summary_model: str = ""
    base_url: str = ""
    configuration: str = "reference"
    settings: Settings = field(default_factory=lambda: DEFAULT)
    fresh: bool = False

    @property
    def records(self) -> Path:
        """The record file."""
        return self.out / "localization.jsonl"


def gold_of(task: Task) -> tuple[str, ...]:
    """Functions, methods and classes of the reference patch that existed before."""
    return listed(task.row.get("gold_functions")) or task.gold.symbols


def run(plan: Plan, tasks: Sequence[Task]) -> Iterator[LocalizationRecord]:
    """Run what has no record yet; each record is written before it is yielded.

    Raises:
        BadInput: a method needs a model and none was given, or another run uses the folder.
    """
    _check(plan)
    whole = {"out": plan.out.resolve(), "repos": str(Path(plan.repos).resolve())}
    plan = replace(plan, **whole)  # git runs in other folders
    make_folder(plan.out)
    try:
        with locked(plan.out / "run.lock", wait=False):
            yield from _run(plan, tasks)
    except BlockingIOError as error:
        raise BadInput(f"another run uses {plan.out}: wait for it, or give --out") from error


def _run(plan: Plan, tasks: Sequence[Task]) -> Iterator[LocalizationRecord]:
    done = {key(record) for record in read([plan.records])} if plan.records.exists() else set()
    for task in tasks:
        missing = [
            (name, number)
            for number in range(plan.runs)
            for name in plan.methods
            if gold_of(task) and key(_blank(plan, task, name, number)) not in done
        ]
        if missing:
            yield from _task(plan, task, missing)


def _check(plan: Plan) -> None:
    needing = [name for name in plan.methods if method(name) and name not in MODEL_FREE]
    if needing and (plan.provider not in CLIENTS or not plan.model):
        raise BadInput(f"{', '.join(needing)} need --provider anthropic|openai and --model NAME")


def _task(
    plan: Plan, task: Task, missing: Sequence[tuple[str, int]]
) -> Iterator[LocalizationRecord]:
    source = locate(task, plan.repos, plan.out / "trees")
    with slot(source, plan.out / "slots") as held:
        session = Session(held.repo, held.index)
        try:
            session.build()
            for name, number in missing:
                with session.reading() as store:
                    record = _one(plan, task, store, name, number)
                write([record], plan.records)
                yield record
        finally:
            session.close()


def _one(plan: Plan, task: Task, store: Store, name: str, number: int) -> LocalizationRecord:
    inquiry = Inquiry(task.statement, store, plan.settings)
    client, helper = _clients(plan, name)
    started = time.monotonic()
    record = _blank(plan, task, name, number)
    shelf = None if plan.fresh else Shelf(plan.out)
    if name == OURS and client is not None and shelf is not None:
        found = intervened(inquiry, client, helper, shelf, _trial(record), plan.configuration)
    else:
        found = method(name)(inquiry, client, helper)
    record.seconds = round(time.monotonic() - started, 3)
    return _filled(record, found)


def _trial(record: LocalizationRecord) -> tuple[object, ...]:
    """What a configuration's run has in common with the reference's."""
    return record.cohort, record.model, record.run, record.task


def _clients(plan: Plan, name: str) -> tuple[ModelClient | None, ModelClient | None]:
    """Fresh clients with one ledger: usage is counted per task."""
    if name in MODEL_FREE:
        return None, None
    ledger, make = Ledger(), CLIENTS[plan.provider]
    models = (plan.model, plan.summary_model or plan.model)
    common: dict[str, Any] = {"base_url": plan.base_url, "ledger": ledger}
    temperatures = {"curaloc": plan.settings.temperature, "locagent": LOCAGENT_TEMPERATURE}
    common["temperature"] = temperatures.get(name)
    first, second = (make(model, plan.settings, **common) for model in models)
    return first, second


def _blank(plan: Plan, task: Task, name: str, number: int) -> LocalizationRecord:
    return LocalizationRecord(
        cohort=plan.cohort,
        method=name,
        configuration=plan.configuration,
        model="" if name in MODEL_FREE else plan.model,
        run=number,
        task=task.id,
        repo=task.repo,
        gold=list(gold_of(task)),
        gold_files=list(dict.fromkeys(symbol.partition(":")[0] for symbol in gold_of(task))),
    )


def _filled(record: LocalizationRecord, found: Found) -> LocalizationRecord:
    record.ranked = list(found.ranked)
    record.scoped = list(found.files)
    record.failure = found.failure
    record.tokens = [StageTokens.of(spent) for spent in found.usage]
    record.reused = sorted(found.reused)
    record.complete_usage = not any(s.unreported for s in found.usage if s.retained)
    wanted = set(map(normalized, record.gold))
    if found.exposed is not None:
        record.selection_covered = wanted <= found.exposed
    local = found.localization
    if local is not None and local.inventory is not None:
        name = {s: normalized(c.definition.address) for s, c in local.inventory.capsules.items()}
        record.candidates, record.candidates_covered = len(name), wanted <= set(name.values())
        chosen = local.evidence.selected if local.evidence else ()
        record.selected = len(chosen)
        record.selection_covered = wanted <= {name[sid] for sid in chosen}
        if local.route_map:
            ranked = sorted(local.route_map.assessments, key=lambda a: -a.relevance)
            record.shortlist = [local.inventory.capsules[a.sid].definition.address for a in ranked]
            record.starts = len(local.route_map.starts)
    return record
