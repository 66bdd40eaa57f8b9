"""How a trial ended: the kind of failure, or none, out of everything that was seen of it."""

from __future__ import annotations

from codeviews.harness.exchange import ExchangeLog
from codeviews.harness.hosts import Launch, Outcome
from codeviews.harness.hosts.process import Ended
from codeviews.harness.policy import api_failure
from codeviews.harness.records import Failure
from codeviews.harness.tool_names import map_tool, offered_map

_LIMITS = {
    "max_turns": "max_turns",
    "error_max_turns": "max_turns",
    "budget_exhausted": "budget",
    "error_max_budget_usd": "budget",
}


def failure(launch: Launch, ended: Ended, outcome: Outcome, log: ExchangeLog) -> Failure | None:
    """The failure of a host's run, environment faults first: a run without its map is no result,
    however well it went."""
    return (
        _refused(log)
        or _mount(launch, outcome, log)
        or _silent(ended, log)
        or _limits(launch, ended, outcome)
        or _endpoint(outcome, log)
        or _result_line(ended, outcome)
    )


def _refused(log: ExchangeLog) -> Failure | None:
    bad = next((e for e in log.exchanges if e.status in (401, 403)), None)
    return Failure(kind="api_refused", message=f"the endpoint said {bad.status}") if bad else None


def _mount(launch: Launch, outcome: Outcome, log: ExchangeLog) -> Failure | None:
    if launch.mount is None:
        return None
    if outcome.mcp and outcome.mcp != "connected":
        return Failure(kind="mcp_not_connected", message=f"the map server is {outcome.mcp}")
    if not any(e.tools for e in log.exchanges):
        return None  # no request was made at all: the reason lies elsewhere
    offered = {map_tool(name) for name in offered_map(log.first_tools())}
    missing = [name for name in launch.mount.tools if name not in offered]
    if missing or not offered:
        named = ", ".join(missing) or "any map tool"
        return Failure(kind="mcp_tools_missing", message=f"the first request lacks {named}")
    return None


def _silent(ended: Ended, log: ExchangeLog) -> Failure | None:
    """The time ran out on an endpoint that never answered: a waiting call is not logged."""
    if not ended.timed_out or any(e.status == 200 for e in log.exchanges if not e.side):
        return None
    message = f"no model call was answered in {ended.seconds:.0f} s"
    return Failure(kind="api_silent", message=message)


def _limits(launch: Launch, ended: Ended, outcome: Outcome) -> Failure | None:
    if ended.timed_out:
        message = f"stopped after {launch.timeout:.0f} s"
        return Failure(kind="timeout", message=message)
    kind = _LIMITS.get(outcome.reason)
    return Failure(kind=kind, message=outcome.error or outcome.reason) if kind else None


def _endpoint(outcome: Outcome, log: ExchangeLog) -> Failure | None:
    """An API error ended the run: the host said so, or its last request was never answered."""
    if outcome.api_status:
        said = outcome.error[:300] or f"status {outcome.api_status}"
        return Failure(kind=api_failure(outcome.api_status), message=said)
    last = next((e for e in reversed(log.exchanges) if not e.side), None)
    if last is not None and last.status != 200 and (outcome.error or not outcome.finished):
        said = outcome.error[:300] or last.error
        return Failure(kind=api_failure(last.status), message=said)
    return None


def _result_line(ended: Ended, outcome: Outcome) -> Failure | None:
    if not outcome.finished:
        message = f"no result line; the host ended with {ended.returncode}"
        return Failure(kind="no_result", message=message)
    if outcome.error:
        return Failure(kind="no_result", message=outcome.error[:300])
    return None
