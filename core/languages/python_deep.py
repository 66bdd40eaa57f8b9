"""Python nested more deeply than the parser or the walk takes, made flat.

A statement such as a sum of twenty thousand calls becomes one call statement for each call in it,
on the lines where they stand: who is called stays known, values do not. Linear in the text.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

_MAX_BRACKETS = 100  # open at once; the tokenizer takes 200
_MAX_DEPTH = 1_000  # operators, calls, members and brackets inside each other
_MAX_BRANCHES = 1_000  # elif of one file
_MAX_CALLS = 50_000  # of one statement
_UNREAD = "unread_"  # a name nothing defines: its value is unknown
_LONG = r'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""'
_SHORT = r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"'
_STRING = "|".join([_LONG, _LONG.replace('"', "'"), _SHORT, _SHORT.replace('"', "'")])
_TOKEN = re.compile(
    rf"(?P<string>[rRbBuUfF]{{0,2}}(?:{_STRING}))"
    r"|(?P<skip>#[^\n]*|\\\n|[ \t\f\r]+)|(?P<line>\n)|(?P<name>[^\W\d]\w*)"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<reset>[,;])|(?P<colon>:(?!=))"
    r"|(?P<number>\d[\w.]*)|(?P<set>=(?!=))|(?P<operator>->|:=|[-+*/%@&|^~<>=!]=?|.)",
    re.S,
)
_OPERATORS = frozenset(["and", "or", "not", "if", "else", "in", "is", "lambda", "await", "yield"])
_STARTS = frozenset(["def", "class", "import", "with", "while", "return", "raise", "try", "del"])
_BLOCKS = frozenset(["def", "class", "if", "elif", "while", "for", "with", "except", "async"])
_LOOPS = frozenset(["while", "for", "async"])


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    line: int


def flattened(text: str) -> tuple[str, int]:
    """The text with statements that are nested too deeply made flat, and the first line of the
    first one; 0 when there is none. Line numbers never change; of a file with very many ``elif``
    they become ``if``."""
    out: list[str] = []
    first = position = 0
    for tokens in _statements(text):
        if not _deep(tokens):
            continue
        first = first or tokens[0].line
        out += [text[position : tokens[0].start], _flat(text, tokens)]
        position = tokens[-1].start + len(tokens[-1].text)
    flat = "".join([*out, text[position:]])
    if len(_ELIF.findall(flat)) > _MAX_BRANCHES:
        flat = _ELIF.sub(r"\1if  ", flat)
    return flat, first


_ELIF = re.compile(r"^([ \t]*)elif\b", re.M)


def _indent(text: str, start: int) -> str:
    begin = text.rfind("\n", 0, start) + 1
    return text[begin:start] if text[begin:start].isspace() else ""


def _statements(text: str) -> Iterator[list[_Token]]:
    """The tokens of each logical line; one that begins a line with ``def`` ends a lost bracket."""
    tokens: list[_Token] = []
    depth, line, fresh = 0, 1, True
    for match in _TOKEN.finditer(text):
        kind, value = match.lastgroup or "", match[0]
        lost = fresh and depth > 0 and value in _STARTS
        if tokens and ((kind == "line" and depth == 0) or lost):
            yield tokens
            tokens, depth = [], 0
        if kind not in ("skip", "line"):
            tokens.append(_Token(kind, value, match.start(), line))
        depth = max(0, depth + (kind == "open") - (kind == "close"))
        fresh = kind == "line" or (fresh and kind == "skip")
        line += value.count("\n")
    if tokens:
        yield tokens


def _deep(tokens: Sequence[_Token]) -> bool:
    """Whether what is inside each other exceeds the bounds; commas begin anew."""
    counts, total = [0], 0
    for kind, text, _, _ in tokens:
        if kind == "open":
            counts.append(0)
        elif kind == "close":
            total -= counts.pop() if len(counts) > 1 else 0
            counts[-1] += 1  # a call or a subscript
            total += 1
        elif kind == "reset":
            total -= counts[-1]
            counts[-1] = 0
        elif kind == "operator" or text in _OPERATORS:
            counts[-1] += 1
            total += 1
        if total + len(counts) > _MAX_DEPTH or len(counts) > _MAX_BRACKETS:
            return True
    return False


def _flat(text: str, tokens: Sequence[_Token]) -> str:
    start, head = tokens[0].start, _head(tokens)
    indent, shown, body = _indent(text, start), "", tokens[len(head) :]
    if head:  # as it is where that will do: columns of what follows tell the signature
        shown = _header(head) if _deep(head) else text[start : head[-1].start + 1]
        indent = ""
    if not body:
        return shown + "\n" * (tokens[-1].line - tokens[0].line - shown.count("\n"))
    lines = shown.count("\n") + tokens[0].line
    gap = "\n" * (body[0].line - lines) or " " * bool(head)
    return shown + gap + _body(body, indent, bool(head))


def _head(tokens: Sequence[_Token]) -> Sequence[_Token]:
    """The tokens up to the colon of a block's first line."""
    depth = 0
    if tokens[0].text in _BLOCKS:
        for index, token in enumerate(tokens):
            depth += (token.kind == "open") - (token.kind == "close")
            if token.kind == "colon" and depth == 0:
                return tokens[: index + 1]
    return ()


def _header(head: Sequence[_Token]) -> str:
    words = [token.text for token in head[:3]]
    if "def" in words[:2]:
        return f"def {words[words.index('def') + 1]}(*{_UNREAD}):"
    if words[0] == "class":
        return f"class {words[1]}:"
    word = "while" if words[0] in _LOOPS else "elif" if words[0] == "elif" else "if"
    return f"{word} [{_listed(_calls(head), head[0].line)}]:"


def _listed(calls: Iterable[tuple[int, str]], line: int) -> str:
    out: list[str] = []
    for at, call in calls:
        out.append("\n" * (at - line) + call + ", ")
        line = at
    return "".join(out)


def _body(tokens: Sequence[_Token], indent: str, one_line: bool) -> str:
    """Every call as a statement, then what becomes of their value."""
    first, last = tokens[0].line, tokens[-1].line + tokens[-1].text.count("\n")
    if one_line:  # a body behind its header stays one logical line
        calls = _listed(_calls(tokens), first)
        return f"[{calls}" + "\n" * (last - first - calls.count("\n")) + f"]; {_end(tokens)}"
    out: list[str] = []
    line = first
    for at, call in _calls(tokens):
        out.append(("\n" * (at - line) + indent if at > line else "; " if out else "") + call)
        line = at
    gap = "\n" * (last - line) + indent if last > line else "; " if out else ""
    return "".join(out) + gap + _end(tokens)


def _end(tokens: Sequence[_Token]) -> str:
    """A statement with an unknown value in the place of the deep one."""
    if tokens[0].text in ("return", "yield"):
        return f"{tokens[0].text} {_UNREAD}"
    if len(tokens) > 1 and tokens[0].kind == "name" and tokens[1].kind == "set":
        return f"{tokens[0].text} = {_UNREAD}"
    return "pass"


def _calls(tokens: Sequence[_Token]) -> Iterator[tuple[int, str]]:
    """(line, call) of everything that is called by a name or as a member."""
    return islice(_all_calls(tokens), _MAX_CALLS)


def _all_calls(tokens: Sequence[_Token]) -> Iterator[tuple[int, str]]:
    for index, token in enumerate(tokens):
        if token.text != "(" or index == 0 or tokens[index - 1].kind != "name":
            continue
        if keyword.iskeyword(tokens[index - 1].text):
            continue
        yield token.line, f"{_called(tokens, index)}({_arguments(tokens, index + 1)})"


def _called(tokens: Sequence[_Token], index: int) -> str:
    """What stands before an opening bracket: ``a.b``, or a member of something unknown."""
    names = [tokens[index - 1].text]
    at = index - 2
    while at >= 1 and tokens[at].text == "." and tokens[at - 1].kind == "name":
        names.append(tokens[at - 1].text)
        at -= 2
    unknown = at >= 0 and tokens[at].text == "."
    return ".".join([f"{_UNREAD}[0]"] * unknown + names[::-1])


def _arguments(tokens: Sequence[_Token], index: int) -> str:
    """Names and literals as they are, anything else as unknown."""
    first = tokens[index] if index < len(tokens) else None
    after = tokens[index + 1].text if index + 1 < len(tokens) else ""
    if first is not None and first.text == ")":
        return ""
    simple = first is not None and first.kind in ("name", "number", "string") and after == ")"
    one_line = simple and first is not None and "\n" not in first.text
    return first.text if one_line and first is not None else f"*{_UNREAD}"
