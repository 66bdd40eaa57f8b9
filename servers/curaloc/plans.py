"""Plans of the host-driven path: kept as files beside the index, resumable under their id."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from codeviews.core.errors import MisuseError

VERSION = 1
STEPS = ("scope", "capsules", "inspect", "submit")
KEPT = 50  # newest plans of one repository
_ID = re.compile(r"[0-9a-f]{10}")


@dataclass
class Plan:
    """One localization in progress. ``step`` is the last one done; ``symbols`` maps the SIDs that
    were offered to their addresses, as strings, so that vanished ones can be named."""

    id: str
    report: str
    step: str = "scope"
    snapshot: str = ""
    files: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])
    symbols: dict[str, str] = field(default_factory=dict[str, str])
    route: dict[str, Any] = field(default_factory=dict[str, Any])
    answer: list[str] = field(default_factory=list[str])
    faults: dict[str, int] = field(default_factory=dict[str, int])
    version: int = VERSION

    def count(self, more: dict[str, int] | Counter[str]) -> None:
        """Add to the counts of what was dropped or mended."""
        self.faults = dict(Counter(self.faults) + Counter(more))


class Plans:
    """The plans of one repository."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "plans"

    def new(self, report: str, snapshot: str) -> Plan:
        """A fresh plan; the same report has the same id."""
        digest = hashlib.blake2b(report.encode("utf-8", "replace"), digest_size=5).hexdigest()
        plan = Plan(digest, report, snapshot=snapshot)
        self.save(plan)
        return plan

    def save(self, plan: Plan) -> None:
        """Write a plan whole, and forget the oldest ones."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{plan.id}.json"
        part = path.with_suffix(".part")
        part.write_text(json.dumps(asdict(plan)), "utf-8")
        part.replace(path)
        found = sorted(self.folder.glob("*.json"), key=lambda p: p.stat().st_mtime_ns)
        for old in found[:-KEPT]:
            old.unlink(missing_ok=True)

    def load(self, name: str, needs: str) -> Plan:
        """A plan whose step ``needs`` is done.

        Raises:
            MisuseError: no such plan, or an earlier step is missing; the sentence has the fix.
        """
        plan = self.find(name.strip().lower())
        if plan is None:
            known = ", ".join(p.stem for p in self.recent()) or "none"
            raise MisuseError(
                f"there is no plan {name[:40]!r}; start with curaloc_scope (known plans: {known})"
            )
        if STEPS.index(plan.step) < STEPS.index(needs):
            raise MisuseError(
                f"plan {plan.id} is at step {plan.step!r}; call curaloc_{needs} before this"
            )
        return plan

    def find(self, name: str) -> Plan | None:
        """A plan by id; None when it is not there or was made by another version."""
        path = self.folder / f"{name}.json"
        if not _ID.fullmatch(name) or not path.is_file():
            return None
        try:
            data = json.loads(path.read_text("utf-8"))
            return Plan(**data) if data.get("version") == VERSION else None
        except (ValueError, TypeError, AttributeError):
            return None

    def recent(self) -> list[Path]:
        """Files of the newest plans."""
        found = sorted(self.folder.glob("*.json"), key=lambda p: -p.stat().st_mtime_ns)
        return found[:5]
