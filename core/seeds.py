"""A report's clues, looked up in the index: which symbols and files each kind of clue points at.

Each kind is a *channel* with values from 0 to about 1, so that ``core/rank.py`` can weigh them and
an answer can say why something is there. Nothing is decided here.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from codeviews.core import config
from codeviews.core.drivers import files_of_driver
from codeviews.core.facts import CODE_KINDS, DECLARATION, TEST
from codeviews.core.fulltext import beside, best_rows, of_tests
from codeviews.core.kept import files_by_id
from codeviews.core.places import HEADERS, PACKAGE_STEMS, Paths
from codeviews.core.report import (
    CONFIG,
    DOTTED,
    IDENTIFIER,
    LITERAL,
    MODULE,
    PATH,
    SUBJECT,
    WORD,
    Clue,
    Frame,
    Report,
)
from codeviews.core.store import Definition, Hit, Store, quote

Channels = dict[str, float]


def _table() -> dict[int, Channels]:
    return defaultdict(dict)


@dataclass(slots=True)
class Evidence:
    """What points at each symbol (by id) and file (by id), by channel; ``reasons`` holds the clue
    texts behind a symbol or, under a negative id, behind a file; ``terms`` are the FTS terms of the
    whole report with what each tells, ``subjects`` the words of a tracker's fields."""

    symbols: dict[int, Channels] = field(default_factory=_table)
    files: dict[int, Channels] = field(default_factory=_table)
    reasons: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    terms: dict[str, float] = field(default_factory=dict[str, float])
    subjects: frozenset[str] = frozenset()

    def symbol(self, found: int, channel: str, value: float, reason: str = "") -> None:
        """Add to one symbol; clues of one channel sum up."""
        _add(self.symbols[found], channel, value)
        self._because(found, reason)

    def file(self, found: int, channel: str, value: float, reason: str = "") -> None:
        """Add to one file."""
        _add(self.files[found], channel, value)
        self._because(-found, reason)

    def _because(self, key: int, reason: str) -> None:
        if reason and reason not in self.reasons.setdefault(key, []):
            self.reasons[key].append(reason)


def _add(channels: Channels, channel: str, value: float) -> None:
    channels[channel] = channels.get(channel, 0.0) + value


def find_evidence(store: Store, report: Report, include_tests: bool = False) -> Evidence:
    """Look every clue of ``report`` up. Reads the index only; deterministic.

    ``include_tests`` lets tests be found like other code; else they only lead to what they call.
    """
    evidence = Evidence(subjects=frozenset(clue.text for clue in report.of(SUBJECT)))
    _add_asked(store, report, evidence)
    _add_text(store, report, evidence, 0 if include_tests else TEST)
    _add_tested(store, evidence)
    _add_literals(store, report.of(LITERAL), evidence)
    for clue in report.of(IDENTIFIER)[: config.NAMES_LOOKED_UP]:
        _add_named(store, clue, evidence)
    for clue in report.of(WORD)[: config.WORDS_LOOKED_UP]:
        _add_plain_name(store, clue, evidence)
    paths = Paths(store)
    for clue in report.of(DOTTED)[: config.NAMES_LOOKED_UP]:
        _add_dotted(store, clue, paths, evidence)
    for clue in report.of(PATH, MODULE):
        _add_path(store, clue, paths, evidence)
    drivers = [clue for clue in report.of(MODULE) if clue.origin != "code"]  # imports are not
    for clue in drivers[: config.DRIVERS_LOOKED_UP]:
        _add_driver(store, clue, paths, evidence)
    for frame in report.frames:
        _add_frame(store, frame, paths, evidence)
    return evidence


# --- full text ------------------------------------------------------------------------------------
_MACHINE = ("code", "trace", "error", "log")
_ENDING = re.compile(
    r"(?:ations?|ings?|ies|ied|ers?|ed|es|s|ly|able|abilit(?:y|ies)|ably|ness"
    r"|ments?|ity|i[sz]ed?|ive|al)$"
)


def _add_text(store: Store, report: Report, evidence: Evidence, apart: int) -> None:
    clues = report.of(WORD, IDENTIFIER, CONFIG)
    rarity = Rarity(store)
    title = [clue for clue in clues if clue.origin == "title"]
    code = [clue for clue in clues if clue.kind != WORD or clue.origin in _MACHINE]
    found: dict[tuple[str, frozenset[str]], list[_Share]] = {}  # a short question is its own title
    for channel, part in (("title", title), ("text", clues), ("code", code)):
        told = weighted_terms(rarity, part, config.QUERY_TERMS)
        terms = [*told]
        if channel == "text":
            evidence.terms = told
        for table, columns, limit, add in (
            ("symbol_text", config.SYMBOL_COLUMNS, config.SYMBOLS_FOUND, evidence.symbol),
            ("file_text", config.FILE_COLUMNS, config.FILES_FOUND, evidence.file),
        ):
            key = (table, frozenset(terms))
            if key not in found:
                limits, second = (limit, config.DEMOTED_FOUND), beside(store, table, apart)
                found[key] = _shares(*best_rows(store, table, terms, columns, limits, second))
            tested = of_tests(store, table, apart)
            for id_, share in found[key]:
                add(id_, f"test_{channel}" if tested[id_] else channel, share)


_Share = tuple[int, float]
"""(id, score as a share of the best code's)."""


def _shares(plain: Sequence[Hit], demoted: Sequence[Hit]) -> list[_Share]:
    """Code has places of its own; what is demoted has a few beside it."""
    top = max((hit.score for hit in (plain or demoted)[:1]), default=1.0)
    return [(hit.id, min(hit.score / top, 1.0)) for hit in (*plain, *demoted)]


def _add_tested(store: Store, evidence: Evidence) -> None:
    """What tests with the report's words call: tests tell in words what code does. A target that
    everything calls tells little."""
    tests = {i: c["test_text"] for i, c in evidence.symbols.items() if "test_text" in c}
    edges = store.edges("source", sorted(tests), ("calls", "implicit", "inherits", "references"))
    degrees = store.in_degrees(sorted({edge.target for edge in edges}))
    own = Counter(source for source, _ in {(e.source, e.target) for e in edges})
    for source, target in sorted({(e.source, e.target) for e in edges}):
        value = tests[source] ** 2 / math.sqrt(own[source] * degrees[target])
        evidence.symbol(target, "tested", value)


class Rarity:
    """Inverse document frequency of FTS terms over definitions, each counted once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._total = store.row_count("symbol_text")
        self._known: dict[str, float] = {}

    def __call__(self, term: str) -> float:
        """0.0 for a term that nothing holds."""
        if term not in self._known:
            n = self._store.match_count("symbol_text", term)
            self._known[term] = math.log(1 + (self._total - n + 0.5) / (n + 0.5)) if n else 0.0
        return self._known[term]


def weighted_terms(
    rarity: Callable[[str], float], clues: Iterable[Clue], limit: int
) -> dict[str, float]:
    """FTS terms of the ``limit`` clues that tell most, and how much (weight x inverse document
    frequency), best first.

    Words are cut to their stem and match as prefixes: reports say "filtering", code ``filter``.
    """
    weight: dict[str, float] = {}
    for clue in clues:
        term = stem_term(clue.text) if clue.kind == WORD else quote(clue.text)
        weight[term] = max(weight.get(term, 0.0), clue.weight)
    heaviest = sorted(weight, key=lambda term: -weight[term])[: limit * 2]
    told = {term: weight[term] * rarity(term) for term in heaviest}
    best = sorted((t for t in heaviest if told[t] > 0), key=lambda t: -told[t])[:limit]
    return {term: told[term] for term in best}


def stem_term(word: str) -> str:
    """A word as an FTS prefix term without its grammatical ending."""
    short = stem(word)
    return f"{quote(short)}*" if short != word else quote(word)


def stem(word: str) -> str:
    """A lower-case word without its grammatical ending, or as it is when little would be left."""
    short = _ENDING.sub("", word) if len(word) > 5 else word
    return short if len(short) >= 4 else word


def _add_literals(store: Store, clues: Sequence[Clue], evidence: Evidence) -> None:
    """Messages as phrases: the code that prints them, or the file that holds them."""
    for clue in clues[: config.LITERALS_LOOKED_UP]:
        for table, columns, add in (
            ("symbol_text", config.SYMBOL_COLUMNS, evidence.symbol),
            ("file_text", config.FILE_COLUMNS, evidence.file),
        ):
            term = quote(clue.text)
            hits = store.match(table, term, [*columns.values()], config.COMMON + 1)
            if len(hits) <= config.COMMON:
                for hit in hits:
                    add(hit.id, "literal", clue.weight / len(hits), f'"{clue.text}"')


# --- names ----------------------------------------------------------------------------------------
def _add_named(store: Store, clue: Clue, evidence: Evidence) -> None:
    found = _production(store.named(clue.text, config.COMMON * 4))
    if 0 < len(found) <= config.COMMON:
        channel = "own_name" if clue.own else "name"
        for definition in found:
            evidence.symbol(definition.id, channel, clue.weight / len(found) ** 0.5, clue.text)


def _add_asked(store: Store, report: Report, evidence: Evidence) -> None:
    """The names of a short query are what it asks for."""
    words = [word.strip("`'\"(),;:?") for word in report.title.split()[: config.ASKED_WORDS + 1]]
    if len(words) > config.ASKED_WORDS or len(report.of(WORD)) > config.ASKED_WORDS * 3:
        return
    if len(words) > 1:
        names = {clue.text for clue in report.of(IDENTIFIER)}
        words = [word for word in words if word in names]
    for name in dict.fromkeys(words):
        found = _production(store.named(name, config.COMMON * 4))
        for definition in found:
            evidence.symbol(definition.id, "asked", 1 / len(found) ** 0.5, name)


def _add_plain_name(store: Store, clue: Clue, evidence: Evidence) -> None:
    found = _production(store.named(clue.text, config.COMMON * 4))
    if 0 < len(found) <= config.COMMON // 2:
        for definition in found:
            evidence.symbol(definition.id, "word_name", clue.weight / len(found) ** 0.5, clue.text)


def _production(found: Iterable[Definition]) -> list[Definition]:
    """Definitions in code, without tests and files' own symbols."""
    return [d for d in found if d.qualname and d.kind in CODE_KINDS and not d.marks & TEST]


def _add_dotted(store: Store, clue: Clue, paths: Paths, evidence: Evidence) -> None:
    """``pkg.mod.Class.f``: the definition it names, else the module its first parts name."""
    parts = clue.text.split(".")
    named = _production(store.named(parts[-1], config.COMMON * 20))
    exact = [d for d in named if _owned(d, parts[:-1])]
    for definition in exact[: config.COMMON]:
        evidence.symbol(definition.id, "dotted", clue.weight / len(exact) ** 0.5, clue.text)
    for end in range(len(parts), 1, -1):
        files = paths.of_module(parts[:end])
        if files:
            for found in files:
                evidence.file(found, "module", clue.weight / len(files), clue.text)
            return


def _owned(found: Definition, owners: Sequence[str]) -> bool:
    """Whether the definition's owner (its class, else its module) is the last of ``owners``."""
    outer = found.qualname.split(".")[:-1]
    if outer:
        return outer[-1] == owners[-1]
    path = PurePosixPath(found.path)
    stem = path.name.partition(".")[0]
    return owners[-1] in ((path.parent.name,) if stem in PACKAGE_STEMS else (stem,))


# --- places ---------------------------------------------------------------------------------------
def _add_path(store: Store, clue: Clue, paths: Paths, evidence: Evidence) -> None:
    path, _, line = clue.text.partition(":")
    if clue.kind == MODULE:
        parts = [part for part in re.split(r"[./]", clue.text) if part]
        files = paths.of_module(parts) if parts else []
    else:
        files = paths.ending(path)
    for found in files:
        channel = "module" if clue.kind == MODULE else "path"
        evidence.file(found, channel, clue.weight / len(files) ** 0.5, clue.text)
        if line.isdigit():
            _add_line(store, found, int(line), clue, evidence)


def _add_driver(store: Store, clue: Clue, paths: Paths, evidence: Evidence) -> None:
    own, folder = files_of_driver(store, paths, clue.text)
    for channel, files, value in (
        ("driver", own, clue.weight / max(len(own), 1) ** 0.5),
        ("driver_folder", folder, clue.weight),
    ):
        for found in files:
            present = evidence.files[found].get(channel, 0.0)
            evidence.files[found][channel] = max(present, value)


def _add_line(store: Store, file: int, line: int, clue: Clue, evidence: Evidence) -> None:
    definition = store.at_line(files_by_id(store)[file].path, line)
    if definition is not None and definition.qualname:
        evidence.symbol(definition.id, "line", clue.weight, clue.text)


def _add_frame(store: Store, frame: Frame, paths: Paths, evidence: Evidence) -> None:
    """A frame's file and function; the innermost frames of a trace tell most."""
    value = (1.0 if frame.sure else config.UNSURE_FRAME) / (1 + frame.depth) ** config.DEPTH_DECAY
    files = paths.ending(frame.path) if frame.path else []
    for found in files:
        evidence.file(found, "frame", value / len(files), frame.path)
        evidence.files[found]["frame_top"] = max(evidence.files[found].get("frame_top", 0), value)
    name = re.split(r"[.#:>]", frame.function)[-1]
    if not name:
        return
    named = _production(store.named(name, config.COMMON * 20))
    inside = [d for d in named if d.file_id in files] if files else named if not frame.path else []
    inside = [d for d in inside if not d.flags & DECLARATION] or inside
    inside = [d for d in inside if not d.path.endswith(HEADERS)] or inside  # stubs, inlines
    if len(inside) <= config.COMMON:
        for definition in inside:
            evidence.symbol(definition.id, "frame", value / len(inside), f"{name}()")
        if not frame.path or frame.fault:
            _add_stack(store, frame, value, inside, evidence)


def _add_stack(
    store: Store, frame: Frame, value: float, found: Sequence[Definition], evidence: Evidence
) -> None:
    """A frame known by its function's name alone; a function that everything calls tells little."""
    degrees = store.in_degrees([definition.id for definition in found])
    channel = "fault" if frame.fault else "stack"
    for definition in found:
        told = value / len(found) / (1 + math.log1p(degrees.get(definition.id, 0)) / 3)
        channels = evidence.symbols[definition.id]
        channels[channel] = max(channels.get(channel, 0.0), told)
