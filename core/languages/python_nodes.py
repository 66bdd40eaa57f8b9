"""The flow facts of a Python file: a graph of value nodes in single-assignment form.

Extraction executes every scope once, symbolically: local variables disappear, because each read is
replaced by the node that reaches it (branches and loops join in ``PHI``). What is left needs the
whole repository and is solved by ``core/resolve/python.py``.

``FileFacts.flow`` is a dict of builtins (``marshal``-able):

* ``nodes``: list of tuples ``(op, ...)``; operands are indices into the list. See the ops below.
* ``functions``: symbol -> ``(params, defaults, annotations, returned, yielded, return_annotation,
  owner, flags, locals)``. ``params`` is ``(names, positional, vararg, kwarg)``; ``locals`` are the
  variables that nested scopes read.
* ``classes``: symbol -> ``(bases, bindings, attributes, metaclass, fields)``; ``attributes`` are
  the values set on ``self`` by the class's own methods, ``fields`` what a generated ``__init__``
  takes.
* ``bindings``: module-level name -> node; ``finals``: the same once the module is loaded, for names
  that had other values while some call ran; ``stars``: indices of star imports;
  ``all``: ``__all__``.
* ``calls``: nodes parallel to ``FileFacts.sites``; ``reads`` and ``implicit``: ``(node, line,
  scope)``; ``effects``: ``(base, key, value, line, scope)`` with a key that is an attribute name or
  ``(node of a subscript, whether the variable's own value shows the store too)``.
"""

from __future__ import annotations

CONST = 0  # (value: str | int)
BUILTIN = 1  # (type name): an instance of a builtin type
GLOBAL = 2  # (name): a module-level name, else a builtin
FUNC = 3  # (symbol)
CLASS = 4  # (symbol)
IMPORT = 5  # (index into imports)
PARAM = 6  # (symbol of the function, index)
ATTR = 7  # (base, name)
CALL = 8  # (callee, positional, keywords, scope); a starred argument is (node,)
ITEM = 9  # (base, key)
ITER = 10  # (base, mode): 0 elements, 1 values of a mapping, 2 its keys, RETURNED
PHI = 11  # (operands)
LITERAL = 12  # (type name, keys or None, values): a container display
STORE = 13  # (base, key, value): the container after ``base[key] = value``
MERGE = 14  # (base, other): the container after ``base.update(other)``
DECORATED = 15  # (definition, result of the decorators)
ENTER = 16  # (base, 1 for ``async with``): what ``with base as x`` gives
INSTANCE = 17  # (type): an instance of the class, from an annotation or ``isinstance``
CLOSURE = 18  # (symbol of the enclosing function, name)
PATTERN = 19  # (base, prefix, suffix): getattr(base, f"{prefix}...{suffix}")
OPERATOR = 20  # (left, right, dunder)
SLICE = 21  # (base, first index or None)
FORMAT = 22  # (base): str(base) in an f-string
ELEMENTS = 23  # (type name, type of the elements): list[X], dict[K, X]
UNKNOWN = 24  # (): nothing is known
CLASSOF = 25  # (type): type[X]
ANY = 26  # (type name, key or NO_NODE, value): a comprehension
STARRED = 27  # (index of a star import, name, node of the name before the import)
TRUTH = 28  # (base): whether base is true
CHANGED = 29  # (base, dunder): ``base[k] = x``, ``del base[k]``, ``-base``

# flags of a function in ``functions``
IS_STATIC = 1
IS_CLASSMETHOD = 2
IS_PROPERTY = 4
IS_GENERATOR = 8
IS_LAMBDA = 16
IS_ABSTRACT = 32
IS_ASYNC = 64
IS_SETTER = 128
IS_DISPATCH = 256  # ``singledispatch``

RETURNED = 4  # mode of an ITER

NO_NODE = -1
MATCHED = "[]"
SENT = 1_000_000  # index of a PARAM that stands for what ``send`` passes to a generator


def matched(place: int) -> str:
    """The name of the attribute that a class pattern takes at a position, by ``__match_args__``."""
    return f"{MATCHED}{place}"
