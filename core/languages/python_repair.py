"""Reading Python that the parser of this interpreter rejects.

Bytes become text (BOM, cookies, NUL), Python 2 statements become Python 3 ones of the same line,
lines with errors become ``pass``, and what still fails is left out one top-level block at a time.
Line numbers never change. The work is bounded by the bytes parsed.
"""

from __future__ import annotations

import ast
import codecs
import re
import sys
import warnings
from typing import NamedTuple

from codeviews.core.facts import FileFacts, Import, Symbol
from codeviews.core.languages.python_deep import flattened

_BUDGET = 12_000_000  # bytes parsed for one file, all attempts together
_FRAMES = 3_000  # the parser's own depth is a multiple of this and fits a thread's stack
_WHOLE_ATTEMPTS = 6
_BLOCK_ATTEMPTS = 10
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)", re.M)
_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)


class Parsed(NamedTuple):
    """A file ready for the walk. ``source`` is its text as UTF-8.

    In the file ``bom`` bytes precede the text and a character takes ``width`` bytes (0: UTF-8);
    ``size`` is the length of the file.
    """

    tree: ast.Module | None
    source: bytes
    text: str
    bom: int
    width: int
    size: int
    notes: list[str]


def parse(source: bytes, flat: bool = False) -> Parsed:
    """Parse a file, repairing what is needed; ``flat`` when it parses, but too deep for a walk."""
    text, bom, width, notes = _decode(source)
    plain = source[bom:] if not notes else text.encode("utf-8", "replace")
    tree, error = (None, RecursionError()) if flat else _compile(text)
    if tree is None:
        tree = _mend(text, error, notes)
    return Parsed(tree, plain, text, bom, width, len(source), notes)


def _mend(text: str, error: Exception | None, notes: list[str]) -> ast.Module | None:
    if _too_deep(error):
        text, line = flattened(text)
        if line:
            notes.append(f"nested too deeply near line {line}: calls read in part, by name")
        tree, error = _compile(text)
        if tree is not None:
            return tree
    kind = "syntax error" if isinstance(error, SyntaxError) else "not parsed"
    notes.append(f"{kind} near line {_error_line(error)}: the rest was read")
    return _repair(text)


def _too_deep(error: Exception | None) -> bool:
    """Whether the parser gave up on how deep something is, not on how it is written."""
    return isinstance(error, RecursionError | MemoryError) or "too many nested" in str(error)


def _decode(source: bytes) -> tuple[str, int, int, list[str]]:
    """(text, bytes before it, bytes of a character or 0 for UTF-8, notes)"""
    if source.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = source.decode("utf-16", "replace").replace("\0", " ")
        return text, 2, 2, ["read as UTF-16"]
    bom = 3 if source.startswith(codecs.BOM_UTF8) else 0
    notes: list[str] = []
    width = 0
    try:
        text = source[bom:].decode("utf-8")
    except UnicodeDecodeError:
        width = 1
        encoding = _cookie(source)
        text = source[bom:].decode(encoding, "replace")
        notes = [f"not UTF-8: read as {encoding}"]
    if "\0" in text:
        text = text.replace("\0", " ")
        notes.append("NUL bytes were read as spaces")
    return text, bom, width, notes


def _cookie(source: bytes) -> str:
    match = _COOKIE.search(b"\n".join(source.split(b"\n", 2)[:2]))
    try:
        name = codecs.lookup(match[1].decode("ascii") if match else "latin-1").name
        "".encode(name)
        b"".decode(name)
    except (LookupError, UnicodeError, TypeError, ValueError):
        return "latin-1"
    return "latin-1" if name in ("utf-8", "utf-8-sig", "idna", "punycode") else name


def _compile(text: str) -> tuple[ast.Module | None, Exception | None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _FRAMES))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, "<source>")
    except _ERRORS as error:
        return None, error
    finally:
        sys.setrecursionlimit(before)
    return tree, None


def _error_line(error: Exception | None) -> int:
    return (error.lineno or 1) if isinstance(error, SyntaxError) else 1


# Python 2 statement -> the same line in Python 3; columns before the change are kept
_PYTHON2 = (
    (re.compile(r"^([ \t]*)print[ \t]*>>[ \t]*", re.M), r"\1_ = "),
    (re.compile(r"^([ \t]*)print[ \t]+(?=[^=(\s])", re.M), r"\1_  =  "),
    (re.compile(r"^([ \t]*)print[ \t]*$", re.M), r"\1pass"),
    (re.compile(r"^([ \t]*)exec[ \t]+(?=[^=(\s])", re.M), r"\1_  = "),
    (re.compile(r"^([ \t]*except[ \t]+[\w.()\t ,]+?),[ \t]*(\w+)[ \t]*:", re.M), r"\1 as \2:"),
    (re.compile(r"^([ \t]*raise[ \t]+[\w.]+)[ \t]*,[ \t]*(.+)$", re.M), r"\1(\2)"),
    (re.compile(r"<>"), "!="),
    (re.compile(r"\b0(\d+)[lL]?\b"), r"0o\1"),
    (re.compile(r"\b(\d+)[lL]\b"), r"\1"),
    (re.compile(r"\b[uU][rR](?=['\"])"), "r"),
    (re.compile(r"`([^`\n]*)`"), r"repr(\1)"),
)


def _repair(text: str) -> ast.Module | None:
    spent = [0]
    for pattern, replacement in _PYTHON2:
        text = pattern.sub(replacement, text)
    tree, text = _repair_lines(text, _WHOLE_ATTEMPTS, spent)
    return tree if tree is not None else _repair_blocks(text, spent)


def _repair_lines(text: str, attempts: int, spent: list[int]) -> tuple[ast.Module | None, str]:
    """Replace lines with errors by ``pass`` until the text parses."""
    flat = ""
    for _ in range(attempts):
        spent[0] += len(text)
        if spent[0] > _BUDGET:
            break
        tree, error = _compile(text)
        if _too_deep(error) and not flat:
            flat, _ = flattened(text)
            if flat != text:
                text = flat
                continue
        if tree is not None or not isinstance(error, SyntaxError):
            return tree, text
        empty = _EMPTY_BODY.search(error.msg or "")
        text = _with_body(text, int(empty[1])) if empty else _without_line(text, _error_line(error))
    return None, text


_EMPTY_BODY = re.compile(r"expected an indented block after .* on line (\d+)")


def _with_body(text: str, number: int) -> str:
    """The text with ``pass`` as the body of the header that ends at a line."""
    lines = text.split("\n")
    index = min(max(number, 1), len(lines)) - 1
    lines[index] += " pass"
    return "\n".join(lines)


def _without_line(text: str, number: int) -> str:
    """The text with the statement at a line replaced by something harmless."""
    lines = text.split("\n")
    index = min(max(number, 1), len(lines)) - 1
    while index > 0 and not lines[index].strip():
        index -= 1
    line = lines[index]
    indent = line[: len(line) - len(line.lstrip())]
    header = _HEADER.match(line)
    simple = indent + "pass"
    if header is not None:
        simple = (
            f"{indent}def {header[2]}():" if header[1] == "def" else f"{indent}class {header[2]}:"
        )
    elif line.rstrip().endswith(":"):
        simple = indent + "if 1:"
    if line == simple:
        simple = "" if line.strip() == "pass" else indent + "pass"
    lines[index] = simple
    return "\n".join(lines)


_HEADER = re.compile(r"\s*(?:async\s+)?(def|class)\s+(\w+).*:\s*$")
_CONTINUES = re.compile(r"\s|[#)\]}]|(?:else|elif|except|finally)\b|$")


def _repair_blocks(text: str, spent: list[int]) -> ast.Module | None:
    """Parse each top-level block by itself; leave out those that fail."""
    kept: list[ast.stmt] = []
    for first, block in _blocks(text):
        tree, _ = _repair_lines(block, _BLOCK_ATTEMPTS, spent)
        if tree is not None:
            ast.increment_lineno(tree, first)
            kept.extend(tree.body)
    return ast.Module(body=kept, type_ignores=[]) if kept else None


def _blocks(text: str) -> list[tuple[int, str]]:
    """(lines before it, text) of each top-level statement, by indentation."""
    lines = text.split("\n")
    starts = [0]
    for index, line in enumerate(lines[1:], 1):
        if not _CONTINUES.match(line) and not lines[index - 1].startswith("@"):
            starts.append(index)
    stops = [*starts[1:], len(lines)]
    pairs = zip(starts, stops, strict=True)
    return [(first, "\n".join(lines[first:stop])) for first, stop in pairs]


_DEFINITION = re.compile(r"^([ \t]*)(?:async[ \t]+)?(def|class)[ \t]+(\w+)([^\n]{0,200})", re.M)
_IMPORT = re.compile(
    r"^[ \t]*import[ \t]+([\w.]+)|^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import", re.M
)


def fallback(path: str, parsed: Parsed) -> FileFacts:
    """Definitions and imports by their first words, for a file nothing else can read."""
    text = parsed.text
    name = path.rpartition("/")[2].removesuffix(".py")
    lines = text.count("\n") + 1
    symbols = [Symbol(name, "", "module", 1, lines, 0, parsed.size, "", "", -1)]
    outer: list[tuple[int, int]] = []
    seen: dict[str, int] = {}
    line, position = 1, 0
    for match in _DEFINITION.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        _define(match, line, outer, seen, symbols)
    notes = [*parsed.notes, "read in part: only definitions and imports"]
    return FileFacts("python", symbols, [], _imports(text), None, notes)


def _define(
    match: re.Match[str],
    line: int,
    outer: list[tuple[int, int]],
    seen: dict[str, int],
    symbols: list[Symbol],
) -> None:
    indent = len(match[1].expandtabs())
    while outer and outer[-1][0] >= indent:
        outer.pop()
    parent = outer[-1][1] if outer else 0
    above = symbols[parent]
    full = f"{above.qualname}.{match[3]}" if above.qualname else match[3]
    count = seen[full] = seen.get(full, 0) + 1
    inner = "method" if above.kind == "class" else "function"
    kind = "class" if match[2] == "class" else inner
    qualname = full if count == 1 else f"{full}#{count}"
    start, end = min(match.start(), symbols[0].end_byte), min(match.end(), symbols[0].end_byte)
    signature = match[0].strip().removesuffix(":")
    symbols.append(Symbol(match[3], qualname, kind, line, line, start, end, signature, "", parent))
    if len(outer) < 50:
        outer.append((indent, len(symbols) - 1))


def _imports(text: str) -> list[Import]:
    found: list[Import] = []
    line, position = 1, 0
    for match in _IMPORT.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        found.append(Import(match[1] or match[3], "", "", line, len(match[2] or "")))
    return found
