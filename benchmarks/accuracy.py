"""Scores call edges against suites in PyCG's format.

    python benchmarks/accuracy.py SUITE_DIR [--language python|javascript] [--json] [--missing]
                                  [--strict]
    python benchmarks/accuracy.py ROOT --facts FILE.jsonl [--within FOLDER/] [--index-dir DIR]

With ``--facts`` the callers that ``callers_of`` lists in a repository are scored (see
``caller_facts.py``); else a suite is: a case is a folder with sources and ``callgraph.json``:
{caller: [callees]}, names dotted from the case folder (``pkg.mod.Class.method``,
``main.<lambda1>``). A case may be a whole project. The category of a case is the first folder of
its path in the suite.

Only callees inside the case count: ``<builtin>.len`` and names of modules the case does not hold
are left out. A class as a target counts when the case itself names classes as callees, because
most suites name ``__init__`` only. ``calls``, ``implicit`` and ``decorates`` edges are scored.
Calls that no syntax shows (properties, ``__str__``, ``__iter__``: kind ``implicit``) count, in the
same way, when the case names a callee of that kind, because many suites hold written calls only;
with ``--strict`` they always count.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import caller_facts

from codeviews.core.languages import LANGUAGES, language_of
from codeviews.core.resolve.memory import MemoryRepo, named_edges

KINDS = frozenset(["calls", "implicit", "decorates"])
SKIPPED = frozenset([".git", "__pycache__", "node_modules"])
Pair = tuple[str, str]
ARROW = re.compile(
    rb"^(?:export\s+)?(?:const|let|var)\s+\w+\s*=\s*(?:async\s*)?(?:\([^()]*\)|\w+)\s*=>"
)


@dataclass(slots=True)
class Score:
    """Counts over the edges of some cases."""

    correct: int = 0
    extra: int = 0
    missing: int = 0
    cases: int = 0
    complete: int = 0  # cases without an extra edge
    sound: int = 0  # cases without a missing edge

    def add(self, found: set[Pair], expected: set[Pair]) -> None:
        """Count one case."""
        extra, missing = len(found - expected), len(expected - found)
        self.correct += len(found & expected)
        self.extra += extra
        self.missing += missing
        self.cases += 1
        self.complete += not extra
        self.sound += not missing

    def as_json(self) -> dict[str, float | int]:
        """Counts with precision, recall and F1."""
        precision = self.correct / (self.correct + self.extra) if self.correct else 0.0
        recall = self.correct / (self.correct + self.missing) if self.correct else 0.0
        f1 = 2 * precision * recall / (precision + recall) if self.correct else 0.0
        return {
            "cases": self.cases,
            "correct": self.correct,
            "extra": self.extra,
            "missing": self.missing,
            "complete": self.complete,
            "sound": self.sound,
            "precision": round(precision, 4),
            "recall": round(recall, 4),
            "f1": round(f1, 4),
        }


@dataclass(slots=True)
class Report:
    """Scores of a suite: in all, by category, and correct/extra edges by tier."""

    total: Score = field(default_factory=Score)
    categories: dict[str, Score] = field(default_factory=lambda: defaultdict(Score))
    tiers: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    differences: list[str] = field(default_factory=list)


def cases(suite: Path) -> Iterator[Path]:
    """Folders that hold a ``callgraph.json``, outermost first."""
    for path in sorted(suite.rglob("callgraph.json")):
        if SKIPPED.isdisjoint(path.parts):
            yield path.parent


def sources(case: Path, family: str) -> dict[str, bytes]:
    """Path -> bytes of the case's files that matter to a resolver family."""
    found: dict[str, bytes] = {}
    for path in sorted(case.rglob("*")):
        name = path.relative_to(case).as_posix()
        wanted = LANGUAGES[language_of(name)] == family or "/" not in name
        if wanted and path.is_file() and SKIPPED.isdisjoint(path.parts):
            found[name] = path.read_bytes()
    return found


def dotted(name: str) -> str:
    """``pkg/mod.py:Class.method`` as ``pkg.mod.Class.method``; ``#n`` of redefinitions goes."""
    path, _, qualname = name.partition(":")
    module = re.sub(r"\.\w+$", "", path)
    module = re.sub(r"(^|/)__init__$", "", module).replace("/", ".")
    return re.sub(r"#\d+", "", f"{module}.{qualname}".strip("."))


def javascript_name(name: str) -> str:
    """As :func:`dotted`, with the conventions of JavaScript suites.

    ``folder/index.js`` is the module ``folder``, and a computed key follows its owner directly
    (suites write both ``Cls.[Symbol.iterator]`` and ``Cls[Symbol.iterator]``).
    """
    path, _, qualname = name.partition(":")
    path = re.sub(r"/index(\.\w+)$", r"\1", path)
    return dotted(f"{path}:{qualname}").replace(".[", "[")


def arrow_names(repo: MemoryRepo) -> dict[str, str]:
    """``path:name`` of named arrow functions -> ``path:<arrowN>``, N per scope in order."""
    found: dict[str, str] = {}
    for file in repo.files():
        source, counts = repo.read(file.path), defaultdict[str, int](int)
        for symbol in file.facts.symbols:
            text = source[symbol.start_byte : symbol.end_byte]
            if symbol.kind == "function" and ARROW.search(text):
                scope = symbol.qualname.rpartition(".")[0]
                counts[scope] += 1
                arrow = f"{scope}.<arrow{counts[scope]}>".lstrip(".")
                found[f"{file.path}:{symbol.qualname}"] = f"{file.path}:{arrow}"
    return found


def naming(repo: MemoryRepo, family: str, case: Path) -> Callable[[str], str]:
    """How a suite of this language writes ``path:qualname``."""
    if family != "javascript":
        return dotted
    uses_arrows = "<arrow" in (case / "callgraph.json").read_text("utf-8")
    arrows = arrow_names(repo) if uses_arrows else {}
    return lambda name: javascript_name(arrows.get(name, name))


def expected_pairs(case: Path, modules: set[str]) -> set[Pair]:
    """The case's (caller, callee) pairs with callees inside the case."""
    graph: dict[str, list[str]] = json.loads((case / "callgraph.json").read_text("utf-8"))
    return {
        (caller.replace(".[", "["), callee.replace(".[", "["))
        for caller, callees in graph.items()
        for callee in callees
        if _is_inside(callee, modules)
    }


def _is_inside(name: str, modules: set[str]) -> bool:
    parts = name.split(".")
    return any(".".join(parts[:size]) in modules for size in range(1, len(parts)))


def recorded_kinds(repo: MemoryRepo, named: set[str], written: Callable[[str], str]) -> set[str]:
    """The kinds of implicit callees a case names: ``property`` and names of special methods."""
    found = {name.rpartition(".")[2] for name in named if name.endswith("__")}
    properties = {written(name) for name in property_names(repo)}
    return found | ({"property"} if properties & named else set())


def property_names(repo: MemoryRepo) -> set[str]:
    """``path:qualname`` of every property."""
    return {
        f"{file.path}:{symbol.qualname}"
        for file in repo.files()
        for symbol in file.facts.symbols
        if symbol.kind == "property"
    }


def implicit_kind(target: str) -> str:
    """``__iter__`` of ``a.py:Bag.__iter__``; everything else is a property."""
    last = re.sub(r"#\d+$", "", target.rpartition(".")[2])
    return last if last.startswith("__") and last.endswith("__") else "property"


def found_tiers(
    repo: MemoryRepo,
    family: str,
    expected: set[Pair],
    written: Callable[[str], str],
    strict: bool,
) -> dict[Pair, str]:
    """Resolved (caller, callee) pairs, named by ``written``, with their best tier."""
    classes = {
        f"{file.path}:{symbol.qualname}"
        for file in repo.files()
        for symbol in file.facts.symbols
        if symbol.kind == "class"
    }
    named = {callee for _, callee in expected}
    keeps_classes = any(written(name) in named for name in classes)
    kinds = recorded_kinds(repo, named, written)
    found: dict[Pair, str] = {}
    for edge in named_edges(repo, family):
        if edge.kind not in KINDS or (edge.target in classes and not keeps_classes):
            continue
        if edge.kind == "implicit" and not strict and implicit_kind(edge.target) not in kinds:
            continue
        pair = (written(edge.source), written(edge.target))
        found[pair] = min(edge.tier, found.get(pair, "Z"))
    return found


def score_case(suite: Path, case: Path, family: str, report: Report, strict: bool) -> None:
    """Resolve one case and add it to the report."""
    repo = MemoryRepo.from_files(sources(case, family), family)
    written = naming(repo, family, case)
    modules = {written(file.path) for file in repo.files()}
    expected = expected_pairs(case, modules)
    found = found_tiers(repo, family, expected, written, strict)
    name = case.relative_to(suite).as_posix()
    report.total.add(set(found), expected)
    report.categories[name.partition("/")[0]].add(set(found), expected)
    for pair, tier in found.items():
        report.tiers[tier][pair not in expected] += 1
    for pair in sorted(set(found) - expected):
        report.differences.append(f"{name}: extra ({found[pair]}) {pair[0]} -> {pair[1]}")
    for pair in sorted(expected - set(found)):
        report.differences.append(f"{name}: missing {pair[0]} -> {pair[1]}")


def run(suite: Path, language: str, strict: bool = False) -> Report:
    """Score every case of a suite."""
    report = Report()
    for case in cases(suite):
        score_case(suite, case, LANGUAGES[language], report, strict)
    return report


def as_json(report: Report) -> dict[str, object]:
    """The whole report as JSON data."""
    tiers = {
        tier: {"correct": good, "extra": bad, "precision": round(good / (good + bad), 4)}
        for tier, (good, bad) in sorted(report.tiers.items())
    }
    return {
        "total": report.total.as_json(),
        "tiers": tiers,
        "categories": {name: s.as_json() for name, s in sorted(report.categories.items())},
        "differences": report.differences,
    }


def as_text(report: Report, missing: bool) -> str:
    """The report as a table."""
    rows = [*sorted(report.categories.items()), ("all", report.total)]
    lines = [f"{'category':22} cases  correct/extra/missing  complete sound  P     R     F1"]
    for name, score in rows:
        data = score.as_json()
        counts = f"{score.correct}/{score.extra}/{score.missing}"
        ratios = f"{data['precision']:.3f} {data['recall']:.3f} {data['f1']:.3f}"
        cells = f"{score.cases:5}  {counts:>21}  {score.complete:8} {score.sound:5}"
        lines.append(f"{name:22} {cells}  {ratios}")
    for tier, (good, bad) in sorted(report.tiers.items()):
        lines.append(f"tier {tier}: {good} correct, {bad} extra, P {good / (good + bad):.3f}")
    return "\n".join([*lines, *(report.differences if missing else [])])


def main(arguments: list[str] | None = None) -> int:
    """Command line entry; prints the report."""
    parser = argparse.ArgumentParser(description="Score call edges against a PyCG-style suite.")
    parser.add_argument("suite", type=Path)
    parser.add_argument("--language", default="python", choices=sorted(LANGUAGES))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--missing", action="store_true", help="list every difference")
    parser.add_argument("--strict", action="store_true", help="count every implicit call")
    parser.add_argument("--facts", type=Path, help="score the callers that these facts name")
    parser.add_argument("--within", default="", help="count callers below this folder only")
    parser.add_argument("--index-dir", type=Path)
    options = parser.parse_args(arguments)
    if options.facts:
        facts = caller_facts.read(options.facts)
        tally = caller_facts.score(options.suite, options.index_dir, facts, options.within)
        print(json.dumps(tally.as_json(), indent=1))
        return 0
    report = run(options.suite, options.language, options.strict)
    if not report.total.cases:
        print(f"no callgraph.json below {options.suite}", file=sys.stderr)
        return 1
    text = json.dumps(as_json(report), indent=1) if options.json else None
    print(text or as_text(report, options.missing))
    return 0


if __name__ == "__main__":
    sys.exit(main())
