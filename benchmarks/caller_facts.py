"""Scores ``callers_of`` against facts: who calls a symbol, and who only seems to.

A facts file is JSON lines: {"symbol": "path:Qualified.name", "callers": [...], "also": [...],
"never": [...]}; what stands in ``also`` may be listed. A place is ``path:line`` (a caller's is met
within three lines), ``Qualified.name`` or ``file.py:Qualified.name``; paths and names may be given
by their last components. What is listed but stands in no list is counted as ``unnamed``: a fact
that names every caller makes it wrong, others leave it to a reader.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from codeviews.core.session import Session
from codeviews.servers.toolkit import Tool, answer
from codeviews.servers.views import view

PAGE = 200
NEAR = 3  # lines between the start of a call and the line that bears its name


class Fact(NamedTuple):
    """One fact; ``callers``, ``also`` and ``never`` are places as the module's text says."""

    symbol: str
    callers: tuple[str, ...]
    also: tuple[str, ...]
    never: tuple[str, ...]


@dataclass
class Tally:
    """Counts over facts; ``tiers`` counts the listed callers that a fact names, and the others."""

    facts: int = 0
    callers: int = 0
    listed: int = 0
    wrong: int = 0
    unnamed: int = 0
    tiers: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    differences: list[str] = field(default_factory=list[str])

    def as_json(self) -> dict[str, Any]:
        """The counts with recall, and the precision if every unnamed caller were wrong."""
        right = sum(named for named, _ in self.tiers.values())
        other = sum(others for _, others in self.tiers.values())
        return {
            "facts": self.facts,
            "callers": self.callers,
            "listed": self.listed,
            "recall": round(self.listed / max(self.callers, 1), 4),
            "wrong": self.wrong,
            "unnamed": self.unnamed,
            "precision_at_least": round(right / max(right + other, 1), 4),
            "tiers": {t: {"named": n, "other": o} for t, (n, o) in sorted(self.tiers.items())},
            "differences": self.differences,
        }


def read(file: Path) -> list[Fact]:
    """The facts of a file.

    Raises:
        ValueError: a line is no JSON.
        KeyError: a line lacks its symbol.
    """
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
    lists = ("callers", "also", "never")
    return [Fact(row["symbol"], *(tuple(row.get(name, ())) for name in lists)) for row in rows]


def score(root: Path, index_dir: Path | None, facts: Sequence[Fact], within: str = "") -> Tally:
    """Index ``root`` when it must be, ask for every symbol, and count callers below ``within``."""
    session = Session(root, index_dir)
    session.build()
    tool = next(t for t in view("callgraph").tools if t.name == "callers_of")
    tally = Tally()
    for fact in facts:
        found = _callers(session, tool, fact)
        _count(tally, fact, [r for r in found if r["path"].startswith(within)])
    session.close()
    return tally


def _callers(session: Session, tool: Tool, fact: Fact) -> Iterator[dict[str, Any]]:
    offset, total = 0, 1
    while offset < total:
        asked = {"symbol": fact.symbol, "limit": PAGE, "cursor": str(offset)}
        data = answer(session, tool, asked)[0].data
        total = data.get("total", 0)
        offset += PAGE
        yield from data.get("results", [])


def _count(tally: Tally, fact: Fact, found: Sequence[dict[str, Any]]) -> None:
    missing = [place for place in fact.callers if not any(_is_at(r, place) for r in found)]
    wrong = [place for place in fact.never if any(_is_at(r, place, 0) for r in found)]
    others = set[str]()
    for caller in _distinct(found):
        named = any(_is_at(caller, place) for place in fact.callers + fact.also)
        tally.tiers.setdefault(caller["tier"], [0, 0])[not named] += 1
        if not named:
            others.add(f"{caller['symbol']} ({caller['path']}:{caller['line']}, {caller['tier']})")
    tally.facts += 1
    tally.callers += len(fact.callers)
    tally.listed += len(fact.callers) - len(missing)
    tally.wrong += len(wrong)
    tally.unnamed += len(others)
    tally.differences += [f"{fact.symbol}: missing {place}" for place in missing]
    tally.differences += [f"{fact.symbol}: wrong {place}" for place in wrong]
    tally.differences += [f"{fact.symbol}: unnamed {other}" for other in sorted(others)]


def _distinct(found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each caller once, by its surest call: answers list the surest first."""
    return list({result["symbol"]: result for result in reversed(found)}.values())


def _is_at(result: dict[str, Any], place: str, near: int = NEAR) -> bool:
    path, _, name = place.rpartition(":")
    if name.isdecimal():
        return _ends(result["path"], path, "/") and abs(result["line"] - int(name)) <= near
    own_path, _, own_name = re.sub(r"#\d+", "", result["symbol"]).partition(":")
    return _ends(own_name, name, ".") and (not path or _ends(own_path, path, "/"))


def _ends(text: str, end: str, separator: str) -> bool:
    return text == end or text.endswith(separator + end)
