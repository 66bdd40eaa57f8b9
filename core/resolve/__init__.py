"""Resolution: sites of one language family -> edges with a tier and a rule.

A family = one module (or package) here that follows :class:`codeviews.core.facts.Resolver`.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from codeviews.core.facts import Resolver

FAMILIES: tuple[str, ...] = ("python", "c", "javascript", "go", "java", "rust", "scoped")


def resolver(family: str) -> Resolver:
    """The resolver module of a family, imported on first use."""
    return cast(Resolver, import_module(f"codeviews.core.resolve.{family}"))
