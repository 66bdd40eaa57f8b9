"""Expressions as one-line chains: ``this.f().g[].h`` is what a call site stores as its name.

A chain is a primary followed by steps. Arguments are left out, so a chain is short, readable in
answers, and can be typed step by step by :mod:`codeviews.core.resolve.typed`.

* primaries: a name, ``new T``, ``<T>`` (a value known to be of type T: literals, casts), ``?``
* steps: ``.name``, ``::name``, ``()`` call, ``[]`` element of, ``!`` unwrapped (Rust ``?``)
"""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Node

MAX_STEPS = 40
MAX_TEXT = 240
UNKNOWN_CHAIN = "?"

Rule = tuple[str, ...]
Rules = Mapping[str, Rule]


def text_of(node: Node | None) -> str:
    """The node's source text on one line, cut at ``MAX_TEXT`` characters."""
    if node is None or node.text is None:
        return ""
    return " ".join(node.text[: MAX_TEXT * 2].decode("utf-8", "replace").split())[:MAX_TEXT]


def chain(node: Node | None, rules: Rules, depth: int = 0) -> str:
    """Write an expression as a chain; ``?`` stands for whatever the rules do not know.

    A rule is (operation, argument...), by node type; see the ``_OPERATIONS`` table.
    """
    if node is None or depth > MAX_STEPS:
        return UNKNOWN_CHAIN
    rule = rules.get(node.type)
    if rule is None:
        return UNKNOWN_CHAIN
    return _OPERATIONS[rule[0]](node, rule, rules, depth)


def _field(node: Node, name: str) -> Node | None:
    if name == "#0":
        return node.named_child(0) if node.named_child_count else None
    if name == "#last":
        return node.named_child(node.named_child_count - 1) if node.named_child_count else None
    return node.child_by_field_name(name)


def _name(node: Node, rule: Rule, rules: Rules, depth: int) -> str:
    return text_of(node)


def _word(node: Node, rule: Rule, rules: Rules, depth: int) -> str:
    return rule[1]


def _member(node: Node, rule: Rule, rules: Rules, depth: int) -> str:
    """(member, object field, name field, separator)"""
    owner = _field(node, rule[1])
    name = text_of(_field(node, rule[2])).lstrip(".?! ") or UNKNOWN_CHAIN
    if owner is None:
        return name
    return chain(owner, rules, depth + 1) + rule[3] + name


def _method(node: Node, rule: Rule, rules: Rules, depth: int) -> str:
    return _member(node, rule, rules, depth) + "()"


def _call(node: Node, rule: Rule, rules: Rules, depth: int) -> str:
    called = chain(_field(node, rule[1]), rules, depth + 1)
    last = node.child(node.child_count - 1) if node.child_count else None
    subscript = last is not None and (last.text or b"")[:1] == b"["
    return called + ("[]" if subscript else "()")


def _constructor(node: Node, rule: Rule, rules: Rules, depth: int) -> str:
    return ("base" if b"base" in (node.text or b"")[:12] else "this") + "()"


def _join(node: Node, rule: Rule, rules: Rules, depth: int) -> str:
    return "".join(chain(_field(node, name), rules, depth + 1) for name in rule[1:])


def _binding(node: Node, rule: Rule, rules: Rules, depth: int) -> str:
    return "." + text_of(_field(node, rule[1]))


def _qualified(node: Node, rule: Rule, rules: Rules, depth: int) -> str:
    return text_of(node).strip("\\").replace("\\", "::")


def _macro(node: Node, rule: Rule, rules: Rules, depth: int) -> str:
    return text_of(_field(node, rule[1])).replace(" ", "") + "!()"


def _new(node: Node, rule: Rule, rules: Rules, depth: int) -> str:
    target = _field(node, rule[1])
    return "new " + (text_of(target) or UNKNOWN_CHAIN) + "()"


def _wrap(node: Node, rule: Rule, rules: Rules, depth: int) -> str:
    return chain(_field(node, rule[1]), rules, depth + 1)


def _index(node: Node, rule: Rule, rules: Rules, depth: int) -> str:
    return chain(_field(node, rule[1]), rules, depth + 1) + "[]"


def _unwrap(node: Node, rule: Rule, rules: Rules, depth: int) -> str:
    return chain(_field(node, rule[1]), rules, depth + 1) + "!"


def _typed(node: Node, rule: Rule, rules: Rules, depth: int) -> str:
    return f"<{text_of(_field(node, rule[1]))}>"


def _literal(node: Node, rule: Rule, rules: Rules, depth: int) -> str:
    return f"<{rule[1]}>"


def _binary(node: Node, rule: Rule, rules: Rules, depth: int) -> str:
    """(binary, string literal's chain, names of comparing operators)"""
    operator = text_of(node.child_by_field_name("operator"))
    if operator in COMPARISONS:
        return f"<{rule[2]}>"
    sides = [chain(node.child_by_field_name(side), rules, depth + 4) for side in ("left", "right")]
    if rule[1] in sides:
        return rule[1]
    return sides[0] if sides[0] == sides[1] and sides[0].startswith("<") else UNKNOWN_CHAIN


def _choice(node: Node, rule: Rule, rules: Rules, depth: int) -> str:
    """(choice, field, field): the first branch that says something."""
    branches = (chain(_field(node, name), rules, depth + 4) for name in rule[1:])
    return next((branch for branch in branches if branch != UNKNOWN_CHAIN), UNKNOWN_CHAIN)


COMPARISONS = frozenset(["==", "!=", "<", ">", "<=", ">=", "&&", "||"])
_OPERATIONS = {
    "binary": _binary,
    "choice": _choice,
    "name": _name,
    "word": _word,
    "member": _member,
    "method": _method,
    "call": _call,
    "constructor": _constructor,
    "join": _join,
    "binding": _binding,
    "qualified": _qualified,
    "macro": _macro,
    "new": _new,
    "wrap": _wrap,
    "index": _index,
    "unwrap": _unwrap,
    "typed": _typed,
    "literal": _literal,
}
