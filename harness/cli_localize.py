"""``harness localize`` and ``harness localize-report``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from codeviews.harness.benchmarks import localize as benchmark
from codeviews.harness.cli import Json, mapping, sentences, show
from codeviews.harness.errors import BadInput
from codeviews.harness.localization import figures, runner
from codeviews.harness.localization.configurations import configuration
from codeviews.harness.localization.metrics import summary
from codeviews.harness.localization.records import read
from codeviews.harness.localization.tables import all_tables
from codeviews.harness.report import csv_text, markdown, page
from codeviews.harness.results import write_whole
from codeviews.harness.tasks import rows

app = typer.Typer()


@app.command(name="localize")
@sentences
def localize_command(
    tasks: Annotated[str, typer.Option(help="Task file (.jsonl), folder or hub.")] = "hub",
    repos: Annotated[str, typer.Option(help="Folder of repositories.")] = ".",
    methods: Annotated[str, typer.Option(help="Methods with commas.")] = "lexical",
    provider: Annotated[str, typer.Option(help="anthropic or openai.")] = "",
    model: Annotated[str, typer.Option(help="The primary model.")] = "",
    summary_model: Annotated[str, typer.Option(help="The model that summarizes.")] = "",
    base_url: Annotated[str, typer.Option(help="Another endpoint of that kind.")] = "",
    cohort: Annotated[str, typer.Option(help="The cohort's name in tables.")] = "lite",
    change: Annotated[list[str] | None, typer.Option(help="SETTING=VALUE; repeatable.")] = None,
    runs: Annotated[int, typer.Option(min=1, help="Runs per method and task.")] = 1,
    limit: Annotated[int, typer.Option(min=0, help="At most so many tasks.")] = 0,
    fresh: Annotated[bool, typer.Option(help="Keep no stage of the reference run.")] = False,
    out: Annotated[Path, typer.Option(help="The run's folder.")] = Path("runs/localize"),
    as_json: Json = False,
) -> None:
    """Run localization methods over tasks; continues where an earlier run stopped."""
    name, settings = configuration(mapping(change, "--change"))
    plan = runner.Plan(
        cohort,
        list(dict.fromkeys(name.strip() for name in methods.split(","))),
        repos,
        out,
        runs,
        provider,
        model,
        summary_model,
        base_url,
        name,
        settings,
        fresh,
    )
    wanted = [benchmark.task(row) for row in rows(tasks, benchmark.DATASET, benchmark.SPLIT)]
    wanted = [task for task in wanted if runner.gold_of(task)]
    if not wanted:
        raise BadInput(f"{tasks} has no task with gold functions: there is nothing to score")
    for record in runner.run(plan, wanted[:limit] if limit else wanted):
        place = next((i for i, s in enumerate(record.ranked, 1) if s in record.gold), 0)
        Console(stderr=True).print(
            f"{record.task} {record.method} run {record.run}: gold at {place}"
        )
    found = [r for r in read([plan.records]) if r.configuration == name]
    scores = {
        method: summary([r.scored() for r in found if r.method == method])
        for method in dict.fromkeys(r.method for r in found)
    }
    if as_json:
        return show(scores)
    for method, values in scores.items():
        shown = ", ".join(f"{key} {value:.3f}" for key, value in values.items())
        Console(highlight=False).print(f"{method}: {shown}", soft_wrap=True)
    return None


@app.command(name="localize-report")
@sentences
def report_command(
    records: Annotated[list[Path], typer.Argument(help="localization.jsonl files.")],
    subset: Annotated[
        list[str] | None, typer.Option(help="NAME=FILE of task ids: a part as its own cohort.")
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Folder for one CSV per table.")] = None,
    html: Annotated[Path | None, typer.Option(help="A page with tables and figures.")] = None,
    resamples: Annotated[int, typer.Option(min=100, help="Bootstrap resamples.")] = 50_000,
) -> None:
    """Print every table as Markdown; draw figures 2 to 5 on a page of its own."""
    parts = {name: _ids(Path(file)) for name, file in mapping(subset, "--subset").items()}
    found = read(records)
    if not found:
        raise BadInput(f"{records[0]} holds no records yet: harness localize makes them")
    tables = all_tables(found, parts, resamples)
    if csv is not None:
        for table in tables:
            write_whole(csv / f"{table.name}.csv", csv_text(table).encode())
    if html is not None:
        svgs, warnings = figures.draw(tables)
        write_whole(html, page("Localization", tables, svgs, warnings).encode())
    print(markdown("Localization", tables))


def _ids(file: Path) -> frozenset[str]:
    try:
        text = file.read_text("utf-8")
        found = json.loads(text) if text.lstrip().startswith("[") else text.split()
    except (OSError, ValueError) as error:
        raise BadInput(f"{file} holds no task ids: {error}") from error
    return frozenset(map(str, found))
