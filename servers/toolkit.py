"""What every tool shares: parameters, validation, the answer contract (DESIGN section 7).

A tool is data: a name, a question-shaped description, a parameter model and a function from
:class:`Ask` to :class:`Answer`. The MCP adapter and the command line run the same tools.
"""

from __future__ import annotations

import re
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from codeviews.core.config import (
    DEFAULT_LIMIT,
    DEFAULT_MAX_TOKENS,
    HARD_MAX_TOKENS,
    MAX_LIMIT,
    MAX_QUERY_CHARS,
    MIN_MAX_TOKENS,
)
from codeviews.core.errors import CodeviewsError, MisuseError
from codeviews.core.explore import Filter
from codeviews.core.lookup import Lookup, look_up
from codeviews.core.render import Answer
from codeviews.core.session import Session, Snapshot, is_damage
from codeviews.core.store import Definition, Store
from codeviews.servers.skips import excuse

_T = TypeVar("_T")
_CURSOR = re.compile("[0-9]{1,9}")
Text = Annotated[str, Field(min_length=1, max_length=MAX_QUERY_CHARS)]
Limit = Annotated[int, Field(ge=1, le=MAX_LIMIT)]
Globs = Annotated[list[str], Field(description="only paths matching these globs")]


class Params(BaseModel):
    """Parameters that every tool takes."""

    model_config = ConfigDict(extra="forbid")
    max_tokens: int = Field(DEFAULT_MAX_TOKENS, ge=MIN_MAX_TOKENS, le=HARD_MAX_TOKENS)


class ListParams(Params):
    """Parameters of tools that list things."""

    limit: Limit = DEFAULT_LIMIT
    cursor: str = Field("", description="from the [cut] line of an earlier answer")
    paths: Globs = []


class QueryParams(Params):
    """Parameters of an ``_explore`` tool."""

    query: Text = Field(description="question, names, error text, stack trace or bug report")
    limit: Limit = 10
    paths: Globs = []
    include_tests: bool = Field(False, description="rank tests like other code")
    explain: bool = Field(False, description="show seeds and scores")


class SymbolParams(ListParams):
    """Parameters of a tool about one symbol."""

    symbol: Text = Field(description="name, Qualified.name, path:Qualified.name, path:line or path")


class StatusParams(Params):
    """Parameters of a ``_status`` tool."""


@dataclass(frozen=True)
class Ask:
    """One call: the open index, how fresh it is, and validated parameters."""

    session: Session
    store: Store
    snapshot: Snapshot
    params: Any

    @property
    def offset(self) -> int:
        """Where a page starts.

        Raises:
            MisuseError: the cursor is not one of ours.
        """
        cursor = str(self.params.cursor).strip()
        if cursor and not _CURSOR.fullmatch(cursor):
            raise MisuseError(
                f"cursor {cursor[:60]!r} is not from an earlier answer; leave it empty"
            )
        return int(cursor or 0)

    @cached_property
    def filter(self) -> Filter:
        """Path globs and tests as ranking takes them."""
        return Filter(tuple(self.params.paths), getattr(self.params, "include_tests", False))

    def page(self, items: Sequence[_T]) -> Sequence[_T]:
        """The slice that the cursor and the limit ask for."""
        return items[self.offset : self.offset + self.params.limit]

    def look_up(self, text: str) -> Lookup:
        """Definitions for what the caller typed."""
        return look_up(self.store, text)

    def not_found(self, lookup: Lookup) -> Answer:
        """The normal answer for a name that is not there (DESIGN 7.5)."""
        answer = Answer(found=False)
        if lookup.found:
            places = ", ".join(d.address for d in lookup.found[:3])
            say = f"Not found within paths=: {lookup.text[:200]!r} is defined elsewhere ({places})."
        elif self.snapshot.complete:
            say = f"Not found: no definition is called {lookup.text[:200]!r}."
        else:
            say = f"Not found so far: {lookup.text[:200]!r}; the index is still being built."
        answer.add("", [say])
        answer.add("Nearest names" if lookup.nearest else "", lookup.nearest)
        answer.note(self.excuse(lookup.text))
        answer.data = {"symbol": lookup.text, "results": [], "nearest": lookup.nearest}
        return answer

    def excuse(self, text: str) -> str:
        """A skipped file that may hold what was asked for."""
        return excuse(self.store, self.session.root, text)

    def withheld(self, definitions: Iterable[Definition]) -> set[str]:
        """Paths whose source must not be shown: they changed while this was answered."""
        return self.changed(d.path for d in definitions)

    def changed(self, paths: Iterable[str]) -> set[str]:
        """Paths among these that changed while this was answered."""
        return self.session.changed_since(paths)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of a server. ``entry`` marks the tools a host should always show its model."""

    name: str
    description: str
    params: type[Params]
    run: Callable[[Ask], Answer]
    entry: bool = False

    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments, without the titles that only cost tokens."""
        schema = self.params.model_json_schema()
        return _untitled(schema)

    @property
    def pages(self) -> bool:
        """Whether the tool goes on at a cursor."""
        return "cursor" in self.params.model_fields

    def validate(self, arguments: Mapping[str, Any]) -> Params:
        """Parameters from raw arguments.

        Raises:
            MisuseError: with the first problem and its fix.
        """
        try:
            return self.params.model_validate(dict(arguments))
        except ValidationError as error:
            raise MisuseError(_fix(self, error)) from error


def _untitled(schema: Any) -> Any:
    """Drop ``title`` and length bounds everywhere, and the description of the whole object."""
    if isinstance(schema, list):
        return [_untitled(item) for item in cast(list[Any], schema)]
    if not isinstance(schema, dict):
        return schema
    table = cast(dict[str, Any], schema)
    dropped = {"maxLength", "minLength", *(["description"] if "properties" in table else [])}
    return {
        key: _untitled(value)
        for key, value in table.items()
        if key not in dropped and not (key == "title" and isinstance(value, str))
    }


def _fix(tool: Tool, error: ValidationError) -> str:
    first = error.errors()[0]
    name = ".".join(str(part) for part in first["loc"]) or "arguments"
    known = ", ".join(tool.params.model_fields)
    if first["type"] == "extra_forbidden":
        return f"{tool.name} has no argument {name!r}; it takes: {known}"
    if first["type"] == "missing":
        return f"{tool.name} needs {name!r}; it takes: {known}"
    given = repr(first.get("input"))
    given = given if len(given) < 80 else given[:77] + "..."
    return f"{tool.name}: {name} = {given} is wrong: {first['msg'].lower()}"


def answer(session: Session, tool: Tool, arguments: Mapping[str, Any]) -> tuple[Answer, int]:
    """Run a tool; returns the answer with its header and footer, and its token budget.

    Raises:
        MisuseError: wrong arguments (exit code 2).
        CodeviewsError: something the user can mend.
    """
    params = tool.validate(arguments)
    try:
        return _answer(session, tool, params), params.max_tokens
    except (sqlite3.DatabaseError, zlib.error) as error:
        if is_damage(error):
            session.build_anew()
            raise CodeviewsError(
                f"the index was damaged ({error}) and is being built anew; ask again in a moment"
            ) from error
        raise CodeviewsError(
            f"the index could not be read ({error}); ask again, or run 'codeviews doctor'"
        ) from error


def _answer(session: Session, tool: Tool, params: Params) -> Answer:
    snapshot = session.snapshot()
    if snapshot.phase == "starting" or (snapshot.phase and not session.database.exists()):
        result = _nothing_yet()
    else:
        result = _run(session, tool, snapshot, params)
    result.header = snapshot.line()
    result.note(_past_the_end(result, str(getattr(params, "cursor", "")).strip()))
    for notice in snapshot.notices:
        result.note(notice)
    if not snapshot.complete:
        result.note("The index is incomplete: what is missing here may exist; ask again later.")
    if tool.pages:
        result.data.setdefault("next_cursor", result.next_cursor())
    result.data["coverage"] = snapshot.coverage()
    return result


def _past_the_end(result: Answer, cursor: str) -> str:
    """A sentence when the cursor is behind the last page of every list."""
    pages = [section for section in result.sections if section.offset == int(cursor or 0)]
    if not cursor or not result.found or any(page.items for page in pages):
        return ""
    return f"Nothing is left at cursor={cursor}; leave it empty for the beginning."


def _run(session: Session, tool: Tool, snapshot: Snapshot, params: Params) -> Answer:
    try:
        with session.reading() as store:
            return tool.run(Ask(session, store, snapshot, params))
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):
            return _nothing_yet()
        raise


def _nothing_yet() -> Answer:
    out = Answer(found=False)
    out.add("", ["Nothing can be answered yet: the index is just being started."])
    return out
