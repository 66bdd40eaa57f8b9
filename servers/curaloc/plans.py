"""Plans of the host-driven path: kept as files beside the index, resumable under their id."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, TypeAdapter

from codeviews.core.errors import MisuseError

VERSION = 1
Step = Literal["scope", "capsules", "inspect", "submit"]
STEPS: tuple[Step, ...] = get_args(Step)
KEPT = 50  # newest plans of one repository
SHOWN = 5  # of them where known plans are named
_Sid = Annotated[str, Field(pattern=r"^[0-9]{1,18}$")]
_ID = re.compile(r"[0-9a-f]{10}")


@dataclass
class Plan:
    """One localization in progress. ``step`` is the last one done; ``symbols`` maps the SIDs that
    were offered to their addresses, as strings, so that vanished ones can be named."""

    id: str
    report: str
    step: Step = "scope"
    snapshot: str = ""
    files: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])
    symbols: dict[_Sid, str] = field(default_factory=dict[_Sid, str])
    route: dict[str, Any] = field(default_factory=dict[str, Any])
    answer: list[str] = field(default_factory=list[str])
    faults: dict[str, int] = field(default_factory=dict[str, int])
    version: int = VERSION

    def count(self, more: dict[str, int] | Counter[str]) -> None:
        """Add to the counts of what was dropped or mended."""
        self.faults = dict(Counter(self.faults) + Counter(more))


_PLAN = TypeAdapter(Plan)


class Plans:
    """The plans of one repository."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "plans"

    def new(self, report: str, snapshot: str) -> Plan:
        """A fresh plan under an id that no other plan has, in this repository or another."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for number in count():
            path = self.folder / f"{_id(self.folder, report, number)}.json"
            with suppress(FileExistsError):
                path.touch(exist_ok=False)
                plan = Plan(path.stem, report, snapshot=snapshot)
                self.save(plan)
                return plan
        raise AssertionError("unreachable")

    def of(self, report: str) -> Plan | None:
        """The newest plan for a report."""
        plans = (self.find(path.stem) for path in self.recent())
        return next((plan for plan in plans if plan and plan.report == report), None)

    def save(self, plan: Plan) -> None:
        """Write a plan whole, and forget the oldest ones."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{plan.id}.json"
        part = path.with_suffix(f".{os.getpid()}.part")
        part.write_text(json.dumps(asdict(plan)), "utf-8")
        part.replace(path)
        for old in self._by_age()[KEPT:]:
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
            plan = _PLAN.validate_json(path.read_bytes())
        except (OSError, ValueError):
            return None
        return plan if (plan.version, plan.id) == (VERSION, name) else None

    def recent(self) -> list[Path]:
        """Files of the newest plans."""
        return self._by_age()[:SHOWN]

    def _by_age(self) -> list[Path]:
        """Files of all plans, the newest first."""
        found: list[tuple[int, Path]] = []
        for path in self.folder.glob("*.json"):
            with suppress(FileNotFoundError):  # another process forgets old plans too
                found.append((-path.stat().st_mtime_ns, path))
        return [path for _, path in sorted(found)]


def _id(folder: Path, report: str, number: int) -> str:
    parts = "\0".join([str(folder), report, str(number)])
    return hashlib.blake2b(parts.encode("utf-8", "replace"), digest_size=5).hexdigest()
