"""The real Codex and opencode programs, where installed, mount the map server and answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from codeviews.harness import behaviour
from codeviews.harness.errors import MissingProgram
from codeviews.harness.exchange import Usage
from codeviews.harness.hosts import Launch, Mount, Outcome, host, install, process
from codeviews.harness.scripted_model import ScriptedModel
from codeviews.harness.tool_names import kind, offered_map

# host: the model it is told to use, the native tool by which it reads a file, how it names ours
HOSTS = {
    "codex": ("gpt-5.2-codex", "bash", "mcp__codeviews/"),
    "opencode": ("scripted", "read", "codeviews_"),
}


@pytest.mark.parametrize("name", HOSTS)
def test_the_host_calls_the_map_reads_a_file_and_finishes(
    name: str,
    shop: Path,
    map_server: Callable[..., Mount],
    run_host: Callable[[str, Launch], tuple[process.Ended, Outcome]],
) -> None:
    try:
        binary = install.find(host(name))
    except MissingProgram as error:
        pytest.skip(f"no {name} here: {error}")
    model_name, reading, prefix = HOSTS[name]
    values = {"query": "total", "repo": str(shop), "file": "shop/cart.py", "answer": "shop/cart.py"}
    with ScriptedModel(behaviour.load("map-first"), values) as model:
        given = Launch(
            binary=binary,
            workdir=shop,
            scratch=shop.parent / "scratch",
            prompt="Why is the total too high?",
            base_url=model.url,
            key="scripted",
            model=model_name,
            steer="Use the map first.",
            mount=map_server("ast", shop),
            timeout=120,
        )
        ended, outcome = run_host(name, given)
    assert ended.returncode == 0
    assert [kind(call.name) for call in outcome.calls()] == ["map", reading]
    assert outcome.calls()[0].output == "ast map of shop-repo: total\nshop/cart.py:1 total"
    assert (outcome.text, outcome.finished) == ("shop/cart.py", True)
    assert outcome.usage == Usage(3000, 4300, 0, 195)
    assert offered_map(model.log.first_tools()) == [
        f"{prefix}ast_explore",
        f"{prefix}ast_node",
    ]
    assert "Use the map first." in str(model.log.first_body)
