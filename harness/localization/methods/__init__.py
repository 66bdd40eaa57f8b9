"""Compared methods. A method = one module here and one line in :data:`METHODS`.

Agentless, RepoSearcher and LocAgent are compact re-implementations of the published procedures
over our index and model client; each module's docstring says what differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple, Protocol, cast

from codeviews.harness.errors import UnknownName
from codeviews.servers.curaloc.planners import Inquiry
from codeviews.servers.curaloc.planners.client import ModelClient
from codeviews.servers.curaloc.records import Localization, Spent

METHODS: dict[str, str] = {
    "bm25": "baselines:bm25",
    "hybrid_explore": "baselines:hybrid_explore",
    "lexical": "curaloc:lexical",
    "curaloc": "curaloc:modelled",
    "agentless": "agentless:localize",
    "reposearcher": "reposearcher:localize",
    "locagent": "locagent:localize",
}
MODEL_FREE = frozenset(["bm25", "hybrid_explore", "lexical"])


class Found(NamedTuple):
    """A method's answer. ``exposed``: symbols whose source a tool loop read; None: no loop.
    ``reused``: stages kept from the reference run."""

    ranked: Sequence[str]
    usage: tuple[Spent, ...] = ()
    failure: str = ""
    localization: Localization | None = None
    files: Sequence[str] = ()
    exposed: frozenset[str] | None = None
    reused: frozenset[str] = frozenset()


class Method(Protocol):
    """A localization method; ``client`` and ``helper`` are None for those without a model."""

    def __call__(
        self, inquiry: Inquiry, client: ModelClient | None, helper: ModelClient | None
    ) -> Found: ...


def method(name: str) -> Method:
    """A method by name.

    Raises:
        UnknownName: the choices are listed.
    """
    if name not in METHODS:
        raise UnknownName("method", name, METHODS)
    module, _, function = METHODS[name].partition(":")
    found = import_module(f"codeviews.harness.localization.methods.{module}")
    return cast(Method, getattr(found, function))
