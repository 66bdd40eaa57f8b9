"""The part of the ``harness`` command about machines: doctor and the scripted model."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from codeviews.harness import behaviour
from codeviews.harness.cli import Json, mapping, sentences, show
from codeviews.harness.errors import BadInput
from codeviews.harness.scripted_model import serve_forever

app = typer.Typer()


@app.command()
@sentences
def doctor(
    install_hosts: Annotated[
        list[str] | None,
        typer.Option(help="Install the program of this host (or all) into the cache first."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what hosts, graders and optional packages this machine has, and how to get the rest."""
    from codeviews.harness import doctor as checks

    for name in install_hosts or []:
        checks.install(name)
    found = checks.check()
    if as_json:
        show([item._asdict() for item in found])
    else:
        console = Console(highlight=False, soft_wrap=True)
        for item in found:
            mark = "ok     " if item.found else "missing"
            console.print(f"{mark} {item.name}: {item.detail}", markup=False)
    raise typer.Exit(0 if all(item.found for item in found if item.needed) else 1)


@app.command()
@sentences
def model(
    script: Annotated[str, typer.Argument(help="A behaviour, or a .toml or .json file.")],
    port: Annotated[int, typer.Option(min=0, max=65535, help="On loopback; 0: a free one.")] = 0,
    var: Annotated[list[str] | None, typer.Option(help="NAME=VALUE for a placeholder.")] = None,
) -> None:
    """Serve a scripted model on loopback until interrupted."""
    values = mapping(var, "--var")
    try:
        for url in serve_forever(behaviour.load(script), values, port):
            Console(highlight=False).print(url, markup=False)
    except OSError as error:
        raise BadInput(f"port {port} cannot be used: {error.strerror or error}") from error
