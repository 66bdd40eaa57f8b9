"""``ts_query`` and ``parse_file``: syntax trees through tree-sitter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pydantic import Field

from codeviews.core.config import MAX_TREE_QUERY_CHARS, TREE_SECONDS
from codeviews.core.errors import MisuseError
from codeviews.core.grammars import GRAMMARS, grammar, grammar_of_file
from codeviews.core.kept import all_files
from codeviews.core.render import Answer
from codeviews.core.store import FileRecord, quote
from codeviews.core.tree_worker import Source, StoppedError, query_files, tree_of
from codeviews.core.trees import Capture
from codeviews.servers.places import file_of, no_file, withheld
from codeviews.servers.toolkit import Ask, Limit, ListParams, Params, Text

MANY_ERRORS = 20  # in one file: it may be another language than its name says


class QueryTreeParams(ListParams):
    """Parameters of ts_query."""

    language: Text = Field(description="python, c, cpp, go, java, rust, javascript, tsx...")
    query: Text = Field(description="(function_definition name: (identifier) @name)")
    limit: Limit = 100


class ParseParams(Params):
    """Parameters of parse_file."""

    path: Text
    depth: int = Field(6, ge=0, le=1_000)
    start_line: int = Field(1, ge=1)
    end_line: int = Field(1_000_000_000, ge=1)


def ts_query(ask: Ask) -> Answer:
    """Captures of a tree-sitter query over the indexed files of a language."""
    params: QueryTreeParams = ask.params
    _check(params)
    files = _candidates(ask, params)
    found, looked, why = _collect(ask, params, files)
    page = found[ask.offset : ask.offset + params.limit]
    changed = ask.changed(path for path, _ in page)
    page = [item for item in page if item[0] not in changed]
    answer = Answer(found=bool(found))
    for path in sorted(changed):
        answer.note(f"{path} changed while this was answered; its captures are withheld, ask again")
    if not files:
        answer.add("", [f"No indexed file is {params.language} and matches these paths."])
    elif not found:
        answer.add("", [f"No match in {looked:,} {params.language} files."])
    lines = [_capture_line(path, capture) for path, capture in page]
    section = answer.add("Captures" if lines else "", lines, len(found))
    section.offset = ask.offset
    if looked < len(files):
        answer.note(f"{looked:,} of {len(files):,} files were looked at: {why}")
    elif why:
        answer.note(why)
    answer.data = {
        "captures": [_capture_data(path, capture) for path, capture in page],
        "files": len(files),
        "looked_at": looked,
        "total": len(found),
    }
    return answer


def _check(params: QueryTreeParams) -> None:
    grammar(params.language)
    if len(params.query) > MAX_TREE_QUERY_CHARS:
        raise MisuseError(
            f"the query has {len(params.query):,} characters; "
            f"at most {MAX_TREE_QUERY_CHARS:,} are run"
        )


def _candidates(ask: Ask, params: QueryTreeParams) -> list[FileRecord]:
    """Files of the language that match the globs and hold the words the query insists on."""
    files = [
        r
        for r in all_files(ask.store)
        if grammar_of_file(r.path, r.language) == params.language and ask.filter.keeps(r.path)
    ]
    for word in _needed_words(params.query):
        holding = set(ask.store.files_with(word))
        files = [r for r in files if r.id in holding]
    return files


_EQUAL = re.compile(r'\(#eq\?\s+@[\w.-]+\s+"([^"\\]*\w[^"\\]*)"\s*\)')


def _needed_words(query: str) -> list[str]:
    """Texts of ``#eq?`` that every match must hold; none when a part of the query is optional."""
    rest = _EQUAL.sub("", query)
    if re.search(r"[?*\[#]", rest) or rest.count("(") != rest.count(")") or _patterns(rest) != 1:
        return []
    return [quote(text) for text in _EQUAL.findall(query)]


def _patterns(query: str) -> int:
    """How many patterns stand side by side at the top."""
    depth = count = 0
    for char in query:
        depth += (char == "(") - (char == ")")
        count += char == ")" and depth == 0
    return count


def _collect(
    ask: Ask, params: QueryTreeParams, files: list[FileRecord]
) -> tuple[list[tuple[str, Capture]], int, str]:
    """Captures up to the end of the page, how many files were looked at, and why not all."""
    found: list[tuple[str, Capture]] = []
    looked, why, last = 0, "", ask.offset + params.limit
    try:
        for path, result in query_files(params.query, _sources(ask, files)):
            looked += 1
            found += [(path, capture) for capture in result.captures]
            if result.partial:
                why = f"in {path} too many matches were in progress; some may be missing"
            if len(found) > last:
                return found, looked, "the page is full (cursor= goes on)"
    except StoppedError as error:
        at = files[looked].path if looked < len(files) else ""
        why = f"{error} (limit {TREE_SECONDS:.0f} s) at {at}; narrow paths= or the query"
    return found, looked, why


def _sources(ask: Ask, files: list[FileRecord]) -> Iterator[Source]:
    for record in files:
        language = grammar_of_file(record.path, record.language)
        yield Source(record.path, language, ask.store.text(record.id))


def _capture_line(path: str, capture: Capture) -> str:
    more = f"-{capture.end_line}" if capture.end_line != capture.line else ""
    return f"{path}:{capture.line}{more}  @{capture.name}  {capture.text}"


def _capture_data(path: str, capture: Capture) -> dict[str, Any]:
    return {"path": path, **capture._asdict()}


def parse_file(ask: Ask) -> Answer:
    """One file's syntax tree."""
    params: ParseParams = ask.params
    record = file_of(ask, params.path)
    if record is None:
        return no_file(ask, params.path)
    language = grammar_of_file(record.path, record.language)
    if language not in GRAMMARS:
        answer = Answer()
        answer.add("", [f"{record.path} is {record.language}, which has no grammar here."])
        answer.note(f"Languages with a grammar: {', '.join(GRAMMARS)}")
        answer.data = {"path": record.path, "language": record.language, "tree": []}
        return answer
    return _tree(ask, record, language)


def _tree(ask: Ask, record: FileRecord, language: str) -> Answer:
    params: ParseParams = ask.params
    if ask.changed([record.path]):
        return withheld(record.path)
    source = Source(record.path, language, ask.store.text(record.id))
    tree = tree_of(source, params.depth, params.start_line, params.end_line)
    answer = Answer()
    if tree.errors:
        lines = [f"{record.path}:{line}  {what}" for line, what in tree.errors[:20]]
        answer.add(f"Syntax errors: {len(tree.errors)}", lines, len(tree.errors))
    if len(tree.errors) >= MANY_ERRORS:
        answer.note(f"So many errors: {record.path} may not be {language} at all.")
    answer.add(f"Syntax tree of {record.path} ({language}), line:column from 0", tree.lines)
    if tree.hidden:
        answer.note(f"{tree.hidden:,} nodes lie deeper than depth={params.depth}.")
    if tree.cut:
        answer.note("The tree is cut; ask for a part with start_line= and end_line=.")
    answer.data = {
        "path": record.path,
        "language": language,
        "tree": tree.lines,
        "errors": [{"line": line, "what": what} for line, what in tree.errors],
        "hidden": tree.hidden,
    }
    return answer
