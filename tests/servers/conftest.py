"""A small repository of ours, indexed once, and tools asked through the official MCP client."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from codeviews.core.session import Session
from codeviews.core.tree_worker import stop_idle
from codeviews.servers.stdio import ViewServer
from codeviews.servers.views import view

FIXTURES = Path(__file__).parents[1] / "fixtures"
Ask = Callable[..., tuple[str, bool]]
Call = Callable[[Session, str, str, dict[str, Any]], tuple[str, bool]]


def open_copy(folder: Path) -> Session:
    """The fixture repository copied into ``folder`` and indexed."""
    root = folder / "shop"
    shutil.copytree(FIXTURES / "repository", root)
    session = Session(root, folder / "indexes")
    session.build(jobs=1)
    return session


def call(session: Session, server: str, tool: str, arguments: dict[str, Any]) -> tuple[str, bool]:
    """(text, is error) of one tool call through the official client."""

    async def run() -> tuple[str, bool]:
        async with Client(ViewServer(view(server), session)) as client:
            result = await client.call_tool(tool, arguments)
            return "".join(getattr(part, "text", "") for part in result.content), bool(
                result.is_error
            )

    return anyio.run(run)


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """The fixture repository; tests that share it must not change it."""
    session = open_copy(tmp_path_factory.mktemp("shop"))
    yield session
    session.close()
    stop_idle()


@pytest.fixture(scope="module")
def session(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Session]:
    """The files that a test module names in its ``FILES``, indexed once for the module."""
    root = tmp_path_factory.mktemp("repo")
    for path, text in request.module.FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    opened = Session(root, tmp_path_factory.mktemp("home"))
    opened.build(jobs=1)
    yield opened
    opened.close()


@pytest.fixture
def own_shop(tmp_path: Path) -> Iterator[Session]:
    """A copy of the fixture repository that a test may change."""
    session = open_copy(tmp_path)
    yield session
    session.close()
    stop_idle()


@pytest.fixture(scope="session", name="call")
def the_call() -> Call:
    """``call(session, server, tool, arguments)`` -> (answer, is error)."""
    return call


@pytest.fixture(scope="session")
def ask(shop: Session) -> Ask:
    """``ask(server, tool, **arguments)`` -> (answer without its first line, is error)."""

    def run(server: str, tool: str, **arguments: Any) -> tuple[str, bool]:
        text, error = call(shop, server, tool, arguments)
        return (text if error else text.partition("\n")[2]), error

    return run
