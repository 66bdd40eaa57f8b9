"""Trajectories in the Agent Trajectory Interchange Format (ATIF), one JSON file per trial."""

from __future__ import annotations

from typing import Any

from codeviews.harness.exchange import Usage
from codeviews.harness.hosts import Outcome, SeenCall, SeenStep
from codeviews.harness.records import TrialRecord

SCHEMA = "ATIF-v1.4"
MOST_OUTPUT = 20_000

Json = dict[str, Any]


def atif(record: TrialRecord, outcome: Outcome, prompt: str, steer: str) -> Json:
    """The trial as an ATIF document. Tokens per step are those the model endpoint reported."""
    steps: list[Json] = []
    if steer:
        steps.append({"source": "system", "message": steer})
    steps.append({"source": "user", "message": prompt})
    usages = [call.usage for call in record.calls]
    for number, step in enumerate(outcome.steps):
        known = usages[number] if number < len(usages) else None
        usage = Usage(**known.model_dump()) if known else step.usage
        steps.append(_step(step, usage, record.host.snapshot))
    for number, step in enumerate(steps, 1):
        step["step_id"] = number
    return {
        "schema_version": SCHEMA,
        "session_id": record.session or record.id.slug,
        "agent": {
            "name": record.host.name,
            "version": record.host.version,
            "model_name": record.host.snapshot or record.host.model,
            "extra": {"effort": record.host.effort, "workflow": record.id.workflow},
        },
        "steps": steps,
        "final_metrics": _final(record, len(steps)),
        "extra": {"trial": record.id.model_dump(), "success": record.verdict.success},
    }


def _step(step: SeenStep, usage: Usage, model: str) -> Json:
    data: Json = {"source": "agent", "model_name": model, "message": step.text}
    if step.calls:
        data["tool_calls"] = [
            {"tool_call_id": call.id, "function_name": call.name, "arguments": call.arguments}
            for call in step.calls
        ]
        data["observation"] = {"results": [_result(call) for call in step.calls]}
    data["metrics"] = {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "cached_tokens": usage.cache_read,
        "extra": {"cache_write_tokens": usage.cache_write},
    }
    return data


def _result(call: SeenCall) -> Json:
    content = call.output
    if len(content) > MOST_OUTPUT:
        content = f"{content[:MOST_OUTPUT]}\n[{len(content) - MOST_OUTPUT} more characters]"
    extra = {"is_error": call.is_error, "denied": call.denied}
    return {"source_call_id": call.id, "content": content, "extra": extra}


def _final(record: TrialRecord, steps: int) -> Json:
    usage = record.usage
    return {
        "total_prompt_tokens": usage.fresh + usage.cache_read + usage.cache_write,
        "total_completion_tokens": usage.output,
        "total_cached_tokens": usage.cache_read,
        "total_cost_usd": record.cost_usd,
        "total_steps": steps,
    }
