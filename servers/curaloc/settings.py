"""Every constant of the method in one record, with its ablation switches (paper, 3, 4, H.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Profile = Literal["default", "paper"]
Selection = Literal["planned", "source-order"]
Formulation = Literal["responsibility", "relevance"]

ACTIONS = ("follow_called_by", "follow_calls", "expand_local", "check_override")
PERSPECTIVES: dict[Formulation, tuple[str, str, str]] = {
    "responsibility": ("ownership", "execution", "enforcement"),
    "relevance": ("issue_surface", "execution_path", "dependency_context"),
}
ROLES: dict[Formulation, tuple[str, ...]] = {
    "responsibility": (
        "entry_point",
        "dispatcher",
        "behavior_definer",
        "invariant_enforcer",
        "state_provider",
        "concrete_owner",
        "base_contract",
        "companion",
    ),
    "relevance": (
        "ISSUE_INTERFACE",
        "EXECUTION_STEP",
        "CONTROL_FLOW_CONTEXT",
        "DATA_FLOW_CONTEXT",
        "STATE_OR_CONFIG_CONTEXT",
        "VALIDATION_CONTEXT",
        "CALL_RELATION_CONTEXT",
        "INHERITANCE_CONTEXT",
    ),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """One configuration. The defaults are the paper's selected setting."""

    candidate_files: int = 10  # F
    full_files: int = 3  # T: files whose symbols are all admitted
    window_lines: int = 60  # L
    context_lines: int = 3  # above and below a symbol, inside L
    header_lines: int = 20  # of the class, before a method
    fallback_lines: int = 30  # of the file when the definition is nowhere (A.6)
    merged_files: int = 15
    supplement_per_seed: int = 2
    supplement_total: int = 8
    supplement_nodes: int = 25
    inherits_weight: int = 3  # of a structural neighbour of a file (A.1)
    imports_weight: int = 2
    calls_weight: int = 1
    several_weight: int = 1  # added when more than one kind of relation supports it
    outline_chars: int = 800_000  # of the structure shown: about 200,000 tokens
    hub_degree: int = 8  # appendix B
    hub_quantile: float = 0.9
    hub_min_symbols: int = 5  # files with fewer use hub_degree alone
    dispatch_calls: int = 3
    dispatch_spread: int = 2  # files and classes of the callees
    input_budget: int = 272_000  # estimated tokens
    budget_margin: int = 1_024
    predictions: int = 10
    names_shown: int = 30  # of the most relevant symbols, in the ranking prompt
    adjacency: int = 5  # neighbours named in a capsule
    summary_chars: int = 400
    summary_lines: int = 100
    summary_symbols: int = 25  # of one batch
    summary_batch_chars: int = 24_000
    summary_share: float = 0.95  # of the needed ones must arrive
    temperature: float = 0.3
    lexical_starts: int = 24  # more than a model is asked for: they cost no tokens
    attempts: int = 5  # of one request before it counts as failed
    pause_s: float = 1.0  # before the second attempt, doubled each time
    request_s: float = 300.0
    output_tokens: int = 16_000
    profile: Profile = "default"
    # ablations
    selection: Selection = "planned"
    summaries: bool = True
    expand: bool = True
    formulation: Formulation = "responsibility"
    cache_summaries: bool = True

    @property
    def perspectives(self) -> tuple[str, str, str]:
        """Names of the three lists of S1."""
        return PERSPECTIVES[self.formulation]

    @property
    def roles(self) -> tuple[str, ...]:
        """The eight issue-conditioned roles of S2."""
        return ROLES[self.formulation]


DEFAULT = Settings()
