"""``super()``: what comes next in the linearisation, here or in a class below."""

# Nodes and values are tuples of several shapes, told apart by their first element.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_members import bind_to_class, bind_values, class_values
from codeviews.core.resolve.python_state import State
from codeviews.core.resolve.python_values import Values, add, join


def super_attribute(
    state: State, number: int, receiver: int, name: str, tier: int, out: Values
) -> bool:
    """``super().name`` in a method of class ``number``: the next in the linearisation.

    Returns False when no class of the repository has it.
    """
    classes = state.classes
    line = classes.mro(number)[1:]
    member = classes.member_of(line, name)
    is_class = state.table.kinds[receiver] in v.CLASSES
    bind = bind_to_class if is_class else bind_values
    if member.owner >= 0:
        bind(state, class_values(state, member.owner, member.node), receiver, tier, out)
    found: Values = {}
    for sub in classes.descendants(number)[: v.LIMIT * 4]:
        below = classes.mro(sub)
        after = below[below.index(number) + 1 :] if number in below else []
        sibling = classes.member_of(after, name)
        if sibling.owner >= 0 and sibling.owner != member.owner:
            bind(state, class_values(state, sibling.owner, sibling.node), receiver, v.C, found)
    if found and len(found) <= v.RECEIVERS:
        join(out, found, v.C)
    elif member.owner < 0:
        return name == "__call__" and _made(state, number, out)
    return True


def _made(state: State, number: int, out: Values) -> bool:
    """``super().__call__`` in a metaclass is the call of one of its classes."""
    made = state.made_by(number)
    if len(made) > v.RECEIVERS:
        add(out, v.MANY, v.C)
    else:
        join(out, {state.table.make((v.CLASS, item)): v.C for item in made})
    return bool(made)
