"""Functions that ``operator`` makes: ``attrgetter``, ``itemgetter``, ``methodcaller``."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Iterator

from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_attributes import attribute
from codeviews.core.resolve.python_state import State
from codeviews.core.resolve.python_values import Values, join

MAKERS = frozenset(["operator.attrgetter", "operator.itemgetter", "operator.methodcaller"])


def made_getter(state: State, name: str, names: list[Values], tier: int, out: Values) -> None:
    """Add what a call of one of the makers gives, by the values of its arguments."""
    how = name.rpartition(".")[2]
    first = names[:1] if how == "methodcaller" else names
    kinds, items = state.table.kinds, state.table.items
    keys = tuple(items[i][1] for values in first for i in values if kinds[i] == v.CONSTANT)
    if keys:
        v.add(out, state.table.make((v.GETTER, how, keys)), max(tier, v.B))


def steps(state: State, getter: int, value: int, tier: int) -> Iterator[tuple[int, str, int]]:
    """(receiver, attribute, tier) of every attribute that a getter asks ``value`` for."""
    _, how, keys = state.table.items[getter]
    for key in keys if how != "itemgetter" else ():
        receivers: Values = {value: tier}
        for name in str(key).split("."):
            given: Values = {}
            for receiver, own in receivers.items():
                yield receiver, name, own
                attribute(state, receiver, name, own, given)
            receivers = given


def got(state: State, getter: int, given: Values, out: Values) -> None:
    """Add what a getter gives for the values of its argument."""
    _, how, keys = state.table.items[getter]
    for value, tier in given.items():
        for key in keys:
            if how == "itemgetter":
                state.items(value, {state.table.constant(key): v.A}, max(tier, v.B), out)
                continue
            found: Values = {value: max(tier, v.B)}
            for name in str(key).split("."):
                given_next: Values = {}
                for receiver, own in found.items():
                    attribute(state, receiver, name, own, given_next)
                found = given_next
            if how == "attrgetter":
                join(out, found)
                continue
            for method, own in found.items():
                state.call_value(method, own, out)
