"""What the call of a class reaches: its constructor, its metaclass, hooks of generated ones."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

from codeviews.core.languages import python_nodes as op
from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_fields import AFTER, factories, fields_of
from codeviews.core.resolve.python_special import Targets, put
from codeviews.core.resolve.python_state import State
from codeviews.core.resolve.python_values import Values

_OWN = (("__init__", "calls"), ("__new__", "implicit"))


def made_by(state: State, number: int, call: Any, tier: int, inside: bool, out: Targets) -> None:
    """Add what makes an instance of a class; ``inside`` its metaclass, that one is not asked.

    A metaclass with a ``__call__`` stands between: the constructor is called there.
    """
    classes = state.classes
    between = False
    for meta in () if inside else state.metaclasses(number):
        calls = state.member_values(classes.member(meta, "__call__"))
        _put(state, calls, tier, "metaclass", out)
        between = between or (bool(calls) and len(state.made_by(meta)) <= v.RECEIVERS)
    for name, kind in () if between else _OWN:
        values = state.member_values(classes.member(number, name))
        _put(state, values, tier, "constructor", out, kind)
    if call[0] == op.CALL and fields_of(classes, number) is not None:
        for name in AFTER:
            values = state.member_values(classes.member(number, name))
            _put(state, values, max(tier, v.B), "constructor", out)
        for value, own in factories(state, number, call):
            _put(state, {value: max(own, tier, v.B)}, v.B, "factory", out)


def _put(
    state: State, values: Values, tier: int, rule: str, out: Targets, kind: str = "implicit"
) -> None:
    for value, own in values.items():
        item = state.table.items[value]
        if item[0] == v.FUNCTION:
            put(out, item[1:3], max(tier, own) if rule == "factory" else tier, rule, kind)
        elif item[0] == v.CLASS and rule == "factory":
            made = state.member_values(state.classes.member(item[1], "__init__"))
            _put(state, made, max(tier, own), "constructor", out)
