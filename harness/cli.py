"""The ``harness`` command. Exit codes: 0 done, 1 not all is well, 2 misuse or missing parts."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, NoReturn, ParamSpec

import typer
from rich.console import Console
from rich.table import Table as RichTable

from codeviews.core.errors import CodeviewsError
from codeviews.harness import grid as grids
from codeviews.harness import runner
from codeviews.harness.errors import BadInput, DiskFull, HarnessError
from codeviews.harness.progress import LiveProgress, outcome
from codeviews.harness.results import RunFolder
from codeviews.harness.trial import StopRun

P = ParamSpec("P")
RUNS = Path("runs")

app = typer.Typer(
    help="Runs coding agents over a grid of code views and benchmarks, and reports what it finds.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
error_console = Console(stderr=True)

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Out = Annotated[str, typer.Option("--out", help="The run's folder (default: runs/GRID).")]
Slots = Annotated[str, typer.Option("--slots", help="Where working trees and indexes are kept.")]
RunArgument = Annotated[Path, typer.Argument(help="A run's folder.")]


def sentences(command: Callable[P, None]) -> Callable[P, None]:
    """Turn expected errors into one sentence and exit code 2."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except (HarnessError, CodeviewsError) as error:
            fail(str(error))
        except KeyboardInterrupt:
            fail("interrupted; what has a record is safe: give the same command again", 130)

    return run


def fail(sentence: str, code: int = 2) -> NoReturn:
    """Say what is wrong on stderr and exit."""
    error_console.print(sentence, markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(code)


def show(data: Any) -> None:
    """Print JSON on stdout."""
    if is_dataclass(data) and not isinstance(data, type):
        data = asdict(data)
    elif isinstance(data, runner.Summary):
        data = data._asdict()
    sys.stdout.write(json.dumps(data, indent=1, default=str) + "\n")


def mapping(values: list[str] | None, option: str) -> dict[str, str]:
    """``NAME=VALUE`` options as a table; a lone value counts for all names (``*``).

    Raises:
        BadInput: nothing stands before or after the sign.
    """
    found: dict[str, str] = {}
    for item in values or []:
        name, sign, value = item.partition("=")
        if sign and not (name and value):
            raise BadInput(f"{option} takes NAME=VALUE or VALUE, not '{item}'")
        found[name if sign else "*"] = value if sign else name
    return found


@app.command()
@sentences
def run(
    grid: Annotated[str, typer.Option(help="A grid, a .toml file, or benchmarks with commas.")],
    workflows: Annotated[str, typer.Option(help="Workflows with commas.")] = "",
    host: Annotated[str, typer.Option(help="claude-code, codex, opencode or replay.")] = "",
    model: Annotated[str, typer.Option(help="The model, as the host names it.")] = "",
    effort: Annotated[str, typer.Option(help="The host's effort setting.")] = "",
    runs: Annotated[int, typer.Option(help="Runs per task and workflow.")] = 0,
    max_turns: Annotated[int, typer.Option(help="Most model calls per trial.")] = 0,
    budget_usd: Annotated[float, typer.Option(help="Most dollars per trial.")] = 0.0,
    timeout: Annotated[float, typer.Option(help="Most seconds per trial.")] = 0.0,
    sample: Annotated[str, typer.Option(help="CONFIDENCE/MARGIN in percent, as 95/5.")] = "",
    seed: Annotated[int, typer.Option(help="Seed of samples.")] = -1,
    limit: Annotated[int, typer.Option(help="At most so many tasks per benchmark.")] = 0,
    only: Annotated[str, typer.Option(help="Task ids with commas.")] = "",
    tasks: Annotated[
        list[str] | None, typer.Option(help="[BENCHMARK=]FILE, folder or hub.")
    ] = None,
    repos: Annotated[
        list[str] | None, typer.Option(help="[BENCHMARK=]FOLDER of repositories.")
    ] = None,
    script: Annotated[
        list[str] | None, typer.Option(help="[WORKFLOW=]BEHAVIOUR: no key needed.")
    ] = None,
    replay: Annotated[str, typer.Option(help="A run to play again (host replay).")] = "",
    jobs: Annotated[int, typer.Option(help="Trials at a time.")] = 0,
    executor: Annotated[str, typer.Option(help="threads or dask.")] = "",
    scheduler: Annotated[str, typer.Option(help="Address of a Dask scheduler.")] = "",
    out: Out = "",
    slots: Slots = "",
    as_json: Json = False,
) -> None:
    """Run every trial of a grid that has no record yet."""
    simple = {
        "host": host,
        "model": model,
        "effort": effort,
        "runs": runs,
        "max_turns": max_turns,
        "budget_usd": budget_usd,
        "timeout": timeout,
        "sample": sample,
        "limit": limit,
        "replay": str(Path(replay).resolve()) if replay else "",
        "jobs": jobs,
        "executor": executor,
        "scheduler": scheduler,
    }
    changes: dict[str, Any] = {key: value for key, value in simple.items() if value}
    changes |= {"seed": seed} if seed >= 0 else {}
    changes |= {"workflows": workflows.split(",")} if workflows else {}
    changes |= {"only": only.split(",")} if only else {}
    changes |= {"script": mapping(script, "--script")} if script else {}
    changes |= {"repos": absolute(mapping(repos, "--repos"))} if repos else {}
    changes |= {"tasks": absolute(mapping(tasks, "--tasks"))} if tasks else {}
    chosen = grids.load(grid, changes)
    folder = Path(out) if out else RUNS / chosen.name
    finish(chosen, folder, slots, as_json)


def absolute(table: dict[str, str]) -> dict[str, str]:
    """Paths that hold wherever the run is continued."""
    return {k: v if v == "hub" else str(Path(v).resolve()) for k, v in table.items()}


def finish(grid: grids.Grid, folder: Path, slots: str, as_json: bool) -> None:
    """Run, show how it goes, and say what it came to."""
    place = runner.slots_folder(slots)
    go_on = f"complete records are safe, continue with: harness resume {folder}"
    try:
        if as_json:
            done = runner.run(grid, folder, place)
        else:
            with LiveProgress(error_console) as live:
                done = runner.run(grid, folder, place, live)
    except KeyboardInterrupt:
        fail(f"interrupted; {go_on}", 130)
    except (StopRun, DiskFull) as error:
        fail(f"{error}; {go_on}")
    show(done) if as_json else tell(done)
    raise typer.Exit(1 if done.environment or done.problems else 0)


def tell(done: runner.Summary) -> None:
    """The summary for people."""
    console = Console(soft_wrap=True, highlight=False)
    console.print(
        f"{done.trials} trials ({done.ran} now): {done.successes} succeeded, "
        f"{done.ungraded} ungraded, {done.environment} failed for the environment's fault; "
        f"${done.cost_usd:.2f}"
    )
    for kind, count in sorted(done.failures.items()):
        console.print(f"  {count} x {kind}")
    for problem in done.problems:
        console.print(f"  {problem}", markup=False)
    console.print(f"Report: harness report {done.folder}")


@app.command()
@sentences
def resume(folder: RunArgument, slots: Slots = "", as_json: Json = False) -> None:
    """Continue a run where it stopped, under its own configuration."""
    finish(RunFolder(folder).grid(), folder, slots, as_json)


@app.command(name="list")
@sentences
def list_(
    folder: Annotated[str, typer.Argument(help="A run's folder; without it: what there is.")] = "",
    as_json: Json = False,
) -> None:
    """List the trials of a run, or the grids, hosts, benchmarks, workflows and behaviours."""
    if not folder:
        return _choices(as_json)
    loaded = RunFolder(Path(folder))
    loaded.grid()
    records, problems = loaded.load()
    for problem in problems:
        error_console.print(problem, markup=False, highlight=False, soft_wrap=True)
    rows = [
        [r.id.benchmark, r.id.task, r.id.slug, outcome(r), r.failure.kind if r.failure else ""]
        for r in records
    ]
    if as_json:
        keys = ("benchmark", "task", "trial", "outcome", "failure")
        return show([dict(zip(keys, row, strict=True)) for row in rows])
    table = RichTable("benchmark", "task", "trial", "outcome", "failure")
    for row in rows:
        table.add_row(*row)
    return Console().print(table)


def _choices(as_json: bool) -> None:
    from codeviews.harness import behaviour, workflows
    from codeviews.harness.benchmarks import BENCHMARKS
    from codeviews.harness.hosts import HOSTS

    found = {
        "grids": grids.names(),
        "hosts": sorted(HOSTS),
        "benchmarks": sorted(BENCHMARKS),
        "workflows": list(workflows.WORKFLOWS),
        "behaviours": behaviour.names(),
    }
    if as_json:
        return show(found)
    for kind, names in found.items():
        Console(highlight=False).print(f"{kind}: {', '.join(names)}", soft_wrap=True)
    return None


def main() -> None:
    """The ``harness`` command."""
    from codeviews.harness import cli_localize, cli_model, cli_results

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # hosts are ended, not orphaned
    for module in (cli_results, cli_model, cli_localize):
        app.registered_commands += module.app.registered_commands
    app()


if __name__ == "__main__":
    main()
