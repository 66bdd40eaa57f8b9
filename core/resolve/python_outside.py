"""Calls that certainly leave the repository: most sites; decided once per set of values."""

from __future__ import annotations

from codeviews.core import facts
from codeviews.core.resolve import python_values as v
from codeviews.core.resolve.python_implicit import CONVERSIONS
from codeviews.core.resolve.python_values import Values, ValueTable

CALLBACKS = frozenset(["map", "filter", "sorted", "min", "max", "reduce"])
"""Builtins that call a function they are given."""

COMPARING = {"sorted": "__lt__", "min": "__lt__", "max": "__gt__"}
"""Builtins that compare what they are given -> by which method."""

LIBRARY_CALLBACKS = frozenset(
    "functools.reduce re.sub re.subn itertools.starmap itertools.takewhile itertools.dropwhile "
    "itertools.groupby itertools.filterfalse itertools.accumulate heapq.nlargest heapq.nsmallest "
    "asyncio.to_thread contextlib.ExitStack().callback contextlib.ExitStack().push "
    "contextlib.AsyncExitStack().callback contextlib.AsyncExitStack().push "
    "contextlib.AsyncExitStack().push_async_callback".split(" ")
)
"""Functions of the standard library that call one they are given, before they return."""

SORT = (v.BUILTIN_METHOD, "list", "sort")

_CALLING = CALLBACKS | frozenset(CONVERSIONS)
_TARGETS = v.CALLABLE | v.INSTANCES | {v.MANY_VALUE, v.GETTER}


class Outside:
    """Why calls of a set of values have no target."""

    def __init__(self, table: ValueTable) -> None:
        self.table = table
        self._reasons: dict[int, str] = {}  # by id: shared sets live as long as the solver

    def reason(self, values: Values) -> str:
        """``external`` or ``builtin``; "" when a call may have a target.

        ``values`` is a shared set, of a node that is final.
        """
        found = self._reasons.get(id(values))
        if found is None:
            found = self._reasons[id(values)] = self._reason(values)
        return found

    def _reason(self, values: Values) -> str:
        kinds = {self.table.kinds[value] for value in values}
        if kinds & _TARGETS or self._named(values, v.BUILTIN_NAME) & _CALLING:
            return ""
        if self._named(values, v.EXTERNAL) & LIBRARY_CALLBACKS:
            return ""
        if any(self.table.items[value][:3] == SORT for value in values):
            return ""
        if v.EXTERNAL in kinds:
            return facts.EXTERNAL
        return facts.BUILTIN if kinds & {v.BUILTIN_NAME, v.BUILTIN_METHOD} else ""

    def _named(self, values: Values, kind: int) -> set[str]:
        items = (self.table.items[value] for value in values)
        return {item[1] for item in items if item[0] == kind}
