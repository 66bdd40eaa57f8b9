"""Figures as inline SVG: Figure 3 (change against the baseline on both axes) and the cost split."""

from __future__ import annotations

from typing import Any

from codeviews.harness import canvas, stats
from codeviews.harness.benchmarks import benchmark
from codeviews.harness.frame import Frame, mean, value
from codeviews.harness.workflows import BASELINE

CHEAPER, COSTLIER = "#2a78b5", "#d08b2c"
HIGHER, LOWER = "#3a9a5c", "#c4533f"


def figure_3(frame: Frame, name: str) -> str:
    """Percent change of success and tokens against the baseline, one pair of bars per view.

    Raises:
        MissingProgram: matplotlib is not installed.
    """
    module = benchmark(name)
    views = [workflow for workflow in frame.workflows(name) if workflow != BASELINE]
    rows: list[tuple[str, float, float]] = []
    for view in views:
        pairs = frame.pairs(name, view)
        graded = [(v, b) for v, b in pairs if v.graded and b.graded]
        success = stats.ratio_of_means(
            [value(v, module.SUCCESS) for v, _ in graded],
            [value(b, module.SUCCESS) for _, b in graded],
            resamples=1,
        )
        tokens = stats.ratio_of_means(
            [v.tokens for v, _ in pairs], [b.tokens for _, b in pairs], resamples=1
        )
        rows.append((view, success.value, -tokens.value))
    return _bars(f"{module.TITLE}: improvement over the baseline (%)", rows, module.SUCCESS)


def _bars(title: str, rows: list[tuple[str, float, float]], success: str) -> str:
    figure, axis = canvas.blank(7.2, 0.9 + 0.62 * max(1, len(rows)))
    for number, (_, gain, saved) in enumerate(rows):
        good, bad = (HIGHER, LOWER), (CHEAPER, COSTLIER)
        _bar(axis, number - 0.19, saved, bad[saved < 0])
        _bar(axis, number + 0.19, gain, good[gain < 0])
    axis.set_yticks(range(len(rows)), [row[0] for row in rows])
    axis.invert_yaxis()
    axis.axvline(0, color="#444444", linewidth=0.8)
    axis.margins(x=0.18)
    axis.set_title(title, fontsize=10, loc="left")
    axis.set_xlabel(f"upper bar: tokens saved, lower bar: {success}", fontsize=8)
    return canvas.svg(figure, title)


def _bar(axis: Any, place: float, length: float, colour: str) -> None:
    if length != length:  # no baseline to compare with
        return
    axis.barh(place, length, height=0.34, color=colour)
    side = "left" if length >= 0 else "right"
    shift = 3 if length >= 0 else -3
    axis.annotate(
        f"{length:+.1f} %",
        (length, place),
        xytext=(shift, 0),
        textcoords="offset points",
        ha=side,
        va="center",
        fontsize=8,
    )


def token_split(frame: Frame, name: str) -> str:
    """Mean tokens per trial by kind and workflow, stacked."""
    title = f"{benchmark(name).TITLE}: tokens per trial"
    parts = (("fresh", "#2a78b5"), ("cached", "#a9cbe4"), ("output", "#d08b2c"))
    return _stacked(frame, name, title, parts, "tokens")


def wall_split(frame: Frame, name: str) -> str:
    """Mean wall seconds per trial by part and workflow, stacked."""
    title = f"{benchmark(name).TITLE}: wall seconds per trial"
    parts = (("start", "#bbbbbb"), ("model", "#2a78b5"), ("tool", "#3a9a5c"))
    return _stacked(frame, name, title, parts, "seconds")


def _stacked(
    frame: Frame, name: str, title: str, parts: tuple[tuple[str, str], ...], unit: str
) -> str:
    workflows = frame.workflows(name)
    figure, axis = canvas.blank(7.2, 0.9 + 0.36 * max(1, len(workflows)))
    left = [0.0] * len(workflows)
    for part, colour in parts:
        widths = [mean(frame.of(name, workflow), part) for workflow in workflows]
        axis.barh(workflows, widths, left=left, color=colour, label=part, height=0.6)
        left = [a + b for a, b in zip(left, widths, strict=True)]
    axis.invert_yaxis()
    axis.set_title(title, fontsize=10, loc="left")
    axis.set_xlabel(unit, fontsize=8)
    figure.legend(fontsize=8, frameon=False, ncols=len(parts), loc="outside upper right")
    return canvas.svg(figure, title)
