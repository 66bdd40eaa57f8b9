"""Figures 2 to 5 of the paper as SVG, out of the tables that hold their data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from codeviews.harness import canvas
from codeviews.harness.errors import MissingProgram
from codeviews.harness.localization.selection import REFERENCE
from codeviews.harness.tables import Table

COLOURS = ("#2a78b5", "#d08b2c", "#3a9a5c", "#c4533f", "#7a5ca8", "#5b6770", "#a9cbe4")
MARKERS = {"task": "o", "repository": "s"}
Row = Sequence[Any]


def draw(tables: Sequence[Table]) -> tuple[list[str], list[str]]:
    """Every figure that the tables can fill, or none and the sentence that says what is missing."""
    named = {table.name: table for table in tables}
    svgs: list[str] = []
    try:
        if named["figure-2"].rows:
            svgs.append(tradeoff(named["figure-2"]))
        if "figure-5" in named and named["figure-5"].rows:
            svgs += [differences(named["figure-5"], metric) for metric in ("Func@1", "Func@10")]
        sweeps = [table for table in tables if table.name.startswith("table-9")]
        svgs += [settings(table) for table in sweeps if len(table.rows) > 1]
    except MissingProgram as error:
        return [], [f"No figures: {error}"]
    return svgs, []


def tradeoff(table: Table) -> str:
    """Figure 2: Func@1 against tokens on a logarithmic axis, with sample deviations; by cohort.

    Methods that ask no model have no place on that axis and are drawn as lines.
    """
    cohorts = list(dict.fromkeys(row[0] for row in table.rows))
    methods = list(dict.fromkeys(row[1] for row in table.rows))
    figure, axes = canvas.blank(4.2 * len(cohorts) + 1.6, 3.2, len(cohorts))
    for axis, cohort in zip(axes if len(cohorts) > 1 else [axes], cohorts, strict=True):
        for row in (r for r in table.rows if r[0] == cohort):
            _trade_point(axis, row, COLOURS[methods.index(row[1]) % len(COLOURS)])
        if any(row[4] for row in table.rows if row[0] == cohort):
            axis.set_xscale("log")
        axis.set_title(str(cohort), fontsize=10, loc="left")
        axis.set_xlabel("recorded tokens per task (K)", fontsize=8)
        axis.set_ylabel("Func@1 (%)", fontsize=8)
        axis.legend(fontsize=7, frameon=False)
    return canvas.svg(figure, table.title)


def _trade_point(axis: Any, row: Row, colour: str) -> None:
    _, method, accuracy, spread, tokens, width = row
    if not tokens:
        axis.axhline(
            accuracy, color=colour, linestyle="--", linewidth=1, label=f"{method}, no model"
        )
        return
    axis.errorbar(
        tokens,
        accuracy,
        xerr=_known(width),
        yerr=_known(spread),
        fmt="o",
        color=colour,
        label=method,
        capsize=2,
    )


def _known(deviation: Any) -> float:
    """A single run has no deviation."""
    return 0.0 if deviation == "–" else float(deviation)


def differences(table: Table, metric: str) -> str:
    """Figures 3 and 5: our difference to each baseline with pointwise 95 % intervals."""
    rows: list[Row] = [row for row in table.rows if row[2] == metric]
    pairs = list(dict.fromkeys((row[0], row[1]) for row in rows))
    figure, axis = canvas.blank(7.2, 1.0 + 0.5 * len(pairs))
    for cohort, baseline, _, scheme, middle, low, high, *_ in rows:
        place = pairs.index((cohort, baseline)) + (0.14 if scheme == "repository" else -0.14)
        axis.errorbar(
            middle,
            place,
            xerr=[[middle - low], [high - middle]],
            fmt=MARKERS[scheme],
            color=COLOURS[list(MARKERS).index(scheme)],
            capsize=2,
            markersize=4,
        )
    axis.set_yticks(range(len(pairs)), [f"{cohort}: {baseline}" for cohort, baseline in pairs])
    axis.invert_yaxis()
    axis.axvline(0, color="#444444", linewidth=0.8)
    axis.set_xlabel("points; circle: tasks resampled, square: whole repositories", fontsize=8)
    title = f"{table.title}: {metric}"
    axis.set_title(title, fontsize=10, loc="left")
    return canvas.svg(figure, title)


def settings(table: Table) -> str:
    """Figure 4: Func@1 against tokens, a point per setting. (a) tokens of planning and ranking;
    (b) settings that change the source window alone, with tokens of ranking. The reference is
    outlined in both."""
    depth = [row for row in table.rows if _is_depth(row)]
    breadth = [row for row in table.rows if not _is_depth(row)]
    panels = [("S2 and S3 tokens per task", 6, breadth)]
    if depth:
        reference = [row for row in breadth if row[0] == REFERENCE]
        panels.append(("S3 tokens per task", 7, reference + depth))
    figure, axes = canvas.blank(4.2 * len(panels) + 1.6, 3.2, len(panels))
    for axis, (label, column, rows) in zip(
        axes if len(panels) > 1 else [axes], panels, strict=True
    ):
        for number, row in enumerate(rows):
            edge = "#000000" if row[0] == REFERENCE else "none"
            style = {"markeredgecolor": edge, "color": COLOURS[number % len(COLOURS)]}
            axis.plot(_mean(row[column]), _mean(row[3]), "o", label=str(row[0]), **style)
        axis.set_xlabel(label, fontsize=8)
        axis.set_ylabel("Func@1 (%)", fontsize=8)
        axis.set_title(table.title, fontsize=10, loc="left")
        axis.legend(fontsize=7, frameon=False)
    return canvas.svg(figure, table.title)


def _is_depth(row: Row) -> bool:
    """Whether a setting changes the source window and nothing else."""
    return str(row[0]).startswith("window_lines=") and "," not in str(row[0])


def _mean(cell: Any) -> float:
    """The mean of a cell ``mean ± deviation``; nan where there is none."""
    text = str(cell).split(" ")[0]
    return math.nan if text == "–" else float(text)
