"""What a reference run leaves for interventions: they keep its unchanged stages (H.4, I).

A setting that only touches the ranking keeps the files, summaries and RouteMap of the reference;
one that touches the candidates keeps the files. Summaries do not depend on the issue and are kept
whenever the way they are made is the same. Kept stages cost what they cost the reference.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from codeviews.harness.localization.records import StageTokens
from codeviews.harness.results import write_whole
from codeviews.servers.curaloc.pipeline import described
from codeviews.servers.curaloc.planners import Inquiry
from codeviews.servers.curaloc.planners.modelled import ModelPlanner
from codeviews.servers.curaloc.records import (
    Evidence,
    Inventory,
    Localization,
    Proposal,
    RouteMap,
    Scope,
    ScopedFile,
    Spent,
)
from codeviews.servers.curaloc.routemap import by_address
from codeviews.servers.curaloc.settings import DEFAULT, Settings

VERSION = 1
_RANKING = frozenset(
    "window_lines context_lines header_lines fallback_lines input_budget budget_margin predictions "
    "names_shown selection expand".split()
)
_PLANNING = frozenset(
    "candidate_files full_files adjacency profile summaries hub_degree hub_quantile "
    "hub_min_symbols dispatch_calls dispatch_spread".split()
)
_SUMMARIZING = frozenset(
    "summary_chars summary_lines summary_symbols summary_batch_chars summary_share".split()
)
_ASKING = frozenset("temperature output_tokens".split())
_OF_NO_STAGE = frozenset("lexical_starts attempts pause_s request_s cache_summaries".split())


def kept_stages(settings: Settings) -> frozenset[str]:
    """Stages of the reference run that a configuration leaves as they are."""
    changed = {f.name for f in fields(Settings) if _differs(settings, f.name)} - _OF_NO_STAGE
    kept = set[str]()
    if settings.summaries and not changed & (_SUMMARIZING | _ASKING):
        kept.add("summaries")
    if changed <= _RANKING | _PLANNING | _SUMMARIZING:
        kept.add("scope")
    if changed <= _RANKING:
        kept.add("route")
    return frozenset(kept)


def _differs(settings: Settings, name: str) -> bool:
    return getattr(settings, name) != getattr(DEFAULT, name)


class KeptFile(BaseModel):
    """A file of S1 with its votes: perspective -> (rationale, consumer probability)."""

    path: str
    votes: dict[str, tuple[str, float]]
    supplement: bool

    def scoped(self) -> ScopedFile:
        """As the pipeline has it."""
        votes = {name: Proposal(self.path, *vote) for name, vote in self.votes.items()}
        return ScopedFile(self.path, votes, self.supplement)


class Artifacts(BaseModel):
    """The stages of one task's reference run. Symbols stand by address, as SIDs are per index."""

    model_config = ConfigDict(extra="forbid")
    version: int = VERSION
    files: list[KeptFile]
    dropped: list[str]
    summaries: dict[str, str]
    route: dict[str, list[Any]]
    usage: list[StageTokens]

    def scope(self) -> Scope:
        """S1's outcome."""
        return Scope(tuple(file.scoped() for file in self.files), tuple(self.dropped))


def made_of(found: Localization) -> Artifacts | None:
    """The artifacts of a run; None when it failed."""
    if found.failure or found.inventory is None or found.route_map is None:
        return None
    capsules, route = found.inventory.capsules, found.route_map
    address = {sid: c.definition.address for sid, c in capsules.items()}
    return Artifacts(
        files=[
            KeptFile(
                path=file.path,
                votes={name: (p.rationale, p.consumer) for name, p in file.votes.items()},
                supplement=file.supplement,
            )
            for file in found.scope.files
        ],
        dropped=list(found.scope.dropped),
        summaries={address[sid]: c.summary for sid, c in capsules.items() if c.summary},
        route=by_address(route, found.inventory),
        usage=[StageTokens.of(spent) for spent in found.usage if spent.retained],
    )


class Shelf:
    """The artifacts of one run folder, a file per (cohort, model, run, task)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "artifacts"

    def _path(self, trial: Sequence[object]) -> Path:
        text = "\0".join(map(str, trial))
        return self.folder / f"{hashlib.blake2b(text.encode(), digest_size=16).hexdigest()}.json"

    def put(self, trial: Sequence[object], made: Artifacts) -> None:
        """Keep the artifacts of a trial's reference run."""
        write_whole(self._path(trial), made.model_dump_json().encode())

    def get(self, trial: Sequence[object]) -> Artifacts | None:
        """Those of an earlier run; None when there are none or another version made them."""
        try:
            kept = Artifacts.model_validate_json(self._path(trial).read_bytes())
        except (OSError, ValidationError):
            return None
        return kept if kept.version == VERSION else None


class Replaying:
    """A planner that takes kept stages from the reference run and asks ``inner`` for the others."""

    def __init__(self, inner: ModelPlanner, kept: Artifacts, stages: frozenset[str]) -> None:
        self.name = inner.name
        self.inner = inner
        self.kept = kept
        self.stages = stages
        for line in kept.usage:
            if line.stage in stages:
                inner.client.ledger.spent[line.stage] = Spent(**line.model_dump())

    def scope(self, inquiry: Inquiry) -> Mapping[str, Any]:
        """Asked only when the files are not kept."""
        return self.inner.scope(inquiry)

    def describe(self, inquiry: Inquiry, inventory: Inventory) -> Mapping[int, str]:
        """Kept summaries, and new ones of symbols that the reference did not have."""
        if not inquiry.settings.summaries or "summaries" not in self.stages:
            return self.inner.describe(inquiry, inventory)
        texts = {sid: c.definition.address for sid, c in inventory.capsules.items()}
        known = {
            sid: self.kept.summaries[name]
            for sid, name in texts.items()
            if name in self.kept.summaries
        }
        return {**known, **self.inner.describe(inquiry, described(inventory, known))}

    def route(
        self, inquiry: Inquiry, scope: Scope, inventory: Inventory, complaint: str
    ) -> Mapping[str, Any]:
        """The kept RouteMap, or a new one."""
        if "route" in self.stages and not complaint:
            return self.kept.route
        return self.inner.route(inquiry, scope, inventory, complaint)

    def fixed_tokens(self, inquiry: Inquiry, route: RouteMap, inventory: Inventory) -> int:
        """As the model's prompt has them."""
        return self.inner.fixed_tokens(inquiry, route, inventory)

    def rank(
        self, inquiry: Inquiry, route: RouteMap, inventory: Inventory, evidence: Evidence
    ) -> Sequence[int | str]:
        """Always asked."""
        return self.inner.rank(inquiry, route, inventory, evidence)

    def usage(self) -> tuple[Spent, ...]:
        """With what kept stages cost the reference."""
        return self.inner.usage()
