"""Who makes the three decisions. A planner = one module here and one line in :data:`PLANNERS`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from codeviews.core.errors import MisuseError
from codeviews.core.store import Store
from codeviews.servers.curaloc.records import Evidence, Inventory, RouteMap, Scope, Spent
from codeviews.servers.curaloc.settings import Settings

PLANNERS: dict[str, str] = {
    "lexical": "codeviews.servers.curaloc.planners.lexical",
    "anthropic": "codeviews.servers.curaloc.planners.anthropic",
    "openai": "codeviews.servers.curaloc.planners.openai",
}


@dataclass(frozen=True, slots=True)
class Inquiry:
    """One report against one index. ``folder`` is where caches of this repository may live."""

    report: str
    store: Store
    settings: Settings
    folder: Path | None = None


class Planner(Protocol):
    """The three decisions of the method. Answers are raw: the pipeline validates them."""

    name: str

    def scope(self, inquiry: Inquiry) -> Mapping[str, Any]:
        """Perspective -> files, each a path or ``{"path", "rationale", "consumer"}``."""
        ...

    def describe(self, inquiry: Inquiry, inventory: Inventory) -> Mapping[int, str]:
        """Summaries for symbols that have none yet; {} when the planner needs none."""
        ...

    def route(
        self, inquiry: Inquiry, scope: Scope, inventory: Inventory, complaint: str
    ) -> Mapping[str, Any]:
        """The RouteMap; ``complaint`` says what was wrong with the one before, or is ""."""
        ...

    def fixed_tokens(self, inquiry: Inquiry, route: RouteMap, inventory: Inventory) -> int:
        """Estimated tokens of the ranking prompt without its evidence blocks."""
        ...

    def rank(
        self, inquiry: Inquiry, route: RouteMap, inventory: Inventory, evidence: Evidence
    ) -> Sequence[int | str]:
        """SIDs or ``path:Qualified.name``, best first."""
        ...

    def usage(self) -> tuple[Spent, ...]:
        """Tokens by stage so far."""
        ...


def planner(name: str, model: str = "", options: Mapping[str, Any] | None = None) -> Planner:
    """A planner by name, for one localization.

    Raises:
        MisuseError: unknown name (the choices are listed), a missing package or key.
    """
    if name not in PLANNERS:
        raise MisuseError(f"there is no planner {name!r}; choose one of: {', '.join(PLANNERS)}")
    return import_module(PLANNERS[name]).make(model, dict(options or {}))
