"""Special methods that Python calls where no call is written."""

from __future__ import annotations

from typing import Any

from codeviews.core.languages import python_nodes as op

CONVERSIONS = {
    "str": "__str__",
    "repr": "__repr__",
    "len": "__len__",
    "iter": "__iter__",
    "next": "__next__",
    "bool": "__bool__",
    "hash": "__hash__",
    "format": "__format__",
    "int": "__int__",
    "float": "__float__",
    "bytes": "__bytes__",
    "reversed": "__reversed__",
    "list": "__iter__",
    "tuple": "__iter__",
    "set": "__iter__",
    "sorted": "__iter__",
}
"""Builtin function -> the special method of its argument that it calls."""


def implicit_names(record: Any) -> tuple[str, ...]:
    """The special methods that the operation of a node may call."""
    if record[0] == op.ITER:
        return ("__iter__", "__aiter__")
    if record[0] == op.ENTER:
        return ("__enter__", "__exit__", "__aenter__", "__aexit__")
    if record[0] == op.OPERATOR:
        return (record[3],)
    if record[0] == op.ITEM:
        return ("__getitem__",)
    return ("__str__",)
