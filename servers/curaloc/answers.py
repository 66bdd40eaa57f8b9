"""A localization as JSON (DESIGN section 9) and as lines of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from codeviews.core.render import Answer
from codeviews.servers.curaloc.pipeline import REPORT_CUT
from codeviews.servers.curaloc.records import Localization, Prediction, Spent
from codeviews.servers.curaloc.routemap import as_data


def data_of(found: Localization) -> dict[str, Any]:
    """``{"predictions", "route_map", "usage", ...}``."""
    out: dict[str, Any] = {
        "predictions": [p._asdict() for p in found.predictions],
        "route_map": {},
        "usage": usage_of(found.usage),
        "files": found.scope.paths,
        "failure": found.failure,
        "diagnostics": dict(found.diagnostics),
    }
    if found.inventory is not None:
        capsules = found.inventory.capsules
        out["candidates"] = len(capsules)
        if found.route_map is not None:
            out["route_map"] = as_data(found.route_map, found.inventory)
        if found.evidence is not None:
            out["selected"] = [capsules[s].definition.address for s in found.evidence.selected]
            out["evidence_tokens"] = found.evidence.tokens
            out["blocks_omitted"] = found.evidence.omitted
    return out


def usage_of(spent: tuple[Spent, ...]) -> dict[str, Any]:
    """Tokens in all and by stage; abandoned attempts are kept apart (H.2)."""
    kept = [s for s in spent if s.retained]
    return {
        "input": sum(s.input for s in kept),
        "output": sum(s.output for s in kept),
        "total": sum(s.input + s.output for s in kept),
        "abandoned": sum(s.input + s.output for s in spent if not s.retained),
        "failed_requests": sum(s.failed for s in spent),
        "unreported": sum(s.unreported for s in kept),
        "stages": [asdict(s) for s in spent],
    }


def line_of(place: int, prediction: Prediction) -> str:
    """One ranked symbol of a text answer."""
    p = prediction
    name = p.symbol.partition(":")[2]
    return f"{place:>2}. {p.path}:{p.start_line}-{p.end_line}  {name} ({p.kind})  {p.score:.2f}"


def shown(found: Localization) -> Answer:
    """A localization as an answer."""
    answer = Answer(found=bool(found.predictions))
    lines = [line_of(place, p) for place, p in enumerate(found.predictions, 1)]
    for title, content in (
        ("Edit locations, most likely first", lines),
        ("Candidate files", found.scope.paths),
    ):
        if content:
            answer.add(title, content)
    if found.failure:
        answer.add("", [f"No location: {found.failure.rstrip('.')}."])
        if not found.usage:
            answer.note("Give the whole report, or name symbols, messages or paths in it.")
    answer.note(cut_note(found.diagnostics.get(REPORT_CUT, 0)))
    answer.data = data_of(found)
    if any(spent.calls or spent.failed for spent in found.usage):
        answer.note(_cost(answer.data["usage"]))
    return answer


def _cost(usage: Mapping[str, Any]) -> str:
    parts = [f"failed requests: {usage['failed_requests']}"]
    if usage["unreported"]:
        parts.append(f"answers that report no tokens: {usage['unreported']}")
    if usage["abandoned"]:
        parts.append(f"{usage['abandoned']:,} more in abandoned answers")
    return f"{usage['total']:,} tokens ({', '.join(parts)})"


def cut_note(characters: int) -> str:
    """A sentence about what was not read of a report; "" when all of it was."""
    return (
        f"The report was cut: its last {characters:,} characters were not read."
        if characters
        else ""
    )
