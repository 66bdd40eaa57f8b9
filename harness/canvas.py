"""A blank figure, and a figure as an ``<svg>`` element for a page of its own."""

from __future__ import annotations

import io
import re
from typing import Any

from codeviews.harness.errors import optional


def blank(width: float, height: float, columns: int = 1) -> tuple[Any, Any]:
    """A matplotlib figure of so many inches and its axes (an array when there are several columns).

    Raises:
        MissingProgram: matplotlib is not installed.
    """
    optional("matplotlib", "report")
    figure = optional("matplotlib.figure", "report").Figure(
        figsize=(width, height), layout="constrained"
    )
    axes = figure.subplots(1, columns, squeeze=False)[0]
    for axis in axes:
        axis.spines[["top", "right", "left"]].set_visible(False)
        axis.tick_params(labelsize=8, length=0)
    return figure, axes if columns > 1 else axes[0]


def svg(figure: Any, title: str) -> str:
    """The figure as an ``<svg>`` element, the same bytes for the same data."""
    matplotlib = optional("matplotlib", "report")
    target = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": title, "svg.fonttype": "none"}):
        figure.savefig(target, format="svg", metadata={"Date": None, "Creator": None})
    text = target.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    return text[text.index("<svg") :].replace("<svg ", '<svg role="img" ', 1)
