"""``docs/tools.md`` from the tools themselves: ``python -m codeviews.servers.reference``."""

from __future__ import annotations

from typing import Any

from codeviews.servers.toolkit import Tool
from codeviews.servers.views import VIEWS, View, view

HEAD = """# Tools

Made from the tools' own descriptions by `python -m codeviews.servers.reference > docs/tools.md`; a
test keeps it current. Every tool takes `max_tokens` (characters / 4) and answers in text: what was
asked, then what was cut and how to get it. A `symbol` is a name, `Qualified.name`,
`path:Qualified.name`, `path:line` or a path. On the command line:
`codeviews call TOOL VALUE name=value`, where a plain VALUE is what the tool requires and a list is
written with commas or as JSON; `--json` of a tool with a `cursor` has `next_cursor`, null at the
end. What tiers, kinds and rules mean: [glossary.md](glossary.md).
"""


def reference() -> str:
    """The page, ending with a line end."""
    return "\n".join([HEAD, *(_server(view(name)) for name in VIEWS)])


def _server(found: View) -> str:
    head = f"## {found.name}\n\n{found.instructions}\n"
    return "\n".join([head, *map(_tool, found.tools)])


def _tool(tool: Tool) -> str:
    schema = tool.schema()
    required = schema.get("required", [])
    rows = [_row(name, spec, name in required) for name, spec in schema["properties"].items()]
    table = "\n".join(["| argument | type | default | meaning |", "|---|---|---|---|", *rows])
    return f"### {tool.name}\n\n{tool.description}\n\n{table}\n"


def _row(name: str, spec: dict[str, Any], required: bool) -> str:
    default = "required" if required else f"`{spec.get('default', '')!r}`"
    return f"| `{name}` | {_type(spec)} | {default} | {_meaning(spec)} |"


def _type(spec: dict[str, Any]) -> str:
    if "enum" in spec:
        return " or ".join(f"`{choice}`" for choice in spec["enum"])
    if spec.get("type") == "array":
        return f"list of {spec['items'].get('type', 'anything')}"
    return str(spec.get("type", "anything"))


def _meaning(spec: dict[str, Any]) -> str:
    bounds = [
        f"{word} {spec[key]:,}"
        for key, word in (("minimum", "at least"), ("maximum", "at most"))
        if key in spec
    ]
    text = str(spec.get("description", "")).replace("|", "\\|")
    return "; ".join(part for part in (text, ", ".join(bounds)) if part)


if __name__ == "__main__":
    print(reference(), end="")
