"""Files that no clue names: those of commits like the report, and what goes with the best files.

The last commits' messages are searched like any other text. Once a first pass knows the best files,
those that often changed together with them and those that they import are looked at too. All three
are channels of the evidence (``core/seeds.py``); an index without history has the last one only.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from codeviews.core import config
from codeviews.core.fulltext import Mask
from codeviews.core.kept import files_by_id, files_by_path, kept
from codeviews.core.report import CONFIG, IDENTIFIER, WORD, Report
from codeviews.core.seeds import Evidence, weighted_terms
from codeviews.core.store import Hit, Store


@dataclass(frozen=True, slots=True)
class Commits:
    """The commits that changed a file still there: ``files`` by commit, ``of`` the commits by file,
    ``weight`` by commit (small and late ones tell more) and summed ``by_file``."""

    files: dict[int, list[int]]
    of: dict[int, list[int]]
    weight: dict[int, float]
    by_file: dict[int, float]


def commits_of(store: Store) -> Commits:
    """The history in the index; kept until the index changes."""
    return kept(store, "commits", lambda: _commits(store))


def _commits(store: Store) -> Commits:
    known, changed = files_by_path(store), store.changed_paths()
    newest = max(changed, default=0)
    found = Commits({}, defaultdict(list), {}, defaultdict(float))
    for commit, paths in changed.items():
        files = [known[path].id for path in paths if path in known]
        if files:
            age = (newest - commit) / config.COMMIT_AGE
            found.files[commit] = files
            found.weight[commit] = math.exp(-age) / math.sqrt(len(paths))
            for file in files:
                found.of[file].append(commit)
                found.by_file[file] += found.weight[commit]
    return found


def add_messages(store: Store, report: Report, evidence: Evidence, beside: Mask) -> None:
    """Channel ``message``: for each file, how well the best message among its commits matches the
    report, as a share of the best of all; files of ``beside`` are left out."""
    commits = commits_of(store)
    if not commits.files:
        return
    clues = report.of(WORD, IDENTIFIER, CONFIG)
    terms = weighted_terms(partial(_rarity, store, len(commits.files)), clues, config.QUERY_TERMS)
    hits = store.commits_like(" OR ".join(terms), config.COMMITS_FOUND) if terms else []
    best: dict[int, Hit] = {}
    for hit in hits:
        files = [file for file in commits.files.get(hit.id, ()) if not beside[file]]
        best.update((file, hit) for file in files if file not in best)
    found = [*best.items()][: config.FILES_FOUND]  # best first
    top = max((hit.score for hit in hits if hit.id in commits.files), default=1.0)
    subjects = store.subjects({hit.id for _, hit in found})
    for file, hit in found:
        evidence.file(file, "message", hit.score / top, f'commit "{subjects[hit.id][:60]}"')


def _rarity(store: Store, total: int, term: str) -> float:
    """Inverse document frequency over messages: they have words that no source has."""
    found = store.commits_with(term)
    return math.log(1 + (total + 0.5) / (found + 0.5)) if found else 0.0


def add_companions(store: Store, evidence: Evidence, share: Mapping[int, float]) -> None:
    """Channels ``together`` and ``imported`` of other files than the leaders, whose order stays
    that of the clues; each leader counts by its share of the first pass's belief.

    Args:
        store: the index.
        evidence: is added to.
        share: file id -> probability, of the best files.
    """
    records = files_by_id(store)
    together = _together(commits_of(store), share)
    for leader in share:
        together.pop(leader, None)
    best = sorted(together, key=lambda file: (-together[file][0], file))[: config.COMPANIONS]
    for file in best:
        value, leader = together[file]
        evidence.file(file, "together", value, f"changes with {records[leader].path}")
    imported: dict[int, tuple[float, int]] = {}
    for leader, file in store.imported_by(share):
        imported[file] = max(imported.get(file, (0.0, 0)), (share[leader], leader))
    for file, (value, leader) in imported.items():
        if file in records and file not in share:
            evidence.file(file, "imported", value, f"imports of {records[leader].path}")


def _together(commits: Commits, share: Mapping[int, float]) -> dict[int, tuple[float, int]]:
    """File id -> how often it changed with the leaders (a cosine, weighted by their shares), and
    the leader that counts most."""
    out: dict[int, tuple[float, int]] = {}
    most: dict[int, float] = {}
    for leader, belief in share.items():
        common: dict[int, float] = defaultdict(float)
        for commit in commits.of.get(leader, ()):
            for file in commits.files[commit]:
                common[file] += commits.weight[commit]
        common.pop(leader, None)
        for file, weight in common.items():
            both = math.sqrt(commits.by_file[leader] * commits.by_file[file])
            value = belief * weight / (both + config.COMMIT_PRIOR)
            if value > most.get(file, 0.0):
                most[file] = value
                out[file] = out.get(file, (0.0, 0))[0], leader
            out[file] = out[file][0] + value, out[file][1]
    return out
