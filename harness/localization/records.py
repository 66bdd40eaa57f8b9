"""The record of one localization: (cohort, method, model, run, task). JSON lines; versioned."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from codeviews.harness.errors import BadInput, DiskFull
from codeviews.harness.localization.metrics import Outcome, outcome
from codeviews.harness.results import make_folder, no_room
from codeviews.servers.curaloc.records import Spent

RECORD_VERSION = 1


class StageTokens(BaseModel):
    """Tokens of one stage; cached input is part of ``input``. Not ``retained``: abandoned.

    ``unreported``: answers without usage.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    stage: str
    input: int = 0
    output: int = 0
    cached_input: int = 0
    calls: int = 0
    failed: int = 0
    retained: bool = True
    unreported: int = 0

    @classmethod
    def of(cls, spent: Spent) -> StageTokens:
        """The same line as a record keeps it."""
        return cls(**asdict(spent))


class LocalizationRecord(BaseModel):
    """One finished task. Coverage is None where a method has no such stage or it is unknown.

    ``complete_usage`` False means that a contributing response did not report its tokens.
    ``reused`` names the stages that an intervention kept from the reference run, with its tokens.
    """

    model_config = ConfigDict(extra="forbid")
    version: int = RECORD_VERSION
    cohort: str
    method: str
    configuration: str = "reference"
    model: str = ""
    run: int = 0
    task: str
    repo: str = ""
    ranked: list[str] = []
    scoped: list[str] = []
    shortlist: list[str] = []
    gold: list[str]
    gold_files: list[str]
    candidates_covered: bool | None = None
    selection_covered: bool | None = None
    candidates: int = 0
    starts: int = 0
    selected: int = 0
    tokens: list[StageTokens] = []
    reused: list[str] = []
    complete_usage: bool = True
    failure: str = ""
    seconds: float = 0.0

    @property
    def total_tokens(self) -> int:
        """Input and output of retained stages (H.2)."""
        return sum(s.input + s.output for s in self.tokens if s.retained)

    def stage_tokens(self, *stages: str) -> int:
        """The same of some stages."""
        return sum(s.input + s.output for s in self.tokens if s.retained and s.stage in stages)

    def scored(self, ranked: list[str] | None = None) -> Outcome:
        """Metrics of the ranking; a failed run is an empty one."""
        found = outcome(self.ranked if ranked is None else ranked, self.gold, self.gold_files)
        return found._replace(
            candidates=self.candidates_covered,
            selection=self.selection_covered,
            scoped=set(self.gold_files) <= set(self.scoped[:10]) if self.scoped else None,
            failed=bool(self.failure),
            selected=self.selected,
        )


def write(records: Iterable[LocalizationRecord], path: Path) -> None:
    """Append records to a file, in the place of a last one that was cut short.

    Raises:
        DiskFull: no room.
        BadInput: the file cannot be written for another reason.
    """
    make_folder(path.parent)
    try:
        with path.open("a+b") as file:
            file.seek(0)
            file.truncate(file.read().rfind(b"\n") + 1)
            file.writelines(record.model_dump_json().encode() + b"\n" for record in records)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        if no_room(error):
            raise DiskFull(f"the disk is full: a record of {path} was not written") from error
        raise BadInput(f"{path} cannot be written: {error.strerror or error}") from error


def read(paths: Iterable[Path]) -> list[LocalizationRecord]:
    """All records of some files; the last one of a trial counts.

    Raises:
        BadInput: a file cannot be read, or a line is no record, except a last one that was cut
            short.
    """
    found: dict[tuple[str, str, str, str, int, str], LocalizationRecord] = {}
    for path in paths:
        lines = _lines(path)
        for number, line in enumerate(lines, 1):
            try:
                record = LocalizationRecord.model_validate_json(line)
            except ValidationError as error:
                if number == len(lines):
                    break
                raise BadInput(f"{path}:{number} is not a localization record") from error
            found[key(record)] = record
    return list(found.values())


def _lines(path: Path) -> list[bytes]:
    try:
        return path.read_bytes().splitlines()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}") from error


def key(record: LocalizationRecord) -> tuple[str, str, str, str, int, str]:
    """What makes a trial."""
    r = record
    return r.cohort, r.method, r.configuration, r.model, r.run, r.task
