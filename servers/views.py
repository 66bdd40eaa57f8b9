"""The table of servers. A server = one module here with ``TOOLS`` and ``INSTRUCTIONS``."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

from codeviews.core.errors import MisuseError
from codeviews.servers.toolkit import Tool

VIEWS: dict[str, str] = {
    "ast": "codeviews.servers.ast",
    "callgraph": "codeviews.servers.callgraph",
    "deps": "codeviews.servers.deps",
    "docs": "codeviews.servers.docs",
    "hybrid": "codeviews.servers.hybrid",
    "curaloc": "codeviews.servers.curaloc",
}


class View(NamedTuple):
    """One server: its name, its tools in the order hosts list them, its instructions."""

    name: str
    tools: tuple[Tool, ...]
    instructions: str


def view(name: str) -> View:
    """A server's tools; imported on first use.

    Raises:
        MisuseError: unknown name; the sentence lists the choices.
    """
    if name not in VIEWS:
        raise MisuseError(f"there is no view {name!r}; choose one of: {', '.join(VIEWS)}")
    module = import_module(VIEWS[name])
    return View(name, module.TOOLS, module.INSTRUCTIONS)


def find_tool(name: str) -> Tool:
    """A tool by its name, or ``view:name`` where two servers share one (``hybrid:repo_map``).

    Raises:
        MisuseError: unknown name; the sentence lists the choices.
    """
    wanted, _, bare = name.rpartition(":")
    for view_name in [wanted] if wanted else _likely(bare):
        for tool in view(view_name).tools:
            if tool.name == bare:
                return tool
    known = ", ".join(dict.fromkeys(tool.name for v in VIEWS for tool in view(v).tools))
    raise MisuseError(f"there is no tool {name!r}; choose one of: {known}")


def _likely(tool: str) -> list[str]:
    """Servers to look in, the one the name begins with first, so that few are imported."""
    prefix = tool.partition("_")[0]
    return sorted(VIEWS, key=lambda name: name != prefix)
