"""Special methods that Python calls where no call is written.

An operation asks for one or more methods; for each the first alternative that the class of the
receiver has is called: ``a != b`` by ``__ne__``, else by ``__eq__``.
"""

from __future__ import annotations

from typing import Any

from codeviews.core.languages import python_nodes as op

Names = tuple[str, ...]

_ITER = ("__iter__", "__getitem__")
_TEXT = ("__format__", "__str__", "__repr__")
_TRUTH = ("__bool__", "__len__", "__nonzero__")

CONVERSIONS: dict[str, Names] = {
    "str": ("__str__", "__repr__"),
    "print": ("__str__", "__repr__"),
    "repr": ("__repr__",),
    "len": ("__len__",),
    "iter": _ITER,
    "aiter": ("__aiter__",),
    "next": ("__next__",),
    "anext": ("__anext__",),
    "bool": _TRUTH,
    "hash": ("__hash__",),
    "format": _TEXT,
    "int": ("__int__", "__index__", "__trunc__"),
    "float": ("__float__", "__index__"),
    "complex": ("__complex__", "__float__", "__index__"),
    "bytes": ("__bytes__", "__iter__"),
    "abs": ("__abs__",),
    "round": ("__round__",),
    "dir": ("__dir__",),
    "reversed": ("__reversed__", "__getitem__"),
    "list": _ITER,
    "tuple": _ITER,
    "set": _ITER,
    "frozenset": _ITER,
    "sorted": _ITER,
    "any": _ITER,
    "all": _ITER,
    "sum": _ITER,
    "enumerate": _ITER,
}
"""Builtin function -> the special methods of its argument of which it calls the first."""

MIRRORED: dict[str, str] = {
    "__eq__": "__eq__",
    "__ne__": "__ne__",
    "__lt__": "__gt__",
    "__le__": "__ge__",
    "__gt__": "__lt__",
    "__ge__": "__le__",
}
"""Comparison -> what the right operand is asked when the left one does not know it."""

_ALTERNATIVES: dict[str, Names] = {
    "__ne__": ("__ne__", "__eq__"),
    "__contains__": ("__contains__", *_ITER),
}
_ARITHMETIC = frozenset(
    "add sub mul truediv floordiv mod pow or and xor lshift rshift matmul".split(" ")
)


def implicit_names(record: Any) -> tuple[Names, ...]:
    """For each call that the operation of a node may make: the alternatives in their order."""
    if record[0] == op.ENTER:
        return _ENTERED[record[2]]
    return _OPERATIONS[record[0]] if record[0] in _OPERATIONS else (_operator(record[-1]),)


def mirrored_names(dunder: str) -> Names:
    """What the right operand of an operator is asked; empty when it is not asked."""
    name = MIRRORED.get(dunder)
    if name is not None:
        return _operator(name)
    plain = dunder[3:-2] if dunder[2:3] == "i" and dunder[3:-2] in _ARITHMETIC else dunder[2:-2]
    return (f"__r{plain}__",) if plain in _ARITHMETIC else ()


def _operator(dunder: str) -> Names:
    if dunder[2:3] == "i" and dunder[3:-2] in _ARITHMETIC:
        return (dunder, f"__{dunder[3:]}")
    return _ALTERNATIVES.get(dunder, (dunder,))


_ENTERED: tuple[tuple[Names, ...], ...] = (
    (("__enter__",), ("__exit__",)),
    (("__aenter__",), ("__aexit__",)),
)
_OPERATIONS: dict[int, tuple[Names, ...]] = {
    op.ITER: (("__iter__", "__aiter__", "__getitem__"),),
    op.ITEM: (("__getitem__", "__missing__", "__class_getitem__"),),
    op.SLICE: (("__getitem__",),),
    op.TRUTH: (_TRUTH,),
    op.FORMAT: (_TEXT,),
}
