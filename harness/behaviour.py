"""A scripted agent as data: the steps a model takes, what they cost, and the truth they imply.

A behaviour is a TOML or JSON file (``harness/behaviours/``). Text and arguments may hold
``{placeholders}``, filled per trial. A tool is named as Claude Code names it (``Read``), or
``map:explore`` for the entry of the mounted view, ``map:NAME`` for one of its other tools. A
``[captures]`` table names regular expressions with one group: what they first match in a request's
messages (an id that a tool gave, say) fills placeholders like any variable.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from codeviews.harness.errors import BadInput, UnknownName
from codeviews.harness.exchange import Usage

FOLDER = Path(__file__).parent / "behaviours"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Tokens(_Model):
    """Tokens a step reports."""

    fresh: int = 200
    cache_read: int = 0
    cache_write: int = 0
    output: int = 40

    def usage(self) -> Usage:
        """As the harness counts them."""
        return Usage(self.fresh, self.cache_read, self.cache_write, self.output)


class Call(_Model):
    """One tool call of a step."""

    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class Step(_Model):
    """One model reply, or the fault that stands in its place.

    ``only`` limits a step to workflows with or without a map, ``when`` to requests that force the
    tool of this name (:mod:`codeviews.harness.localization.scripted`). ``times`` is how often the
    fault strikes before the step succeeds; 0 means always.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    usage: Tokens = Tokens()
    only: Literal["map", "baseline", ""] = ""
    when: str = ""
    error: Literal[0, 400, 401, 429, 500, 529] = 0
    fault: Literal["", "truncate", "hang", "malformed"] = ""
    times: int = 0
    delay: float = 0.0


class Behaviour(_Model):
    """A whole scripted agent. ``repeat`` plays the last step for ever; ``captures`` are patterns,
    in which ``{placeholders}`` stand for themselves."""

    name: str
    description: str = ""
    repeat: bool = False
    captures: dict[str, str] = {}
    steps: tuple[Step, ...] = Field(min_length=1)

    @field_validator("captures")
    @classmethod
    def _patterns(cls, captures: dict[str, str]) -> dict[str, str]:
        for name, pattern in captures.items():
            if _compiled(pattern, {}).groups != 1:
                raise ValueError(f"{name} needs exactly one group")
        return captures

    def captured(self, body: Mapping[str, Any], variables: Mapping[str, str]) -> dict[str, str]:
        """What the patterns match in the messages of a request."""
        if not self.captures:
            return {}
        text = "\n".join(_strings([body.get("messages"), body.get("input")]))
        matches = {name: _compiled(p, variables).search(text) for name, p in self.captures.items()}
        return {name: match[1] for name, match in matches.items() if match}

    def for_tools(self, has_map: bool) -> tuple[Step, ...]:
        """The steps that apply when a map is mounted, or is not."""
        unwanted = "baseline" if has_map else "map"
        return tuple(step for step in self.steps if step.only != unwanted)

    def step(self, turn: int, has_map: bool) -> Step:
        """The reply to a request that already holds ``turn`` assistant messages."""
        steps = self.for_tools(has_map)
        if turn < len(steps):
            return steps[turn]
        return steps[-1] if self.repeat else Step(text="done")


def _compiled(pattern: str, variables: Mapping[str, str]) -> re.Pattern[str]:
    try:
        return re.compile(fill(pattern, {k: re.escape(v) for k, v in variables.items()}))
    except re.error as error:
        raise ValueError(f"{pattern} is no regular expression: {error}") from error


def _strings(value: Any) -> Iterator[str]:
    """Every string of a JSON-like value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item)


def fill(value: Any, variables: Mapping[str, str]) -> Any:
    """Replace ``{name}`` in every string of a JSON-like value; unknown names stay as written."""
    if isinstance(value, str):
        for name, text in variables.items():
            value = value.replace("{" + name + "}", text)
        return value
    if isinstance(value, list):
        return [fill(item, variables) for item in value]
    if isinstance(value, dict):
        return {key: fill(item, variables) for key, item in value.items()}
    return value


def names() -> list[str]:
    """The behaviours that ship with the harness."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name_or_path: str) -> Behaviour:
    """A shipped behaviour by name, or one from a ``.toml`` or ``.json`` file.

    Raises:
        UnknownName: no such behaviour; the choices are listed.
        BadInput: the file is not a behaviour.
    """
    path = Path(name_or_path)
    if path.suffix not in (".toml", ".json"):
        path = FOLDER / f"{name_or_path}.toml"
    if not path.is_file():
        raise UnknownName("behaviour", name_or_path, names())
    return parse(path)


def parse(path: Path) -> Behaviour:
    """Read one behaviour file; its name is the file's."""
    try:
        text = path.read_text()
        data = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
        return Behaviour.model_validate({"name": path.stem, **data})
    except (ValueError, ValidationError) as error:
        raise BadInput(f"{path} is not a behaviour: {first_line(error)}") from error


def first_line(error: Exception) -> str:
    """The gist of a parse or validation error."""
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
    return str(error).splitlines()[0]
