"""Workflows: the baseline and one per code view, with the steer each view adds (study, IV-B)."""

from __future__ import annotations

from codeviews.harness.errors import UnknownName

BASELINE = "baseline"

# study, table I; the entry point comes first
TOOLS: dict[str, tuple[str, ...]] = {
    "ast": (
        "ast_explore",
        "ast_node",
        "ast_search",
        "ast_files",
        "ast_status",
        "file_skeleton",
        "ts_query",
        "parse_file",
    ),
    "callgraph": (
        "callgraph_explore",
        "callgraph_node",
        "callgraph_search",
        "callgraph_files",
        "callgraph_status",
        "callers_of",
        "callees_of",
        "call_path",
        "function_info",
    ),
    "deps": (
        "deps_explore",
        "deps_node",
        "deps_files",
        "deps_status",
        "module_deps",
        "dependency_path",
        "layer_summary",
        "cycles",
    ),
    "docs": (
        "docs_explore",
        "docs_node",
        "docs_files",
        "docs_status",
        "module_overview",
        "repo_map",
    ),
    "hybrid": (
        "hybrid_explore",
        "hybrid_node",
        "hybrid_files",
        "hybrid_status",
        "impact_of",
        "repo_map",
    ),
    "curaloc": (
        "curaloc_localize",
        "curaloc_scope",
        "curaloc_capsules",
        "curaloc_inspect",
        "curaloc_submit",
        "curaloc_status",
    ),
}

WORKFLOWS = (BASELINE, *TOOLS)

STEER = """\
A map of this repository is mounted as MCP tools: {tools}.
Begin with {entry}: it returns the source that matters for a question, with line numbers, so treat
what it shows as read. Use the other map tools to follow relations from there. Read, Grep, Glob and
Bash remain for what the map did not show."""


def check(name: str) -> str:
    """The name itself.

    Raises:
        UnknownName: the choices are listed.
    """
    if name not in WORKFLOWS:
        raise UnknownName("workflow", name, WORKFLOWS)
    return name


def steer(workflow: str) -> str:
    """What a view workflow appends to the system prompt; "" for the baseline."""
    tools = TOOLS.get(workflow, ())
    return STEER.format(tools=", ".join(tools), entry=tools[0]) if tools else ""
