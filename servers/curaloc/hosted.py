"""The host-driven path: each step validates the host's decision and says what to decide next."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from codeviews.core.config import MAX_QUERY_CHARS
from codeviews.core.errors import MisuseError
from codeviews.core.render import Answer
from codeviews.core.store import Store
from codeviews.servers.curaloc.answers import cut_note, line_of
from codeviews.servers.curaloc.capsules import text_of
from codeviews.servers.curaloc.evidence import gather
from codeviews.servers.curaloc.failures import PlanningFailure, RejectedRouteMap
from codeviews.servers.curaloc.pipeline import prepared, represented, scoped
from codeviews.servers.curaloc.planners import Inquiry
from codeviews.servers.curaloc.planners.lexical import suggested
from codeviews.servers.curaloc.plans import Plan, Plans
from codeviews.servers.curaloc.ranking import predictions
from codeviews.servers.curaloc.records import (
    Block,
    Evidence,
    Inventory,
    Prediction,
    RouteMap,
    Scope,
)
from codeviews.servers.curaloc.routemap import as_data, by_address, schema, validate
from codeviews.servers.curaloc.scope import MAX_ENTRIES, structure
from codeviews.servers.curaloc.settings import Settings

_NEXT_CAPSULES = (
    "Decide: for each of ownership (defines the behaviour), execution (takes part in the failing "
    "path) and enforcement (where a correction belongs) name 6-10 files, each with a short "
    "rationale and consumer = probability that it only uses the broken mechanism. Then call "
    "curaloc_capsules with plan={plan!r} and these three lists."
)
_NEXT_INSPECT = (
    "Decide: assess the relevant symbols, choose 5-8 starts with one action each "
    "(follow_called_by: callers, follow_calls: callees, expand_local: methods of its class, "
    "check_override: base and overriding implementations) and a hypothesis about the edit, and "
    "2-4 hypotheses of the cause. Then call curaloc_inspect with plan={plan!r}; starts look like "
    '[{{"sid": {sid}, "action": "follow_calls", "hypothesis": "..."}}].'
)
_NEXT_SUBMIT = (
    "Decide: rank up to ten symbols that most likely need an edit, all of them if the fix has "
    "several. Then call curaloc_submit with plan={plan!r} and symbols=[SID or "
    "path:Qualified.name, ...]."
)


class Hosted:
    """The steps over one repository's plans. Every method raises MisuseError with the fix."""

    def __init__(self, store: Store, plans: Plans, settings: Settings) -> None:
        self.store = store
        self.plans = plans
        self.settings = settings

    def scope(self, report: str, offset: int) -> Answer:
        """Start a plan for a report; a later page of the answer belongs to the same plan."""
        if not report.strip():
            raise MisuseError("the report is empty: give the text of the issue")
        text = report[:MAX_QUERY_CHARS]
        plan = self.plans.of(text) if offset else None
        plan = plan or self.plans.new(text, self._snapshot())
        answer = Answer()
        answer.note(cut_note(len(report) - len(text)))
        ready = _NEXT_CAPSULES.format(plan=plan.id)
        answer.add(f"Plan {plan.id}, step 1 of 4", [ready])
        found = suggested(Inquiry(text, self.store, self.settings))
        answer.add("Files that match the report (a suggestion)", found)
        shown = structure(self.store, lambda: found, self.settings).split("\n")
        section = answer.add("Structure of the repository", shown[offset:], len(shown))
        section.offset = offset
        answer.data = {
            "plan": plan.id,
            "step": "scope",
            "next": "curaloc_capsules",
            "suggested": found,
            "structure": "\n".join(shown),
        }
        return answer

    def capsules(self, name: str, raw: Mapping[str, Any], offset: int) -> Answer:
        """Take S1's decision; show the candidate symbols."""
        plan = self.plans.load(name, "scope")
        decided = {key: value for key, value in raw.items() if value is not None}
        if decided and not any(isinstance(value, list) and value for value in raw.values()):
            raise MisuseError(f"no list of files was given. {_NEXT_CAPSULES.format(plan=plan.id)}")
        if not decided and not plan.files:
            raise MisuseError(_NEXT_CAPSULES.format(plan=plan.id))
        inventory, scope = self._inventory(plan, decided or plan.files)
        if decided:
            plan.count(dict(scope.faults))
            plan.files = _bounded({k: v for k, v in raw.items() if isinstance(v, list)})
            plan.route, plan.answer, plan.step = {}, [], "capsules"
        plan.symbols = _offered(inventory, inventory.capsules)
        plan.snapshot = self._snapshot()
        self.plans.save(plan)
        return self._show_capsules(plan, inventory, scope, offset)

    def _show_capsules(self, plan: Plan, inventory: Inventory, scope: Scope, offset: int) -> Answer:
        answer = Answer()
        first = next(iter(inventory.capsules))
        ready = _NEXT_INSPECT.format(plan=plan.id, sid=first)
        answer.add(f"Plan {plan.id}, step 2 of 4", [ready])
        texts = [text_of(c, inventory, self.settings) for c in inventory.capsules.values()]
        section = answer.add("Candidate symbols", texts[offset:], len(texts))
        section.offset = offset
        if scope.dropped:
            answer.note(f"Not in the index, dropped: {', '.join(scope.dropped[:10])}")
        if scope.faults:
            answer.note(f"Mended or dropped from your lists: {_counts(scope.faults)}")
        answer.data = {
            "plan": plan.id,
            "step": "capsules",
            "next": "curaloc_inspect",
            "schema": schema(self.settings),
            "capsules": texts,
            "dropped": list(scope.dropped),
        }
        return answer

    def inspect(self, name: str, raw: Mapping[str, Any], offset: int) -> Answer:
        """Take S2's decision; show the source it asks for."""
        plan = self.plans.load(name, "capsules")
        again = bool(plan.route) and all(value is None for value in raw.values())
        decided = plan.route if again else dict(raw)
        inventory, _ = self._inventory(plan, plan.files)
        route = self._validated(plan, decided, inventory)
        evidence = gather(self.store, route, inventory, self.settings, 0)
        plan.count({} if again else dict(route.faults))
        if not again:
            plan.route, plan.answer, plan.step = by_address(route, inventory), [], "inspect"
        vanished, changed = self._vanished(plan, inventory), plan.snapshot != self._snapshot()
        plan.symbols |= _offered(inventory, (block.sid for block in evidence.blocks))
        self.plans.save(plan)
        answer = self._show_source(plan, route, inventory, evidence, offset)
        if route.faults and not again:
            answer.note(f"Mended or dropped from your plan: {_counts(route.faults)}")
        answer.note(vanished.strip())
        if changed:
            answer.note(
                "The index changed since curaloc_capsules; SIDs still mean the same symbols, and "
                "those shown here count."
            )
        return answer

    def _validated(self, plan: Plan, decided: dict[str, Any], inventory: Inventory) -> RouteMap:
        try:
            return validate(decided, inventory, self.settings, plan.symbols)
        except RejectedRouteMap as error:
            plan.count({"rejected RouteMaps": 1})
            self.plans.save(plan)
            raise MisuseError(f"{error}.{self._vanished(plan, inventory)}".rstrip(".")) from error

    def _show_source(
        self, plan: Plan, route: RouteMap, inventory: Inventory, evidence: Evidence, offset: int
    ) -> Answer:
        answer = Answer()
        answer.add(f"Plan {plan.id}, step 3 of 4", [_NEXT_SUBMIT.format(plan=plan.id)])
        texts = [_headed(block) for block in evidence.blocks]
        answer.add("Source", texts[offset:], len(texts)).offset = offset
        answer.data = {
            "plan": plan.id,
            "step": "inspect",
            "next": "curaloc_submit",
            "route_map": as_data(route, inventory),
            "blocks": [block._asdict() for block in evidence.blocks],
        }
        return answer

    def submit(self, name: str, raw: Any) -> Answer:
        """Take S3's decision; the final ranking with exact places."""
        plan = self.plans.load(name, "inspect")
        inventory, _ = self._inventory(plan, plan.files)
        route = self._validated(plan, plan.route, inventory)
        evidence = gather(self.store, route, inventory, self.settings, 0)
        items = [_item(item) for item in cast(list[Any], raw)] if isinstance(raw, list) else []
        counts: dict[str, int] = {}
        sids = represented(items, inventory, route, evidence, self.settings, counts, plan.symbols)
        found = predictions(sids, inventory, self.settings.predictions)
        plan.count(counts)
        if found:
            plan.answer, plan.step = [p.symbol for p in found], "submit"
        self.plans.save(plan)
        if not found:
            why = "none of these symbols was assessed or shown" if items else "no symbol was given"
            raise MisuseError(
                f"{why}; give symbols=[SID or path:Qualified.name, ...] from curaloc_inspect"
            )
        return self._show_ranking(plan, found, as_data(route, inventory), counts)

    def _show_ranking(
        self,
        plan: Plan,
        found: Sequence[Prediction],
        route: dict[str, Any],
        counts: Mapping[str, int],
    ) -> Answer:
        answer = Answer()
        lines = [line_of(place, p) for place, p in enumerate(found, 1)]
        answer.add(f"Plan {plan.id} is done: edit locations, most likely first", lines)
        answer.note(f"Dropped: {_counts(counts)}" if counts else "")
        answer.data = {
            "plan": plan.id,
            "step": "submit",
            "predictions": [p._asdict() for p in found],
            "route_map": route,
            "faults": plan.faults,
        }
        return answer

    def status(self, name: str) -> Answer:
        """A plan's progress, or the newest plans."""
        names = [name.strip().lower()] if name.strip() else [p.stem for p in self.plans.recent()]
        plans = [plan for n in names if (plan := self.plans.find(n)) is not None]
        answer = Answer(found=bool(plans) or not name.strip())
        lines = [
            f"{plan.id}  step {plan.step}, {len(plan.symbols)} candidates, "
            f"dropped or mended: {_counts(plan.faults) or 'nothing'}"
            for plan in plans
        ]
        answer.add("Plans", lines or ["There is no such plan; start with curaloc_scope."])
        counts = self.store.counts()
        answer.add("Index", [f"{counts['files']:,} files, {counts['symbols']:,} symbols"])
        answer.data = {
            "plans": [
                {"plan": p.id, "step": p.step, "faults": p.faults, "answer": p.answer}
                for p in plans
            ],
            "counts": counts,
        }
        return answer

    # --- shared -----------------------------------------------------------------------------------
    def _inventory(self, plan: Plan, files: Mapping[str, Any]) -> tuple[Inventory, Scope]:
        inquiry = Inquiry(plan.report, self.store, self.settings)
        try:
            scope = scoped(inquiry, files)
            return prepared(inquiry, scope), scope
        except PlanningFailure as error:
            raise MisuseError(f"{error}; call curaloc_capsules with paths of the index") from error

    def _snapshot(self) -> str:
        return self.store.meta("generation")

    def _vanished(self, plan: Plan, inventory: Inventory) -> str:
        present = {c.definition.address for c in inventory.capsules.values()}
        gone = [address for address in plan.symbols.values() if address not in present]
        if not gone:
            return ""
        return (
            f" The repository changed since this plan began: {len(gone)} offered symbols are gone "
            f"({', '.join(gone[:3])}); call curaloc_capsules again to see the present ones."
        )


def _offered(inventory: Inventory, sids: Iterable[int]) -> dict[str, str]:
    """What SIDs that an answer shows stand for."""
    return {str(sid): inventory.capsules[sid].definition.address for sid in sids}


def _bounded(decided: Mapping[str, Any]) -> dict[str, Any]:
    """A decision without list entries that no step reads."""
    return {
        key: cast(list[Any], value)[:MAX_ENTRIES] if isinstance(value, list) else value
        for key, value in decided.items()
    }


def _item(item: Any) -> int | str:
    """A ranked symbol as it was given: bare, or as ``{"sid": ...}`` or ``{"symbol": ...}``."""
    if isinstance(item, Mapping):
        table = cast(Mapping[str, Any], item)
        item = table.get("sid") or table.get("symbol") or ""
    if isinstance(item, float) and item.is_integer():
        return int(item)
    return item if isinstance(item, int | str) else json.dumps(item)


def _headed(block: Block) -> str:
    """A block under what S2 thought of it."""
    return f"{'assessed' if block.assessed else 'adjacent, not assessed yet'}:\n{block.text}"


def _counts(faults: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in faults.items())
