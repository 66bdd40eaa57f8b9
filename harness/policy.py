"""One table: kind of failure of a trial -> how often to retry, whether to grade, does it count.

Environment faults (``counts`` false) are shown apart in reports and never mixed into results. A
failure of the agent (``counts`` true) is a result: it is graded as it stands.
"""

from __future__ import annotations

from typing import NamedTuple


class Policy(NamedTuple):
    """How to treat one kind of failure. ``stop`` ends the whole run: nothing would work. ``wait``
    is in seconds before the first retry; it doubles with each."""

    retries: int
    grade: bool
    counts: bool
    stop: bool
    meaning: str
    wait: float = 0.0


POLICIES: dict[str, Policy] = {
    # the agent's own doing: results
    "timeout": Policy(0, True, True, False, "the time limit ended the host"),
    "max_turns": Policy(0, True, True, False, "the turn limit ended the host"),
    "budget": Policy(0, True, True, False, "the budget ended the host"),
    "repository_deleted": Policy(0, False, True, False, "the agent deleted the repository"),
    "no_prediction": Policy(0, True, True, False, "the agent gave no usable answer"),
    "patch_does_not_apply": Policy(0, True, True, False, "the patch does not apply"),
    # the environment: retried, then shown apart
    "mcp_not_connected": Policy(1, False, False, False, "the map server was not connected"),
    "mcp_tools_missing": Policy(1, False, False, False, "map tools were not in the first request"),
    "index_failed": Policy(1, False, False, False, "the index could not be built"),
    "api_rate_limit": Policy(3, False, False, False, "the model endpoint said 429", 5.0),
    "api_overloaded": Policy(3, False, False, False, "the model endpoint said 529", 5.0),
    "api_error": Policy(2, False, False, False, "the model endpoint failed", 1.0),
    "api_silent": Policy(0, False, False, False, "the model endpoint never answered"),
    "no_result": Policy(1, False, False, False, "the host wrote no result line"),
    "no_repository": Policy(0, False, False, False, "the task's repository is not here"),
    "harness_error": Policy(1, False, False, False, "the harness itself failed"),
    # nothing can work: stop
    "api_refused": Policy(0, False, False, True, "the model endpoint refused the key"),
    "no_host": Policy(0, False, False, True, "the host's program is not here"),
    "disk_full": Policy(0, False, False, True, "the disk is full"),
}


def policy(kind: str) -> Policy:
    """The line of a kind."""
    return POLICIES[kind]


def api_failure(status: int) -> str:
    """The kind of failure an HTTP status of the model endpoint means."""
    if status in (401, 403):
        return "api_refused"
    return {429: "api_rate_limit", 529: "api_overloaded"}.get(status, "api_error")
