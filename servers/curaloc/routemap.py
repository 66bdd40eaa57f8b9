"""S2's plan: its schema, and what is made of an answer that only nearly follows it (A.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

from codeviews.servers.curaloc.failures import RejectedRouteMap
from codeviews.servers.curaloc.records import Assessment, Inventory, RouteMap, Start
from codeviews.servers.curaloc.scope import MAX_ENTRIES, TEXT_CHARS, clamped
from codeviews.servers.curaloc.settings import ACTIONS, Settings
from codeviews.servers.curaloc.sids import NOTHING_OFFERED, Sids

DEFAULT_ACTION = "expand_local"
_SID_KEYS = ("sid", "SID", "id", "symbol")


def schema(settings: Settings) -> dict[str, Any]:
    """JSON schema of a RouteMap."""
    sid = {"type": "integer", "description": "a SID from the capsules"}
    text = {"type": "string"}
    symbol = {
        "sid": sid,
        "relevance": {"type": "number", "minimum": 0, "maximum": 1},
        "role": {"type": "string", "enum": list(settings.roles)},
        "rationale": {**text, "description": "one sentence"},
    }
    start = {
        "sid": sid,
        "action": {"type": "string", "enum": list(ACTIONS)},
        "hypothesis": {**text, "description": "what edit here would mend the fault"},
    }
    return _object(
        symbols={"type": "array", "items": _object(**symbol)},
        starts={"type": "array", "items": _object(**start), "description": "5 to 8, best first"},
        hypotheses={"type": "array", "items": text, "description": "2 to 4 possible causes"},
    )


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def validate(
    raw: Any,
    inventory: Inventory,
    settings: Settings,
    offered: Mapping[str, str] = NOTHING_OFFERED,
) -> RouteMap:
    """A usable plan out of an answer; what was dropped or mended is counted in ``faults``.

    ``offered`` says what the answer's SIDs meant when they were shown (:class:`Sids`).

    Raises:
        RejectedRouteMap: not an object, or no valid start.
    """
    if not isinstance(raw, Mapping):
        raise RejectedRouteMap(
            "the RouteMap must be one JSON object with symbols, starts and hypotheses"
        )
    table = cast(Mapping[str, Any], raw)
    faults: Counter[str] = Counter()
    faults["unknown keys"] = len(set(table) - {"symbols", "starts", "hypotheses"})
    sids = Sids(inventory, offered)
    assessed = _assessments(_items(table, "symbols", faults), sids, settings, faults)
    starts = _starts(_items(table, "starts", faults), sids, faults)
    if not starts:
        raise RejectedRouteMap(_no_start(dict(+faults)))
    faults["starts outside 5-8"] = int(not 5 <= len(starts) <= 8)
    hypotheses = _items(table, "hypotheses", faults)
    texts = tuple(_text(item) for item in hypotheses if _text(item))
    return RouteMap(tuple(assessed), tuple(starts), texts[:8], dict(+faults))


def _no_start(faults: Mapping[str, int]) -> str:
    found = ", ".join(f"{name} {count}" for name, count in faults.items())
    why = f" ({found})" if found else ""
    fix = "give 5 to 8 starts, each with a sid from the capsules"
    return f"the RouteMap has no valid start{why}: {fix}"


def _items(table: Mapping[str, Any], key: str, faults: Counter[str]) -> list[Any]:
    value = table.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        faults[f"{key} is not a list"] += 1
        return []
    items = cast(list[Any], value)
    faults["list entries cut"] += max(len(items) - MAX_ENTRIES, 0)
    return items[:MAX_ENTRIES]


def _assessments(
    items: list[Any], sids: Sids, settings: Settings, faults: Counter[str]
) -> list[Assessment]:
    out: dict[int, Assessment] = {}
    for item in items:
        table = _table(item)
        sid = _sid(table, sids, faults)
        if sid is None or _repeated(sid, out, faults):
            continue
        role = str(table.get("role") or "")
        if role not in settings.roles:
            faults["unknown roles"] += bool(role)
            role = ""
        relevance = table.get("relevance", table.get("score", 0.0))
        faults["scores clamped"] += clamped(relevance) != relevance
        out[sid] = Assessment(sid, clamped(relevance), role, _text(table.get("rationale")))
    return list(out.values())


def _starts(items: list[Any], sids: Sids, faults: Counter[str]) -> list[Start]:
    out: dict[int, Start] = {}
    for item in items:
        table = _table(item)
        sid = _sid(table, sids, faults)
        if sid is None or _repeated(sid, out, faults):
            continue
        action = str(table.get("action") or "").strip().lower()
        if action not in ACTIONS:
            faults["unknown actions"] += 1
            action = DEFAULT_ACTION
        out[sid] = Start(sid, action, _text(table.get("hypothesis")))
    return list(out.values())


def _table(item: Any) -> Mapping[str, Any]:
    """An entry as a table; a bare SID stands for ``{"sid": SID}``."""
    return cast(Mapping[str, Any], item) if isinstance(item, Mapping) else {"sid": item}


def _sid(table: Mapping[str, Any], sids: Sids, faults: Counter[str]) -> int | None:
    value = next((table[key] for key in _SID_KEYS if table.get(key) is not None), None)
    faults["SIDs as strings"] += isinstance(value, str)
    sid = sids.find(value)
    faults["unknown SIDs"] += sid is None
    return sid


def _repeated(sid: int, out: Mapping[int, object], faults: Counter[str]) -> bool:
    faults["duplicates"] += sid in out
    return sid in out


def _text(value: Any) -> str:
    return " ".join(value.split())[:TEXT_CHARS] if isinstance(value, str) else ""


def most_relevant(route: RouteMap, settings: Settings) -> list[int]:
    """The names-only inventory of A.5: SIDs of the assessed symbols, the most relevant first."""
    ranked = sorted(route.assessments, key=lambda assessment: -assessment.relevance)
    return [assessment.sid for assessment in ranked[: settings.names_shown]]


def by_address(route: RouteMap, inventory: Inventory) -> dict[str, Any]:
    """An answer that :func:`validate` takes again, with addresses instead of SIDs, so that it holds
    when the index is made anew."""
    name = {sid: capsule.definition.address for sid, capsule in inventory.capsules.items()}
    return {
        "symbols": [{**a._asdict(), "sid": name[a.sid]} for a in route.assessments],
        "starts": [{**s._asdict(), "sid": name[s.sid]} for s in route.starts],
        "hypotheses": list(route.hypotheses),
    }


def as_data(route: RouteMap, inventory: Inventory) -> dict[str, Any]:
    """For answers and ``--json``: SIDs with their addresses."""

    def named(sid: int) -> dict[str, Any]:
        return {"sid": sid, "symbol": inventory.capsules[sid].definition.address}

    return {
        "symbols": [
            {**named(a.sid), "relevance": round(a.relevance, 4), "role": a.role}
            | ({"rationale": a.rationale} if a.rationale else {})
            for a in route.assessments
        ],
        "starts": [
            {**named(s.sid), "action": s.action, "hypothesis": s.hypothesis} for s in route.starts
        ],
        "hypotheses": list(route.hypotheses),
        "faults": dict(route.faults),
    }
