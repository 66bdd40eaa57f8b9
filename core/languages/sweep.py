"""The sweep over query events in source order that turns them into facts."""

from __future__ import annotations

import re
from collections.abc import Callable

from tree_sitter import Node

from codeviews.core.facts import CALLABLE_KINDS, Import
from codeviews.core.languages.chains import MAX_STEPS, MAX_TEXT, UNKNOWN_CHAIN, text_of
from codeviews.core.languages.declaring import MAX_DOC, TYPE_LIKE, Captures, Declaring, Open

MAX_ARGUMENTS = 6
MAX_VALUE = 300
_CLOSURE = re.compile(r"\|((?:\s*(?:mut\s+)?\w+\s*:\s*[^|,]+,?)+)\|")
_TYPED = re.compile(r"(\w+)\s*:\s*([^,]+)")
_LET = re.compile(r"\blet\s+(?:mut\s+)?(\w+)\s*=\s*((?:\w+\s*(?:::|\.)\s*)*\w+)\(")
_STRINGS = re.compile(r'"(?:\\.|[^"\\])*"')


class Sweep(Declaring):
    """Takes events in source order; :meth:`facts` gives the result."""

    def see(self, event: str, node: Node, captures: Captures) -> None:
        """Take the next event in source order."""
        while self.stack[-1].end <= node.start_byte and len(self.stack) > 1:
            self.stack.pop()
        if event.startswith("definition."):
            self._definition(event[11:], node, captures)
        else:
            _HANDLERS[event](self, node, captures)

    def _package(self, node: Node, captures: Captures) -> None:
        self.flow["package"] = re.sub(r"\s*(?:::|\\|\.)\s*", ".", text_of(captures["name"]))

    def _import(self, node: Node, captures: Captures) -> None:
        line = self.line(node.start_byte)
        raw = (node.text or b"")[:8_000].decode("utf-8", "replace")
        for module, name, alias in self.spec.imports(node, raw):
            self.imports.append(Import(module, name, alias, line, 0, self.scope))

    def _comment(self, node: Node, captures: Captures) -> None:
        start, end = node.start_byte, node.end_byte
        if self.source[start : start + 3] in (b"//!", b"/*!"):
            return self._inner_doc(self.source[start:end])
        end -= self.source[end - 1 : end] == b"\n"
        line_start = self.lines[self.line(start) - 2] if self.line(start) > 1 else 0
        if self.source[line_start:start].strip():
            return
        first, last = self.comment
        gap = self.source[last:start] if 0 <= start - last < 200 else b"x"
        joined = first >= 0 and not gap.strip() and gap.count(b"\n") <= 1
        self.comment = (first if joined else start, end)

    def _inner_doc(self, raw: bytes) -> None:
        """``//!`` documents the file itself."""
        module = self.symbols[0]
        line = self.spec.comment.sub("", raw[:MAX_DOC].decode("utf-8", "replace")).strip("\n")
        if self.scope == 0 and len(module.doc) < MAX_DOC:
            self.symbols[0] = module._replace(doc=f"{module.doc}\n{line}".strip())

    def _base(self, node: Node, captures: Captures) -> None:
        if not self.stack[-1].attached and self.scope:
            self._site("inherits", text_of(node), node)

    def _generic(self, node: Node, captures: Captures) -> None:
        pair = (text_of(captures["name"]), text_of(captures.get("type")))
        self.flow["generics"].setdefault(self.scope, []).append(pair)

    def _block(self, node: Node, captures: Captures) -> None:
        self.stack.append(self.stack[-1]._replace(end=node.end_byte, is_definition=False))

    def _loop(self, node: Node, captures: Captures) -> None:
        self.flow["loops"].append((node.start_byte, node.end_byte))
        self._block(node, captures)

    def _attach(self, node: Node, captures: Captures) -> None:
        written, trait = text_of(captures["type"]), text_of(captures.get("trait"))
        line = self.line(node.start_byte)
        impl = (written, trait, line, self.scope, node.start_byte, node.end_byte)
        self.flow["impls"].append(impl)
        entry = Open(node.end_byte, self.scope, False, node.start_byte, written, trait)
        self.stack.append(entry)

    def _bind(self, captures: Captures, start: int, kind: str, value: str | None = None) -> None:
        name, declared = text_of(captures.get("name")), text_of(captures.get("type"))
        if not name:
            return
        if value is None:
            value = self.chain(captures.get("value"))
        top = self.stack[-1]
        entry = (top.symbol, name, declared, value[:300], start, top.end, kind)
        self.bound.add((top.symbol, name))
        self.flow["bindings"].append(entry)

    def _matched(self, node: Node, captures: Captures) -> None:
        self.matched.append((node.end_byte, self.chain(captures["value"])))

    def _unpack(self, node: Node, captures: Captures) -> None:
        """``Some(x)``, ``Variant(x)`` in a pattern binds x to a part of the matched value."""
        while self.matched and self.matched[-1][0] <= node.start_byte:
            self.matched.pop()
        value = self.matched[-1][1] if self.matched else UNKNOWN_CHAIN
        top, name = self.stack[-1], text_of(captures["name"])
        wrapper = text_of(captures["wrapper"])
        entry = (top.symbol, name, wrapper, value[:300], node.end_byte, top.end, "u")
        self.flow["bindings"].append(entry)

    def _variable(self, node: Node, captures: Captures) -> None:
        value = captures.get("value")
        self._bind(captures, (value or node).end_byte if value else node.start_byte, "v")

    def _parameter(self, node: Node, captures: Captures, mark: str = "") -> None:
        top = self.stack[-1]
        declared = text_of(captures.get("type"))
        if top.is_definition and node.start_byte < top.body:
            mark = mark or ("~" if "value" in captures else self._defaulted(node))
            self.flow["params"].setdefault(top.symbol, []).append(mark + declared)
            if self.symbols[top.symbol].kind in TYPE_LIKE:
                self._component(node, captures)
        self._bind(captures, node.start_byte, "p", "")
        if mark == "*" and declared and not declared.endswith("]"):
            bound = self.flow["bindings"][-1]
            self.flow["bindings"][-1] = (*bound[:2], declared + "[]", *bound[3:])

    def _defaulted(self, node: Node) -> str:
        """The mark of a parameter whose default or repetition stands outside its node."""
        before = self.source[max(0, node.start_byte - 12) : node.start_byte].rstrip()
        after = self.source[node.end_byte : node.end_byte + 8].lstrip()
        if before.endswith((b"vararg", b"params")) or after.startswith(b"..."):
            return "*"
        return "~" if after.startswith(b"=") and not after.startswith(b"=>") else ""

    def _promoted(self, node: Node, captures: Captures) -> None:
        """A constructor's parameter that is a field as well (PHP)."""
        top = self.stack[-1]
        self.flow["params"].setdefault(top.symbol, []).append(text_of(captures.get("type")))
        owner = self.stack.pop() if len(self.stack) > 1 else None
        self._component(node, captures)
        if owner is not None:
            self.stack.append(owner)
        name = "$" + text_of(captures["name"])
        entry = (top.symbol, name, text_of(captures.get("type")), "", node.start_byte, top.end, "p")
        self.flow["bindings"].append(entry)

    def _component(self, node: Node, captures: Captures) -> None:
        """A parameter of a class header (record, primary constructor) is a field as well."""
        name = text_of(captures.get("name"))
        self._describe(self._add("field", name, node, captures, "", False), "field", captures, "")

    def _spread(self, node: Node, captures: Captures) -> None:
        self._parameter(node, captures, "*")

    def _each(self, node: Node, captures: Captures) -> None:
        self._bind(captures, node.start_byte, "e", self.chain(captures.get("value")) + "[]")

    def _pattern(self, node: Node, captures: Captures) -> None:
        self._bind(captures, node.start_byte, "t")

    def _lambda(self, node: Node, captures: Captures) -> None:
        while self.open_calls and self.open_calls[-1][0] <= node.start_byte:
            self.open_calls.pop()
        end = self.stack[-1].end
        position = self.lambda_at[1] + 1 if self.lambda_at[0] == end else 0
        self.lambda_at = (end, position)
        called = self.open_calls[-1][1] if self.open_calls else UNKNOWN_CHAIN
        self._bind(captures, node.start_byte, "l", f"{called}\\{position}")

    def _implicit(self, node: Node, captures: Captures) -> None:
        """A lambda that may use its parameter without declaring it."""
        while self.open_calls and self.open_calls[-1][0] <= node.start_byte:
            self.open_calls.pop()
        called = self.open_calls[-1][1] if self.open_calls else UNKNOWN_CHAIN
        name, start = self.spec.implicit_parameter, node.start_byte
        entry = (self.scope, name, "", f"{called}\\0", start, node.end_byte, "l")
        self.flow["bindings"].append(entry)
        self._block(node, captures)

    def _property(self, node: Node, captures: Captures) -> None:
        """A property of a type or file; inside a body the same syntax declares a local."""
        top = self.stack[-1]
        inside = self.symbols[top.symbol].kind in CALLABLE_KINDS
        if inside or not (top.is_definition or top.attached or self._companion(top)):
            self._variable(node, captures)
        else:
            self._definition("property", node, captures)

    def _companion(self, top: Open) -> bool:
        return top.body < 0

    def _static(self, node: Node, captures: Captures) -> None:
        """A block whose definitions are members of the type around it."""
        top = self.stack[-1]
        self.stack.append(Open(node.end_byte, top.symbol, False, -1))

    def _bare(self, node: Node, captures: Captures) -> None:
        """A name that is a call without parentheses, unless it names a variable."""
        name = self.chain(node)
        first = re.split(r"[.:(\[]", name, maxsplit=1)[0]
        if name == UNKNOWN_CHAIN or (name == first and self._is_bound(name, node.start_byte)):
            return
        self._site("calls", name, node, 0, extra="bare")

    def _is_bound(self, name: str, offset: int) -> bool:
        return (self.scope, name) in self.bound

    def _assign(self, node: Node, captures: Captures) -> None:
        left, value = self.chain(captures["name"]), self.chain(captures.get("value"))
        for prefix in self.spec.fields:
            if left.startswith(prefix) and left[len(prefix) :].isidentifier():
                name = left[len(prefix) :]
                self.flow["fields"].append((self.scope, name, value))
        if left.lstrip("$").isidentifier():
            top = self.stack[-1]
            self.bound.add((top.symbol, left))
            entry = (top.symbol, left, "", value[:300], node.end_byte, top.end, "a")
            self.flow["bindings"].append(entry)

    def _call(self, node: Node, captures: Captures) -> None:
        name = self.chain(node).removesuffix("()")
        arguments = captures.get("arguments")
        if name.startswith("."):
            name = self._conditional(node) + name
        if not name or name == UNKNOWN_CHAIN or name.endswith("[]"):
            return
        nodes = arguments.named_children if arguments is not None else []
        nodes = [child for child in nodes if not child.type.endswith("comment")]
        chains = tuple(self._argument(child) for child in nodes[:MAX_ARGUMENTS])
        arity = len(nodes) + ("trailing" in captures) if arguments is not None else -1
        if arguments is None and "trailing" in captures:
            arity = 1
        offset = self._name_offset(node, arguments)
        self._site("calls", name, node, arity, chains, offset=offset)
        while self.open_calls and self.open_calls[-1][0] <= node.start_byte:
            self.open_calls.pop()
        if len(self.open_calls) < MAX_STEPS:
            self.open_calls.append((node.end_byte, name))

    def _conditional(self, node: Node) -> str:
        """What stands before ``?.`` of a call."""
        parent = node.parent
        for _ in range(6):
            if parent is None or parent.type == "conditional_access_expression":
                break
            parent = parent.parent
        return self.chain(parent.child_by_field_name("condition")) if parent else UNKNOWN_CHAIN

    def _name_offset(self, node: Node, arguments: Node | None) -> int:
        """Where the called name stands, when a chain covers several lines."""
        if arguments is None or arguments.start_byte <= node.start_byte:
            return node.start_byte
        if arguments.start_byte - node.start_byte > MAX_TEXT * 8:
            return arguments.start_byte - 1
        before = self.source[node.start_byte : arguments.start_byte].rstrip()
        return node.start_byte + max(0, len(before) - 1) if b"\n" in before else node.start_byte

    def _argument(self, node: Node) -> str:
        written = self.chain(node)
        return "" if written == UNKNOWN_CHAIN or len(written) > 80 else written

    def _reference(self, node: Node, captures: Captures) -> None:
        self._site("references", self.chain(node), node)

    def _text_calls(self, node: Node, captures: Captures) -> None:
        """Calls inside a macro's arguments, which are tokens and no tree."""
        pattern = self.spec.calls_in_text
        raw = (node.text or b"")[:20_000].decode("latin-1")
        raw = _STRINGS.sub(lambda found: " " * len(found[0]), raw)
        self._text_bindings(node, raw)
        for match in pattern.finditer(raw) if pattern else ():
            name = re.sub(r"\s+|::<[^>]*>", "", match[1])
            self._site("calls", name, node, offset=node.start_byte + match.start(1))

    def _text_bindings(self, node: Node, raw: str) -> None:
        """Typed closure parameters and ``let`` inside a macro's arguments."""
        start, top = node.start_byte, self.stack[-1]
        for closure in _CLOSURE.finditer(raw):
            for name, declared in _TYPED.findall(closure[1]):
                entry = (
                    top.symbol,
                    name,
                    declared.strip(),
                    "",
                    start + closure.start(),
                    node.end_byte,
                    "p",
                )
                self.flow["bindings"].append(entry)
        for let in _LET.finditer(raw):
            value = re.sub(r"\s+", "", let[2]) + "()"
            entry = (top.symbol, let[1], "", value, start + let.end(), node.end_byte, "v")
            self.flow["bindings"].append(entry)

    def _return(self, node: Node, captures: Captures) -> None:
        returned = self.flow["returns"].setdefault(self.scope, [])
        if len(returned) < MAX_ARGUMENTS:
            returned.append(self.chain(captures.get("value")))

    def _error(self, node: Node, captures: Captures) -> None:
        if not self.notes:
            line = self.line(node.start_byte)
            self.notes.append(f"syntax error near line {line}: the rest was read")


_Handler = Callable[[Sweep, Node, Captures], None]
_HANDLERS: dict[str, _Handler] = {
    name: vars(Sweep)["_" + name.replace(".", "_")]
    for name in (
        "package import comment base generic block loop attach variable parameter spread each"
        " pattern lambda assign call reference text_calls return error matched unpack"
        " implicit property static bare promoted"
    ).split()
}
