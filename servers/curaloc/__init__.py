"""CuraLoc: planned localization, with a model, with the host agent, or with none."""

from __future__ import annotations

from codeviews.servers.curaloc.server import INSTRUCTIONS, TOOLS

__all__ = ["INSTRUCTIONS", "TOOLS"]
