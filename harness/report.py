"""Reports of one or more runs: Markdown, CSV, and one self-contained HTML page."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Sequence
from pathlib import Path

from codeviews.harness import figures
from codeviews.harness.errors import MissingProgram
from codeviews.harness.frame import Frame
from codeviews.harness.results import write_whole
from codeviews.harness.tables import Table

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1100px; padding: 0 1rem;
  color: #1c1c1c; background: #ffffff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2.2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid #dddddd;
  white-space: nowrap; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: #ffffff; }
tr:hover td { background: #f3f6f9; }
.note { color: #555555; font-size: 13px; max-width: 70ch; }
.best { font-weight: 650; }
figure { margin: 1rem 0; } svg { max-width: 100%; height: auto; }
.warn { background: #fff4e0; border-left: 4px solid #d08b2c; padding: .5rem .8rem; }
"""


def markdown(title: str, tables: Sequence[Table], warnings: Sequence[str] = ()) -> str:
    """The report as Markdown."""
    parts = [f"# {title}", *(f"> {warning}" for warning in warnings)]
    for table in tables:
        parts.append(f"## {table.title}")
        parts.append("\n".join(_markdown_rows(table)))
        if table.note:
            parts.append(table.note)
    return "\n\n".join(parts) + "\n"


def _markdown_rows(table: Table) -> list[str]:
    head = "| " + " | ".join(column.strip() for column in table.columns) + " |"
    rule = "|" + "|".join(["---", *["---:"] * (len(table.columns) - 1)]) + "|"
    return [head, rule, *("| " + " | ".join(_cells(row)) + " |" for row in table.rows)]


def _cells(row: Sequence[object]) -> list[str]:
    return [f"{cell:,}" if isinstance(cell, int) else str(cell).replace("|", "\\|") for cell in row]


def csv_text(table: Table) -> str:
    """One table as CSV."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow([column.strip() for column in table.columns])
    writer.writerows(table.rows)
    return target.getvalue()


def page(
    title: str, tables: Sequence[Table], svgs: Sequence[str], warnings: Sequence[str] = ()
) -> str:
    """The report as one HTML page: no script, no link to anything outside it."""
    body = [f"<h1>{html.escape(title)}</h1>"]
    body += [f'<p class="warn">{html.escape(warning)}</p>' for warning in warnings]
    body += [f"<figure>{svg}</figure>" for svg in svgs]
    body += [_html_table(table) for table in tables]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{STYLE}</style></head>\n"
        f"<body>{''.join(body)}</body></html>\n"
    )


def _html_table(table: Table) -> str:
    head = "".join(f"<th>{html.escape(column.strip())}</th>" for column in table.columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in _cells(row)) + "</tr>"
        for row in table.rows
    )
    note = f'<p class="note">{html.escape(table.note)}</p>' if table.note else ""
    return (
        f'<section id="{html.escape(table.name)}"><h2>{html.escape(table.title)}</h2>'
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
        f"</div>{note}</section>"
    )


def draw(frame: Frame) -> tuple[list[str], list[str]]:
    """All figures, or none and the sentence that says which extra is missing."""
    svgs: list[str] = []
    try:
        for name in frame.benchmarks():
            if len(frame.workflows(name)) > 1:
                svgs.append(figures.figure_3(frame, name))
            svgs += [figures.token_split(frame, name), figures.wall_split(frame, name)]
    except MissingProgram as error:
        return [], [f"No figures: {error}"]
    return svgs, []


def write(
    folder: Path, title: str, frame: Frame, tables: Sequence[Table], warnings: Sequence[str]
) -> list[Path]:
    """Write ``report.md``, ``report.html`` and one CSV per table; gives the files."""
    svgs, more = draw(frame)
    said = [*warnings, *more]
    files = {
        "report.md": markdown(title, tables, said),
        "report.html": page(title, tables, svgs, said),
        **{f"{table.name}.csv": csv_text(table) for table in tables},
    }
    for name, text in files.items():
        write_whole(folder / name, text.encode())
    return [folder / name for name in files]
