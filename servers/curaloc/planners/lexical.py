"""The planner without a model: clues of the report, graph roles and edges decide, by rule.

Deterministic: the same index and report give the same answer. Scope comes from the ranking of files
and symbols (``core/explore.py``); each start takes the action whose neighbours the ranking values
most; the final order is the ranking's own score fused with support from the other selected symbols.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from codeviews.core.explore import Filter, Ranking, rank
from codeviews.core.languages import LANGUAGES
from codeviews.servers.curaloc.evidence import neighbours
from codeviews.servers.curaloc.failures import PlanningFailure
from codeviews.servers.curaloc.planners import Inquiry
from codeviews.servers.curaloc.ranking import normalized
from codeviews.servers.curaloc.records import (
    Capsule,
    Evidence,
    Inventory,
    RouteMap,
    Scope,
    Spent,
    Start,
)
from codeviews.servers.curaloc.settings import ACTIONS

LIST_FILES = 10  # of each perspective
FUSION = 3.0  # a high value trusts first places less
SHORTLIST = 40  # symbols assessed
UNRANKED = 1e-4  # what a symbol is worth that only stands in a ranked file
SUPPORT = 0.15  # share of the linked starts' scores that a symbol inherits in the final order

_ROLE = {
    "entry": "entry_point",
    "dispatcher": "dispatcher",
    "definer": "base_contract",
    "overrider": "concrete_owner",
    "leaf": "state_provider",
}
_RELEVANCE_ROLE = {
    "entry": "ISSUE_INTERFACE",
    "dispatcher": "CONTROL_FLOW_CONTEXT",
    "definer": "INHERITANCE_CONTEXT",
    "overrider": "INHERITANCE_CONTEXT",
    "leaf": "DATA_FLOW_CONTEXT",
}
_CHECKS = frozenset(["check", "validate", "clean", "verify", "assert", "ensure"])


class LexicalPlanner:
    """See the module."""

    name = "lexical"

    def __init__(self) -> None:
        self._last: tuple[Inquiry, Ranking] | None = None

    def scope(self, inquiry: Inquiry) -> Mapping[str, Any]:
        """Ownership: files fused with best symbols; execution: the walk's files; enforcement: the
        files of the best symbols."""
        ranking = self._ranked(inquiry)
        owning, enforcing = _owning(ranking), _enforcing(ranking)
        if not owning and inquiry.store.counts()["files"]:
            raise PlanningFailure(
                "no file was proposed for this report: "
                "it shares no words with the repository's code"
            )
        lists = (_fused(owning, enforcing), _executing(ranking), enforcing)
        return {
            name: [{"path": path, "rationale": why} for path in paths[:LIST_FILES]]
            for name, paths, why in zip(
                inquiry.settings.perspectives,
                lists,
                ("the report's words", "reached from its clues", "holds the best symbols"),
                strict=True,
            )
        }

    def describe(self, inquiry: Inquiry, inventory: Inventory) -> Mapping[int, str]:
        """Nothing: docstrings suffice here."""
        return {}

    def route(
        self, inquiry: Inquiry, scope: Scope, inventory: Inventory, complaint: str
    ) -> Mapping[str, Any]:
        """The best-ranked candidates as starts, each with its most valued action."""
        worth = self._worth(inquiry, inventory)
        order = sorted(inventory.capsules, key=lambda sid: -worth[sid])
        starts = _distinct(order, inventory)[: inquiry.settings.lexical_starts]
        relevance = inquiry.settings.formulation == "relevance"
        return {
            "symbols": [
                {
                    "sid": sid,
                    "relevance": min(worth[sid], 1.0),
                    "role": _role(inventory.capsules[sid], relevance),
                }
                for sid in order[:SHORTLIST]
                if worth[sid] > UNRANKED
            ],
            "starts": _planned(starts, worth, inventory),
            "hypotheses": [],
        }

    def fixed_tokens(self, inquiry: Inquiry, route: RouteMap, inventory: Inventory) -> int:
        """No prompt: nothing is fixed."""
        return 0

    def rank(
        self, inquiry: Inquiry, route: RouteMap, inventory: Inventory, evidence: Evidence
    ) -> Sequence[int | str]:
        """Selected symbols by their own score and the support of linked starts."""
        worth = self._worth(inquiry, inventory)
        support = dict.fromkeys(evidence.selected, 0.0)
        for start in route.starts:
            for other in inventory.graph.near(start.sid):
                if other in support:
                    support[other] += worth[start.sid]
        fused = {sid: worth[sid] * (1 + SUPPORT * min(support[sid], 1.0)) for sid in support}
        order: list[int | str] = []
        order += sorted(fused, key=lambda sid: -fused[sid])
        return order

    def usage(self) -> tuple[Spent, ...]:
        """No tokens."""
        return ()

    def _ranked(self, inquiry: Inquiry) -> Ranking:
        if self._last is None or self._last[0] is not inquiry:
            self._last = inquiry, rank(inquiry.store, inquiry.report, "hybrid", Filter())
        return self._last[1]

    def _worth(self, inquiry: Inquiry, inventory: Inventory) -> dict[int, float]:
        ranking = self._ranked(inquiry)
        share = {scored.id: scored.score for scored in ranking.files}
        worth = {
            sid: UNRANKED * share.get(capsule.definition.file_id, 0.0)
            for sid, capsule in inventory.capsules.items()
        }
        worth |= {s.id: s.score + UNRANKED for s in ranking.symbols if s.id in worth}
        return worth


def suggested(inquiry: Inquiry) -> list[str]:
    """Files that match the report, best first; none when nothing does."""
    try:
        lists = LexicalPlanner().scope(inquiry)
    except PlanningFailure:
        return []
    paths = dict.fromkeys(item["path"] for items in lists.values() for item in items)
    return list(paths)[: inquiry.settings.merged_files]


def make(model: str, options: Mapping[str, Any]) -> LexicalPlanner:
    """A fresh planner; it takes no model."""
    return LexicalPlanner()


# --- scope ----------------------------------------------------------------------------------------
def _owning(ranking: Ranking) -> list[str]:
    files = ranking.candidates.files
    return [files[s.id].path for s in ranking.files if _is_code(ranking, s.id)]


def _fused(*rankings: Sequence[str]) -> list[str]:
    """Reciprocal-rank fusion."""
    score: dict[str, float] = {}
    for ranking in rankings:
        for place, path in enumerate(ranking[: 2 * LIST_FILES]):
            score[path] = score.get(path, 0.0) + 1 / (FUSION + place)
    return sorted(score, key=lambda path: -score[path])


def _is_code(ranking: Ranking, file_id: int) -> bool:
    return bool(LANGUAGES.get(ranking.candidates.files[file_id].language))


def _executing(ranking: Ranking) -> list[str]:
    walked = {s.id: s.contributions.get("walk", 0.0) for s in ranking.files}
    frames = {
        s.id: sum(v for name, v in s.contributions.items() if "frame" in name)
        for s in ranking.files
    }
    order = sorted(ranking.files, key=lambda s: (-frames[s.id], -walked[s.id] * s.score))
    files = ranking.candidates.files
    return [files[s.id].path for s in order if _is_code(ranking, s.id)]


def _enforcing(ranking: Ranking) -> list[str]:
    known, files = ranking.candidates.definitions, ranking.candidates.files
    ids = dict.fromkeys(known[s.id].file_id for s in ranking.symbols)
    return [files[i].path for i in ids if _is_code(ranking, i)]


# --- route ----------------------------------------------------------------------------------------
def _distinct(order: Sequence[int], inventory: Inventory) -> list[int]:
    kept: dict[str, int] = {}
    for sid in order:
        kept.setdefault(normalized(inventory.capsules[sid].definition.address), sid)
    return list(kept.values())


def _planned(
    starts: Sequence[int], worth: Mapping[int, float], inventory: Inventory
) -> list[dict[str, Any]]:
    """Each start with the action that adds most worth to what is selected already."""
    empty = RouteMap((), ())
    chosen, out = set(starts), list[dict[str, Any]]()
    for sid in starts:
        reach = {a: set(neighbours(Start(sid, a), empty, inventory)) - chosen for a in ACTIONS}
        action = max(ACTIONS, key=lambda a: sum(worth[o] for o in reach[a]))
        chosen |= reach[action]
        out.append({"sid": sid, "action": action, "hypothesis": ""})
    return out


def _role(capsule: Capsule, relevance: bool) -> str:
    words = capsule.definition.name.lower().split("_")
    if _CHECKS.intersection(words):
        return "VALIDATION_CONTEXT" if relevance else "invariant_enforcer"
    if relevance:
        return _RELEVANCE_ROLE.get(capsule.role, "EXECUTION_STEP")
    return _ROLE.get(capsule.role, "behavior_definer")
