"""Draws call sites of a repository for judging by reading, with what the resolver says of each.

    python benchmarks/sample_sites.py ROOT LANGUAGE [--count 50] [--seed 7] [--tests] [--json]

A site is drawn uniformly from all call sites of non-test files (``--tests`` adds test files).
Printed are the line as written, every target with tier and rule, or the reason why there is none.
The judged figures stand in ``docs/accuracy.md``.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from codeviews.core.facts import TEST
from codeviews.core.languages import LANGUAGES, language_of
from codeviews.core.resolve.memory import MemoryRepo, resolve_named

SKIPPED = frozenset([".git", "node_modules", "vendor"])
MANIFESTS = frozenset(["go.mod", "package.json", "jsconfig.json", "Cargo.toml", "composer.json"])


class Sampled(NamedTuple):
    """A call site with its verdict: targets as ``name (tier, rule)`` or a reason."""

    path: str
    line: int
    name: str
    text: str
    targets: list[str]
    reasons: list[str]


def contents(root: Path, family: str) -> dict[str, bytes]:
    """Sources of a family and the manifests its resolver reads."""
    found: dict[str, bytes] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if not SKIPPED.isdisjoint(path.parts) or not path.is_file():
            continue
        is_manifest = path.name in MANIFESTS or path.name.startswith("tsconfig")
        if is_manifest or LANGUAGES[language_of(name)] == family:
            found[name] = path.read_bytes()
    return found


def sample(root: Path, language: str, count: int, seed: int, tests: bool) -> list[Sampled]:
    """Draw ``count`` call sites of one language, the same for the same seed and sources."""
    family = LANGUAGES[language]
    repo = MemoryRepo.from_files(contents(root, family), family)
    sites = [
        (file.path, site.line, site.name)
        for file in repo.files()
        if file.facts.language == language and (tests or not file.marks & TEST)
        for site in file.facts.sites
        if site.kind == "calls"
    ]
    drawn = random.Random(seed).sample(sites, min(count, len(sites)))
    targets, reasons = _verdicts(repo, family)
    return [
        Sampled(path, line, name, _line(repo, path, line), targets[path, line], reasons[path, line])
        for path, line, name in sorted(drawn)
    ]


Verdicts = dict[tuple[str, int], list[str]]


def _verdicts(repo: MemoryRepo, family: str) -> tuple[Verdicts, Verdicts]:
    targets: Verdicts = defaultdict(list)
    reasons: Verdicts = defaultdict(list)
    resolved = resolve_named(repo, family)
    for edge in resolved.edges:
        if edge.kind in ("calls", "implicit"):
            path = edge.source.partition(":")[0]
            targets[path, edge.line].append(f"{edge.target} ({edge.tier}, {edge.rule})")
    for path, site in resolved.unresolved:
        if site.kind == "calls":
            reasons[path, site.line].append(f"{site.name}: {site.reason}")
    return targets, reasons


def _line(repo: MemoryRepo, path: str, line: int) -> str:
    lines = repo.read(path).decode("utf-8", "replace").splitlines()
    return lines[line - 1].strip()[:160] if line <= len(lines) else ""


def main(arguments: list[str] | None = None) -> int:
    """Command line entry; prints the sample."""
    parser = argparse.ArgumentParser(description="Draw call sites for judging by reading.")
    parser.add_argument("root", type=Path)
    parser.add_argument("language", choices=sorted(name for name in LANGUAGES if LANGUAGES[name]))
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--tests", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    drawn = sample(options.root, options.language, options.count, options.seed, options.tests)
    if options.json:
        print(json.dumps([item._asdict() for item in drawn], indent=1))
        return 0
    for number, item in enumerate(drawn, 1):
        print(f"{number}. {item.path}:{item.line} {item.name}\n   | {item.text}")
        for target in item.targets:
            print(f"   -> {target}")
        for reason in item.reasons:
            print(f"   -- {reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
