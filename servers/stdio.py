"""MCP over stdio. The only file that imports the SDK: the import alone costs over a second.

The SDK's own tool objects would derive schemas from functions and mask our errors, so the server
lists and calls our :class:`Tool` data directly through its two public overridable methods.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import signal
import threading
from typing import Any

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from mcp_types import Tool as McpTool

from codeviews import __version__
from codeviews.core.errors import CodeviewsError
from codeviews.core.session import Session
from codeviews.servers.toolkit import Tool, answer
from codeviews.servers.views import View

_log = logging.getLogger("codeviews")
READ_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_PARENT_CHECK_S = 5.0
_GC_THRESHOLDS = (100_000, 50, 100)
"""An answer about a hub makes 50,000 tuples at once; scanning all that is kept for cycles at each
700th, as Python does by itself, took a third of its time."""


class ViewServer(MCPServer[Any]):
    """One view over one working tree."""

    def __init__(self, view: View, session: Session) -> None:
        super().__init__(
            name=f"codeviews-{view.name}",
            instructions=view.instructions,
            version=__version__,
            log_level="WARNING",
        )
        self.view = view
        self.session = session
        self._by_name = {tool.name: tool for tool in view.tools}

    async def list_tools(self) -> list[McpTool]:
        """The view's tools in a fixed order; needs no index."""
        return [_described(tool) for tool in self.view.tools]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Any = None
    ) -> CallToolResult:
        """Run a tool in a thread, so that calls run side by side.

        Raises:
            ToolError: misuse, with the fix in one sentence.
        """
        tool = self._by_name.get(name)
        if tool is None:
            known = ", ".join(self._by_name)
            raise ToolError(f"there is no tool {name!r}; choose one of: {known}")
        try:
            text = await anyio.to_thread.run_sync(
                _text, self.session, tool, arguments, abandon_on_cancel=True
            )
        except CodeviewsError as error:
            raise ToolError(str(error)) from error
        except Exception as error:
            _log.exception("tool %s failed", name)
            raise ToolError(
                f"{name} failed inside codeviews ({type(error).__name__}); "
                "the server goes on, 'codeviews doctor' checks the index"
            ) from error
        return CallToolResult(content=[TextContent(type="text", text=text)])


def _text(session: Session, tool: Tool, arguments: dict[str, Any]) -> str:
    result, max_tokens = answer(session, tool, arguments)
    return result.text(max_tokens, tool.pages)


def _described(tool: Tool) -> McpTool:
    return McpTool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.schema(),
        annotations=READ_ONLY,
        _meta={"anthropic/alwaysLoad": True} if tool.entry else None,
    )


def serve(view: View, session: Session) -> None:
    """Serve until standard input ends or the parent process dies; the index builds meanwhile."""
    gc.freeze()
    gc.set_threshold(*_GC_THRESHOLDS)
    threading.Thread(target=_start_quietly, args=(session,), daemon=True).start()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # Python's own handler would wait for the thread that reads standard input.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _mend_input()
    try:
        ViewServer(view, session).run("stdio")
    finally:
        session.close()


def _start_quietly(session: Session) -> None:
    try:
        session.start()
        session.snapshot()
    except Exception:
        _log.exception("the index could not be started")


def _mend_input() -> None:
    """Put a thread before standard input that replaces halves of surrogate pairs.

    Hosts cut texts inside an emoji and send the half; the SDK drops such a message, unanswered.
    """
    wire = os.dup(0)
    behind, before = os.pipe()
    os.dup2(behind, 0)
    os.close(behind)

    def copy() -> None:
        with open(wire, "rb") as lines, open(before, "wb", buffering=0) as out:
            for line in lines:
                out.write(mended(line))

    threading.Thread(target=copy, daemon=True).start()


def mended(line: bytes) -> bytes:
    """A message without halves of surrogate pairs; other lines as they are."""
    if rb"\ud" not in line.lower():
        return line
    try:
        text = json.dumps(json.loads(line), ensure_ascii=False)
    except (ValueError, RecursionError):
        return line
    return text.encode("utf-8", "replace") + b"\n"


def _end_with_parent() -> None:
    """A host that is killed leaves no server behind, even when its pipe stays open elsewhere."""
    parent = os.getppid()
    alive = threading.Event()
    while os.getppid() == parent:
        alive.wait(_PARENT_CHECK_S)
    os._exit(0)


async def ask(command: list[str], tool: str, arguments: dict[str, Any]) -> str:
    """Start a server, ask one question as any host would, end it; the answer's text."""
    parameters = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with Client(stdio_client(parameters)) as client:
        result = await client.call_tool(tool, arguments)
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))
