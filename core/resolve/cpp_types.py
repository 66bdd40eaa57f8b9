"""Evaluates the expression texts of C++ sites: receiver types, overloads, constructions."""

from __future__ import annotations

import re
from typing import NamedTuple

from codeviews.core.facts import STATIC, TEST
from codeviews.core.resolve.c_index import Index, is_header
from codeviews.core.resolve.cpp_index import CppIndex, Function

_STEP = re.compile(r"(->|\.)([~\w]+(?:<[^()\[\]]*>)?)|(\(\))|(\[\])|([@&])")
_PARAMETER = re.compile(r"[A-Z]\w*\Z")  # a template parameter, when no class bears the name
_SMART = frozenset(
    ["unique_ptr", "shared_ptr", "weak_ptr", "optional", "scoped_refptr", "auto_ptr", "atomic"]
)
_ELEMENT = frozenset(["at", "front", "back", "top", "value", "get", "lock", "begin", "end", "find"])
_NUMBERS = frozenset(
    ["int", "unsigned", "long", "short", "char", "bool", "float", "double", "size_t", "int64_t"]
)
_FRESH = ("make_unique", "make_shared", "allocate_shared")


class Value(NamedTuple):
    """A value's type as written and the scope in which that text is to be read."""

    text: str
    scope: str


NOTHING = Value("", "")


class Evaluator:
    """Expressions inside one function of one file."""

    def __init__(self, index: Index, file: int, scope: str) -> None:
        self.index = index
        self.cpp: CppIndex = index.cpp
        self.file = file
        self.scope = scope

    def class_of(self, value: Value) -> str:
        """The repository class of a value, or ""."""
        if not value.text:
            return ""
        return self.cpp.find_class(value.text, value.scope, self.file)

    def own_class(self) -> str:
        """The class whose method is being read, or ""."""
        scope = self.scope
        while scope and scope not in self.cpp.classes:
            scope = scope.rpartition(".")[0]
        return scope

    def evaluate(self, text: str) -> Value:
        """The type of an expression."""
        value, steps = self.head(text)
        for position, step in enumerate(steps):
            if value == NOTHING and position:
                return NOTHING
            value = self._step(value, step, steps, position, text)
        return value

    def split(self, text: str) -> tuple[str, str, str]:
        """(receiver expression, ``.`` or ``->``, member) of a callee; "" without receiver."""
        matches = list(_STEP.finditer(text, self._head_end(text)))
        if not matches or not matches[-1][2] or matches[-1].end() != len(text):
            return "", "", text
        last = matches[-1]
        return text[: last.start()], last[1], last[2]

    def _head_end(self, text: str) -> int:
        if text.startswith("{"):
            return text.find("}") + 1
        depth = 0
        for position, letter in enumerate(text):
            if letter == "<":
                depth += 1
            elif letter == ">" and depth:
                depth -= 1
            elif depth == 0 and not (letter.isalnum() or letter in "_:~"):
                return position
        return len(text)

    def head(self, text: str) -> tuple[Value, list[re.Match[str]]]:
        """The first value of an expression and the steps that follow it."""
        end = self._head_end(text)
        steps = list(_STEP.finditer(text, end))
        name = text[:end]
        if name.startswith("{"):
            return Value(name[1:-1], self.scope), steps
        if name == "this":
            own = self.own_class()
            return Value(f"{own}*".replace(".", "::"), ""), steps
        if steps and steps[0][3]:
            return self.call_result(name), steps[1:]
        return self.variable(name), steps

    def variable(self, name: str) -> Value:
        """The type of a field of the own class or of a namespace variable."""
        own = self.own_class()
        if own:
            text, scope = self.cpp.field_type(own, name)
            if text:
                return self._declared(text, scope)
        path = name.replace("::", ".")
        for prefix in self.cpp.scopes(self.scope, self.file):
            text = self.cpp.variables.get(f"{prefix}.{path}" if prefix else path, "")
            if text:
                return self._declared(text, prefix)
        owner, _, last = path.rpartition(".")
        found = self.cpp.find_class(owner, self.scope, self.file) if owner else ""
        text, scope = self.cpp.field_type(found, last) if found else ("", "")
        return self._declared(text, scope)

    def _declared(self, text: str, scope: str) -> Value:
        if text.startswith("="):
            return Evaluator(self.index, self.file, scope).evaluate(text[1:])
        return Value(text, scope) if text and text != "?" else NOTHING

    def call_result(self, name: str) -> Value:
        """The type of ``name(...)``: what a function returns or the class it constructs."""
        bare = name.split("<", 1)[0]
        if bare.rsplit("::", 1)[-1] in _FRESH and "<" in name:
            return Value(f"unique_ptr{name[name.index('<') :]}", self.scope)
        found = self.cpp.find_class(name, self.scope, self.file)
        if found:
            return Value(found.replace(".", "::"), "")
        return self.result(self.functions(bare))

    def result(self, functions: list[Function]) -> Value:
        """The one return type that overloads agree on."""
        results = {(f.result, f.scope) for f in self.near(functions) if f.result}
        if len({text for text, _ in results}) != 1:
            return NOTHING
        text, scope = min(results)
        return NOTHING if text.startswith(("auto", "decltype")) else Value(text, scope)

    def _step(
        self, value: Value, step: re.Match[str], steps: list[re.Match[str]], at: int, text: str
    ) -> Value:
        if step[1]:
            called = at + 1 < len(steps) and bool(steps[at + 1][3])
            return self._member(value, step[1], step[2].split("<", 1)[0], called)
        if step[3]:
            return self._called(value)
        if step[4]:
            return self._element(value)
        if step[5] == "@":
            return self._dereferenced(value)
        return value._replace(text=value.text + "*") if value.text else value

    def _called(self, value: Value) -> Value:
        """``()`` after a member has been applied with the member; otherwise operator()."""
        if value.text.startswith("\0"):
            return Value(value.text[1:], value.scope)
        found = self.class_of(value)
        return self.result(self.cpp.methods(found, "operator()")) if found else NOTHING

    def _member(self, value: Value, operator: str, name: str, called: bool) -> Value:
        holder = self.receiver_class(value, operator)
        if not holder:
            if called and name in _ELEMENT:
                inner = self._element(self._pointed(value) if operator == "->" else value)
                return Value("\0" + inner.text, inner.scope) if inner.text else NOTHING
            return NOTHING
        if called:
            found = self._instance_of(value, self.result(self.cpp.methods(holder, name)))
            return Value("\0" + found.text, found.scope) if found.text else NOTHING
        text, scope = self.cpp.field_type(holder, name)
        return self._declared(text, scope)

    def receiver_class(self, value: Value, operator: str) -> str:
        """The class that ``.`` or ``->`` on a value looks into."""
        found = self.class_of(value)
        if operator == "->" and not value.text.rstrip("&").endswith("*"):
            inner = self._pointee(value)
            if inner.text:
                return self.class_of(inner)
            if found:
                arrow = self.result(self.cpp.methods(found, "operator->"))
                return self.class_of(arrow) or found
        return found

    def _pointee(self, value: Value) -> Value:
        name, arguments = template(self._unaliased(value.text))
        if name.rsplit("::", 1)[-1] in _SMART or (arguments and not self.class_of(value)):
            return Value(arguments[0], value.scope) if arguments else NOTHING
        return NOTHING

    def _pointed(self, value: Value) -> Value:
        """What a raw pointer points to; other values as they are."""
        return value._replace(text=value.text[:-1]) if value.text.endswith("*") else value

    def _unaliased(self, text: str) -> str:
        for prefix in self.cpp.scopes(self.scope, self.file):
            target = self.cpp.aliases.get((prefix, text.strip("*&")))
            if target:
                return target
        return text

    def _element(self, value: Value) -> Value:
        if value.text.endswith("*"):
            return Value(value.text[:-1], value.scope)
        found = self.class_of(value)
        if found:
            return self._instance_of(value, self.result(self.cpp.methods(found, "operator[]")))
        _, arguments = template(self._unaliased(value.text))
        return (
            Value(arguments[-1] if len(arguments) == 2 else arguments[0], value.scope)
            if (arguments)
            else NOTHING
        )

    def _instance_of(self, value: Value, result: Value) -> Value:
        """``T&`` of a method as the one template argument of the value it is called on."""
        name = result.text.strip("*&")
        if not _PARAMETER.match(name) or self.class_of(result):
            return result
        _, arguments = template(self._unaliased(value.text))
        if len(arguments) != 1:
            return result
        return Value(arguments[0] + "*" * result.text.count("*"), value.scope)

    def _dereferenced(self, value: Value) -> Value:
        return self._pointed(value) if value.text.endswith("*") else self._pointee(value)

    def functions(self, name: str) -> list[Function]:
        """The overloads that a plain or qualified function name means here."""
        path = name.split("<", 1)[0].replace("::", ".").lstrip(".")
        own = self.own_class()
        if own and "." not in path:
            found = self.cpp.methods(own, path)
            if found:
                return found
        owner, _, last = path.rpartition(".")
        holder = self.cpp.find_class(owner, self.scope, self.file) if owner else ""
        if holder:
            return self.cpp.methods(holder, last)
        for prefix in self.cpp.scopes(self.scope, self.file):
            found = self.visible(self.cpp.functions.get(f"{prefix}.{path}" if prefix else path, []))
            if found:
                return found
            target = self.cpp.aliases.get((prefix, path))
            if target:
                return self.visible(self.cpp.functions.get(target.replace("::", "."), []))
        return []

    def visible(self, functions: list[Function]) -> list[Function]:
        """Without other files' statics; a class of functions defined here comes first."""
        paths = self.index.paths
        kept = [
            f
            for f in functions
            if not f.flags & STATIC or f.file == self.file or is_header(paths[f.file])
        ]
        own = [f for f in kept if f.file == self.file and not f.is_declaration]
        return own if own and all(f.flags & STATIC for f in own) else kept

    def select(self, overloads: list[Function], arguments: list[str]) -> list[Function]:
        """The overloads that fit the arguments best; a definition stands for its declarations."""
        overloads = self.near(overloads)
        fitting = [f for f in overloads if _fits(f, len(arguments))] or overloads
        if len({f.types for f in fitting}) > 1:
            kinds = [self._argument(argument) for argument in arguments]
            scores = [self._score(f, kinds) for f in fitting]
            best = max(scores)
            fitting = [f for f, score in zip(fitting, scores, strict=True) if score == best]
        return _definitions(fitting)

    def near(self, functions: list[Function]) -> list[Function]:
        """Without tests for production code; of several same-named classes the one seen here."""
        marks = self.index.marks
        if not marks[self.file] & TEST:
            functions = [f for f in functions if not marks[f.file] & TEST]
        kept = [f for f in functions if self._is_of_seen_class(f)]
        return kept or functions

    def _is_of_seen_class(self, function: Function) -> bool:
        known = self.cpp.classes.get(function.scope)
        if known is None or len(known.ids) < 2:
            return True
        files = [file for file, _ in known.ids]
        mask = self.index.mask(self.file)
        seen = [file for file in files if self.index.reaches(mask, file)]
        homes = [self.file] if self.file in files else seen or files
        if function.file in homes:
            return True
        there = self.index.mask(function.file)
        return any(self.index.reaches(there, home) for home in homes)

    def _argument(self, text: str) -> Value:
        if text.startswith("="):
            return self.evaluate(text[1:])
        return NOTHING if text == "?" else Value(text, self.scope)

    def _score(self, function: Function, arguments: list[Value]) -> int:
        pairs = zip(function.types, arguments, strict=False)
        return sum(self._match(kind, value, function.scope) for kind, value in pairs)

    def _match(self, kind: str, value: Value, scope: str) -> int:
        if not value.text:
            return 0
        wanted, given = kind.strip("&"), value.text.strip("&")
        if wanted == given:
            return 4
        if wanted.endswith("*") != given.endswith("*") and given != "nullptr":
            return 2 if given == "char*" and "string" in wanted else -2
        if given == "nullptr":
            return 2 if wanted.endswith("*") else -2
        left = self.cpp.find_class(wanted, scope, self.file)
        right = self.class_of(value)
        if left and right:
            return 3 if left == right else 1 if left in self.cpp.lineage(right) else -2
        if wanted in _NUMBERS and given in _NUMBERS:
            return 1
        return -2 if left or right or given == "char*" else 0


def template(text: str) -> tuple[str, list[str]]:
    """(name, arguments) of ``name<a,b>``."""
    text = text.strip("*&")
    if "<" not in text or not text.endswith(">"):
        return text, []
    name, _, inside = text.partition("<")
    arguments: list[str] = []
    depth = last = 0
    inside = inside[:-1]
    for position, letter in enumerate(inside):
        depth += (letter in "<(") - (letter in ">)")
        if letter == "," and depth == 0:
            arguments.append(inside[last:position])
            last = position + 1
    arguments.append(inside[last:])
    return name, arguments


def _fits(function: Function, count: int) -> bool:
    limit = len(function.types)
    if function.types and function.types[-1] == "...":
        return count >= function.required
    return function.required <= count <= limit


def _definitions(functions: list[Function]) -> list[Function]:
    defined = [f for f in functions if not f.is_declaration]
    if not defined:
        return functions[:1] if len({_shape(f) for f in functions}) == 1 else functions
    shapes = {_shape(f) for f in defined}
    counts = {(f.name, len(f.types)) for f in defined}
    others = [
        f
        for f in functions
        if f.is_declaration
        and _shape(f) not in shapes
        and (f.scope != defined[0].scope or (f.name, len(f.types)) not in counts)
    ]
    return defined + others


def _shape(function: Function) -> tuple[str, ...]:
    last = (kind.rsplit("::", 1)[-1] for kind in function.types)
    return (function.scope, *last)
