"""A grid: which workflows, benchmarks, host and limits make a run (``benchmarks/grids/*.toml``)."""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from codeviews.harness import behaviour, sampling, tasks, workflows
from codeviews.harness.benchmarks import BENCHMARKS, benchmark
from codeviews.harness.errors import BadInput, UnknownName
from codeviews.harness.hosts import host
from codeviews.harness.records import TrialId
from codeviews.harness.tasks import Task

_INSTALLED = Path(__file__).parent / "grids"
FOLDER = (
    _INSTALLED
    if _INSTALLED.is_dir()
    else Path(__file__).resolve().parent.parent / "benchmarks" / "grids"
)
# how a run is carried out; none of it may change a result
CARRIER = frozenset(["jobs", "executor", "scheduler"])


class Grid(BaseModel):
    """One run's whole configuration.

    ``tasks`` and ``repos`` map a benchmark to its task source and to the folder of its
    repositories (``*`` for all). ``script`` maps a workflow (or ``*``) to a behaviour: then a
    scripted model answers instead of the host's own endpoint. ``server`` and ``index`` replace the
    commands of the map server and the index; ``{view}`` and ``{repo}`` are filled in.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str
    benchmarks: tuple[str, ...] = Field(min_length=1)
    workflows: tuple[str, ...] = ("baseline", "ast", "callgraph", "deps", "docs", "hybrid")
    host: str = "claude-code"
    model: str = "claude-haiku-4-5"
    effort: str = "low"
    runs: int = Field(default=1, ge=1)
    max_turns: int = Field(default=0, ge=0)
    budget_usd: float = Field(default=0.0, ge=0)
    timeout: float = Field(default=1800.0, gt=0)
    gate: Literal["repair", "never", "always"] = "repair"
    sample: str = ""
    pilot: dict[str, float] = {}
    seed: int = 0
    limit: int = Field(default=0, ge=0)
    only: tuple[str, ...] = ()
    tasks: dict[str, str] = {}
    repos: dict[str, str] = {}
    script: dict[str, str] = {}
    server: tuple[str, ...] = ()
    index: tuple[str, ...] = ()
    base_url: str = ""
    replay: str = ""
    jobs: int = Field(default=1, ge=1)
    executor: Literal["threads", "dask"] = "threads"
    scheduler: str = ""

    @field_validator("benchmarks", "workflows", "only")
    @classmethod
    def _once(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        """A name that is given twice runs once."""
        return tuple(dict.fromkeys(stripped for name in names if (stripped := name.strip())))

    def digest(self) -> str:
        """Identifies everything that may change a result."""
        data = self.model_dump(mode="json", exclude=set(CARRIER))
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]

    def behaviour_of(self, workflow: str) -> str:
        """The scripted behaviour of a workflow, "" when a real model answers."""
        return self.script.get(workflow) or self.script.get("*", "")

    def repos_of(self, name: str) -> str:
        """The folder of a benchmark's repositories."""
        return self.repos.get(name) or self.repos.get("*", "")

    def tasks_of(self, name: str) -> str:
        """The task source of a benchmark, "" for the hub."""
        return self.tasks.get(name) or self.tasks.get("*", "")

    def gated(self, repairs: bool) -> bool:
        """Whether native reads wait for a map query in a benchmark that repairs, or does not."""
        return self.gate == "always" or (self.gate == "repair" and repairs)

    def check(self) -> Grid:
        """The grid itself, once every name in it is known.

        Raises:
            UnknownName: a benchmark, workflow, host or behaviour is none of the choices.
        BadInput: some workflows have a behaviour and others have none.
        """
        for name in self.benchmarks:
            benchmark(name)
        for name in self.workflows:
            workflows.check(name)
        for name in {*self.tasks, *self.repos, *self.pilot} - {"*"}:
            if name not in BENCHMARKS:
                raise UnknownName("benchmark", name, BENCHMARKS)
        host(self.host)
        for name in set(self.script.values()):
            behaviour.load(name)
        self._check_scripts()
        return self

    def _check_scripts(self) -> None:
        """Behaviours for every workflow or for none: a real model beside a script is a mistake."""
        for name in set(self.script) - {"*"}:
            workflows.check(name)
        open_ = [name for name in self.workflows if not self.behaviour_of(name)]
        if self.script and open_:
            raise BadInput(
                f"no behaviour is given for {', '.join(open_)}: add --script BEHAVIOUR for the rest"
            )


def names() -> list[str]:
    """The grids that ship."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name: str, changes: dict[str, Any] | None = None) -> Grid:
    """A grid by name or file, or a comma-separated list of benchmarks, with changes applied.

    Raises:
        UnknownName: neither a grid nor benchmarks; the choices are listed.
        BadInput: the file or a change is not valid.
    """
    path = Path(name) if name.endswith(".toml") else FOLDER / f"{name}.toml"
    if path.is_file():
        data = _read(path)
    elif all(part in BENCHMARKS for part in name.split(",")):
        data = {"name": name.replace(",", "-"), "benchmarks": name.split(",")}
    else:
        raise UnknownName("grid", name, [*names(), *BENCHMARKS])
    try:
        return Grid.model_validate(_changed(data, changes or {})).check()
    except ValidationError as error:
        raise BadInput(f"grid {name}: {behaviour.first_line(error)}") from error


def _changed(data: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """The grid with changes; a script for single workflows leaves the others theirs."""
    own, given = data.get("script"), changes.get("script")
    if isinstance(own, dict) and isinstance(given, dict) and "*" not in given:
        changes = {**changes, "script": {**own, **given}}
    return {**data, **changes}


def _read(path: Path) -> dict[str, Any]:
    """The file's table; task and repository paths are relative to it."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise BadInput(f"{path} is not TOML: {error}") from error
    data.setdefault("name", path.stem)
    for key in ("tasks", "repos"):
        if isinstance(data.get(key), dict):
            data[key] = {name: _beside(path, value) for name, value in data[key].items()}
    return data


def _beside(path: Path, value: Any) -> Any:
    """A path of a grid file as an absolute one; ``hub`` and what is no text as they are."""
    if not isinstance(value, str) or value == "hub":
        return value
    return str((path.parent / value).resolve())


def pool(grid: Grid, name: str) -> dict[str, Task]:
    """All tasks of a benchmark by id."""
    module = benchmark(name)
    source = grid.tasks_of(name)
    found = [module.task(row) for row in tasks.rows(source, module.DATASET, module.SPLIT)]
    return {task.id: task for task in found}


def chosen(grid: Grid, name: str) -> dict[str, Task]:
    """The tasks a run uses: named ones, a sample, the first few, or all; the same everywhere."""
    every = pool(grid, name)
    ids = sorted(every)
    if grid.only:
        missing = set(grid.only) - set(ids)
        ids = [id for id in ids if id in grid.only]
        if missing and len(grid.benchmarks) == 1:
            raise UnknownName("task", min(missing), sorted(every)[:20])
    if grid.sample:
        confidence, margin = sampling.parse(grid.sample)
        count = sampling.size(len(ids), confidence, margin, grid.pilot.get(name, 0.5))
        ids = sampling.draw(ids, count, grid.seed)
    if grid.limit:
        ids = sampling.draw(ids, grid.limit, grid.seed)
    return {id: every[id] for id in ids}


def trials(grid: Grid, name: str, ids: list[str]) -> list[TrialId]:
    """Every trial of one benchmark, task by task, so that trees and indexes are reused."""
    return [
        TrialId(benchmark=name, task=id, workflow=workflow, run=run)
        for id in ids
        for run in range(grid.runs)
        for workflow in grid.workflows
    ]
