"""The part of the ``harness`` command that reads results: report, compare, grade, import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from codeviews.harness import compare as comparing
from codeviews.harness import report as reports
from codeviews.harness.cli import Json, RunArgument, sentences, show
from codeviews.harness.errors import BadInput
from codeviews.harness.frame import frame
from codeviews.harness.results import RunFolder, pooled
from codeviews.harness.tables import all_tables

app = typer.Typer()
Runs = Annotated[list[Path], typer.Argument(help="One run's folder, or several to pool.")]


@app.command()
@sentences
def report(
    folders: Runs,
    out: Annotated[str, typer.Option("--out", help="Folder for the files.")] = "",
    export: Annotated[str, typer.Option("--export", help="inspect: write .eval logs too.")] = "",
    as_json: Json = False,
) -> None:
    """Write the study's tables and figures: Markdown, CSV and one HTML page."""
    records, warnings = pooled(folders)
    labels: comparing.Labels = {}
    for folder in folders:
        labels |= comparing.labels(RunFolder(folder))
    if not records:
        raise BadInput(f"{folders[0]} has no records yet: harness resume {folders[0]}")
    whole = frame(records)
    tables = all_tables(whole, labels)
    target = Path(out) if out else folders[0] / "report"
    title = " and ".join(folder.resolve().name for folder in folders)
    files = reports.write(target, f"Code views: {title}", whole, tables, warnings)
    if export:
        from codeviews.harness.exporters import export_records

        files += export_records(export, folders, target)
    if as_json:
        data = {t.name: [dict(zip(t.columns, row, strict=True)) for row in t.rows] for t in tables}
        return show({"files": files, "warnings": warnings, "tables": data})
    console = Console(highlight=False, soft_wrap=True)
    console.print(reports.markdown(f"Code views: {title}", tables, warnings), markup=False)
    return console.print(f"Open {target / 'report.html'} in a browser.", markup=False)


@app.command()
@sentences
def compare(
    folder: RunArgument,
    first: Annotated[str, typer.Argument(help="A workflow.")],
    second: Annotated[str, typer.Argument(help="Another workflow.")],
    task: Annotated[str, typer.Argument(help="A task id.")],
    run: Annotated[int, typer.Option(help="Which run of the task.")] = 0,
) -> None:
    """Show two trials of one task side by side, turn by turn."""
    of = RunFolder(folder)
    of.grid()
    text = comparing.diff(of, first, second, task, run)
    Console(highlight=False, soft_wrap=True).print(text, markup=False)


@app.command()
@sentences
def grade(
    folder: Annotated[str, typer.Argument(help="A run's folder.")] = "",
    local: Annotated[
        bool, typer.Option("--local", help="Run tests here, without containers.")
    ] = False,
    prove: Annotated[
        str, typer.Option(help="Grade gold and empty patches of this task file.")
    ] = "",
    benchmark: Annotated[
        str, typer.Option(help="swebench or swtbench, with --prove.")
    ] = "swebench",
    repos: Annotated[str, typer.Option(help="Folder of repositories, with --prove.")] = "",
    only: Annotated[str, typer.Option(help="Task ids with commas.")] = "",
    workers: Annotated[int, typer.Option(help="Graders at a time.")] = 1,
    timeout: Annotated[float, typer.Option(help="Most seconds per test run.")] = 1800.0,
    as_json: Json = False,
) -> None:
    """Grade the patches of a run with the official graders, or here with --local."""
    from codeviews.harness import grading

    chosen = tuple(id for id in only.split(",") if id)
    if prove:
        rows = grading.prove(benchmark, prove, repos, chosen, workers, timeout)
    elif folder:
        grader = grading.grade_local if local else grading.grade_official
        rows = grader(RunFolder(Path(folder)), chosen, workers, timeout)
    else:
        raise BadInput("name a run's folder, or a task file with --prove")
    if as_json:
        show([row._asdict() for row in rows])
    else:
        Console(highlight=False, soft_wrap=True).print(grading.table(rows), markup=False)
    proved = not prove or any(row.success is not None for row in rows)
    raise typer.Exit(0 if proved and all(row.as_expected for row in rows) else 1)


@app.command(name="import")
@sentences
def import_(
    source: Annotated[Path, typer.Argument(help="A results file or folder.")],
    form: Annotated[str, typer.Option("--format", help="swebench, inspect or harbor.")],
    benchmark: Annotated[str, typer.Option(help="The benchmark the results are of.")],
    workflow: Annotated[str, typer.Option(help="The name they get in reports.")],
    out: Annotated[Path, typer.Option("--out", help="The run folder to add them to.")],
) -> None:
    """Take in results of other harnesses, to compare them in one report."""
    from codeviews.harness.importers import import_results

    count = import_results(source, form, benchmark, workflow, out)
    Console(highlight=False).print(f"{count} results imported into {out}", markup=False)
