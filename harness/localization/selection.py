"""Which records a table is about, and how a mean over runs is written."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from codeviews.harness.localization import statistics as st
from codeviews.harness.localization.records import LocalizationRecord

Records = Sequence[LocalizationRecord]
OURS = "curaloc"
REFERENCE = "reference"
DASH = "–"
_ODD = re.compile(r"[^\w.()=,+-]+")


def of(
    records: Records, method: str = "", configuration: str = REFERENCE
) -> list[LocalizationRecord]:
    """The records of a method (or all) under a configuration."""
    return [
        r
        for r in records
        if r.configuration == configuration and (not method or r.method == method)
    ]


def methods_in(records: Records) -> list[str]:
    """Methods in order of first appearance, ours first."""
    names = dict.fromkeys(r.method for r in records)
    return sorted(names, key=lambda name: name != OURS)


def by_cohort(records: Records) -> dict[str, list[LocalizationRecord]]:
    """Cohort -> records."""
    out: dict[str, list[LocalizationRecord]] = {}
    for record in records:
        out.setdefault(record.cohort, []).append(record)
    return out


def by_model(records: Records) -> list[LocalizationRecord]:
    """The same records; where they are of several models, each model's are a cohort of their own,
    and those of methods without a model stand in each (tables 1 and 4 are never mixed)."""
    models = list(dict.fromkeys(r.model for r in records if r.model))
    if len(models) < 2:
        return [*records]
    return [
        r.model_copy(update={"cohort": f"{r.cohort} ({model})"})
        for model in models
        for r in records
        if r.model in ("", model)
    ]


def incomplete(records: Records) -> list[str]:
    """Sentences about runs of a method that lack tasks which others have."""
    tasks = {r.task for r in records}
    done: dict[tuple[str, int], set[str]] = {}
    for r in records:
        done.setdefault((r.method, r.run), set()).add(r.task)
    return [
        f"Not finished: run {run} of {method} has {len(found)} of {len(tasks)} tasks."
        for (method, run), found in done.items()
        if found != tasks
    ]


def slug(text: str) -> str:
    """A cohort's name as part of a file name."""
    return _ODD.sub("-", text).strip("-.") or "cohort"


def spread(value: st.Spread, digits: int = 1) -> str:
    """``mean ± deviation``; the mean alone of a single run."""
    if math.isnan(value.mean):
        return DASH
    text = f"{value.mean:.{digits}f}"
    return text if math.isnan(value.deviation) else f"{text} ± {value.deviation:.{digits}f}"
