"""State of one file's extraction, and its definitions: names, signatures, docs, parents."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from tree_sitter import Node

from codeviews.core import facts as f
from codeviews.core.facts import FileFacts, Import, Site, Symbol
from codeviews.core.languages.chains import chain, text_of

if TYPE_CHECKING:
    from codeviews.core.languages.queried import Spec

MAX_SIGNATURE = 300
MAX_DOC = 2_000
MAX_NESTING = 100
KINDS = {
    "constructor": "method",
    "anonymous": "class",
    "enumerator": "constant",
    "object": "class",
    "element": "field",
}
LEAVES = frozenset(["field", "constant", "variable", "type"])
TYPE_LIKE = f.TYPE_KINDS | {"namespace"}
Captures = Mapping[str, Node]

_ANNOTATIONS = re.compile(r"^(?:@[\w.:]+(?:\((?:[^()]|\([^()]*\))*\))?\s*|#?\[[^\]]*\]\s*)+")
_ATTRIBUTES = re.compile(rb"\s*(?:#!?\[[^\n]*\]\s*)*")


class Open(NamedTuple):
    """A definition or block that the sweep is inside of."""

    end: int
    symbol: int
    is_definition: bool
    body: int
    attached: str = ""
    trait: str = ""


class Declaring:
    """What was found so far, and the stack of open definitions and blocks."""

    def __init__(self, spec: Spec, path: str, source: bytes) -> None:
        self.spec = spec
        self.source = source
        self.lines = [match.end() for match in re.finditer(b"\n", source)]
        end_line = max(1, len(self.lines) + (not source.endswith(b"\n")))
        name = path.rpartition("/")[2]
        self.symbols = [Symbol(name, "", "module", 1, end_line, 0, len(source), parent=-1)]
        self.sites: list[Site] = []
        self.imports: list[Import] = []
        self.notes: list[str] = []
        self.stack = [Open(len(source) + 1, 0, True, 0)]
        self.names: dict[str, int] = {}
        self.by_name: dict[str, int] = {}
        self.comment = (-1, -1)
        self.open_calls: list[tuple[int, str]] = []
        self.matched: list[tuple[int, str]] = []
        self.elements: dict[int, int] = {}
        self.lambda_at = (-1, -1)
        self.bound: set[tuple[int, str]] = set()
        self.flow: dict[str, Any] = {
            "package": "",
            "at": [],
            "bindings": [],
            "fields": [],
            "types": {},
            "values": {},
            "params": {},
            "receivers": {},
            "extensions": {},
            "traits": {},
            "impls": [],
            "generics": {},
            "returns": {},
            "loops": [],
        }

    def facts(self) -> FileFacts:
        """What was found; call once, at the end."""
        language = self.spec.language
        return FileFacts(language, self.symbols, self.sites, self.imports, self.flow, self.notes)

    @property
    def scope(self) -> int:
        """Index of the innermost open definition."""
        return self.stack[-1].symbol

    def line(self, offset: int) -> int:
        """1-based line of a byte offset."""
        return bisect_right(self.lines, offset) + 1

    def chain(self, node: Node | None) -> str:
        """An expression as a chain; "" for an absent one."""
        return chain(node, self.spec.rules) if node is not None else ""

    def _definition(self, captured: str, node: Node, captures: Captures) -> None:
        kind = KINDS.get(captured, captured)
        top = self.stack[-1]
        parent = self.symbols[top.symbol]
        name = self._name(captured, parent, captures)
        if not name or len(self.stack) > MAX_NESTING:
            return
        if kind == "function" and (top.attached or parent.kind in f.TYPE_KINDS):
            kind = "method"
        receiver = top.attached or text_of(captures.get("receiver"))
        index = self._add(kind, name, node, captures, receiver, bool(top.attached))
        if captured == "object":
            self.symbols[index] = self.symbols[index]._replace(flags=f.STATIC)
        self._describe(index, captured, captures, receiver)
        if kind not in LEAVES or captured == "enumerator":
            body = captures.get("body")
            start = body.start_byte if body is not None else node.end_byte
            self.stack.append(Open(node.end_byte, index, True, start))

    def _name(self, captured: str, parent: Symbol, captures: Captures) -> str:
        written = text_of(captures.get("name"))
        if captured == "anonymous":
            return simple_type(written) + "$1"
        if captured == "element":
            count = self.elements[self.scope] = self.elements.get(self.scope, -1) + 1
            return str(count)
        if captured == "constructor":
            return self.spec.constructor or written or parent.name
        return written.lstrip(":$")[:120]

    def _add(
        self, kind: str, name: str, node: Node, captures: Captures, receiver: str, attached: bool
    ) -> int:
        index = len(self.symbols)
        owner, prefix = self._owner(receiver if attached else "")
        if receiver and not attached:
            prefix = f"{prefix}.{simple_type(receiver)}" if prefix else simple_type(receiver)
        qualname = self._unique(f"{prefix}.{name}" if prefix else name, kind)
        signature, words = self._signature(node, captures)
        symbol = Symbol(
            name,
            qualname,
            kind,
            self.line(node.start_byte),
            self.line(max(node.start_byte, node.end_byte - 1)),
            node.start_byte,
            node.end_byte,
            signature,
            self._doc(node.start_byte),
            owner,
            self._flags(name, kind, words, captures),
        )
        self.symbols.append(symbol)
        return index

    def _owner(self, attached: str) -> tuple[int, str]:
        """Parent index and qualified prefix of a definition met now."""
        scope = self.scope
        prefix = self.symbols[scope].qualname
        if not attached:
            return scope, prefix
        name = simple_type(attached)
        qualified = f"{prefix}.{name}" if prefix else name
        known = self.by_name.get(qualified)
        return (known if known is not None else scope), qualified

    def _unique(self, qualname: str, kind: str = "") -> str:
        self._make_way(qualname, kind)
        if qualname not in self.by_name:
            self.by_name[qualname] = len(self.symbols)
            return qualname
        count = self.names.get(qualname, 1) + 1
        self.names[qualname] = count
        return self._unique(f"{qualname}#{count}")

    def _make_way(self, qualname: str, kind: str) -> None:
        """A method takes the plain name of a field of the same name."""
        known = self.by_name.get(qualname)
        if known is None or kind not in ("method", "function"):
            return
        field = self.symbols[known]
        if field.kind in ("field", "constant"):
            del self.by_name[qualname]
            renamed = self._unique(f"{qualname}#2")
            self.by_name[renamed] = known
            self.names[qualname] = 2
            self.symbols[known] = field._replace(qualname=renamed)

    def _signature(self, node: Node, captures: Captures) -> tuple[str, frozenset[str]]:
        start, body = node.start_byte, captures.get("body")
        end = body.start_byte if body is not None else min(node.end_byte, start + 2 * MAX_SIGNATURE)
        raw = self.source[start:end][: 8 * MAX_SIGNATURE].decode("utf-8", "replace")
        text = _ANNOTATIONS.sub("", " ".join(raw.split()))
        name = captures.get("name")
        stop = name.start_byte if name is not None else start
        head = self.source[start : min(stop, start + 2_000)].decode("utf-8", "replace")
        return text.rstrip(" {=:;")[:MAX_SIGNATURE], frozenset(re.findall(r"@?\w+", head))

    def _flags(self, name: str, kind: str, words: frozenset[str], captures: Captures) -> int:
        flags = 0
        for word, flag in self.spec.modifiers.items():
            if word in words:
                flags |= flag
        if self.spec.exported(name, words):
            flags |= f.EXPORTED
        if kind == "method" and "body" not in captures and "parameters" in captures:
            flags |= f.DECLARATION
        if name in ("main", "Main") and kind in f.CALLABLE_KINDS:
            flags |= f.ENTRY
        return flags

    def _doc(self, start: int) -> str:
        first, last = self.comment
        gap = self.source[last:start] if 0 <= start - last < 600 else b"x"
        if first < 0 or not _ATTRIBUTES.fullmatch(gap) or gap.count(b"\n\n"):
            return ""
        raw = self.source[first:last][: 2 * MAX_DOC].decode("utf-8", "replace")
        return self.spec.comment.sub("", raw).strip()[:MAX_DOC]

    def _describe(self, index: int, captured: str, captures: Captures, receiver: str) -> None:
        flow = self.flow
        if "type" in captures:
            flow["types"][index] = text_of(captures["type"])
        elif self.spec.result and self.symbols[index].kind in ("function", "method"):
            found = self.spec.result.search(self.symbols[index].signature)
            if found:
                flow["types"][index] = found[1]
        if captured == "enumerator":
            flow["types"][index] = self.symbols[self.symbols[index].parent].name
        if "value" in captures and self.symbols[index].kind in ("function", "method"):
            flow["returns"][index] = [self.chain(captures["value"])]
        elif "value" in captures:
            flow["values"][index] = self.chain(captures["value"])
        if receiver:
            flow["receivers"][index] = receiver
        if "<" in self.stack[-1].trait and self.stack[-1].attached:
            flow["traits"][index] = self.stack[-1].trait
        if "extends" in captures:
            flow["extensions"][index] = text_of(captures["extends"])
        if "parameters" in captures:
            flow["params"].setdefault(index, [])
        if captured == "anonymous":
            self._site("inherits", text_of(captures["name"]), captures["name"], scope=index)

    def _site(
        self, kind: str, name: str, node: Node, arity: int = -1,
        arguments: tuple[str, ...] = (), scope: int | None = None, offset: int | None = None,
        extra: str = "",
    ) -> None:  # fmt: skip
        where = node.start_byte if offset is None else offset
        self.flow["at"].append((where, arity, arguments))
        line = self.line(where)
        self.sites.append(Site(kind, name, line, self.scope if scope is None else scope, extra))


def simple_type(written: str) -> str:
    """``&'a mut a::b::C<D>`` -> ``C``: the last name of a type, without arguments."""
    head = re.sub(r"'\w+|\b(?:mut|dyn|const|ref)\b|[&*?!]", "", written).split("<")[0]
    names = re.findall(r"[\w$]+", head)
    return names[-1] if names else "?"
