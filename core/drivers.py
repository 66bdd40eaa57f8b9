"""Which files a driver or kernel module of a report is made of."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import NamedTuple

from codeviews.core import config
from codeviews.core.places import Paths
from codeviews.core.store import Definition, Store

_SUFFIXES = ("-objs", "-y")
_OBJECT = re.compile(r"([\w/\-]+)\.o\b")


class DriverFiles(NamedTuple):
    """Ids of the files that carry a driver's name or that a Makefile links into it, and of those in
    folders of its name."""

    own: list[int]
    folder: list[int]


def files_of_driver(store: Store, paths: Paths, name: str) -> DriverFiles:
    """The files of a module; ``-`` and ``_`` are one letter, as for the kernel's own tools."""
    spellings = sorted({name, name.replace("_", "-"), name.replace("-", "_")})
    own = {found for spelling in spellings for found in paths.of_module([spelling])}
    for spelling in spellings:
        for suffix in _SUFFIXES:
            for rule in store.named(spelling + suffix, config.COMMON):
                if rule.language == "makefile":
                    own.update(_linked(store, paths, rule))
    folder = {found for spelling in spellings for found in paths.inside(spelling)}
    return DriverFiles(sorted(own), sorted(folder) if len(folder) <= config.FOLDER_FILES else [])


def _linked(store: Store, paths: Paths, rule: Definition) -> list[int]:
    """The sources of the objects that a Makefile lists under one name, in all its lines."""
    text = store.text(rule.file_id).decode("utf-8", "replace").replace("\\\n", " ")
    head = re.escape(rule.name)
    values = re.findall(rf"^{head}\s*[:+]?=(.*)$", text, re.M)
    folder = str(PurePosixPath(rule.path).parent)
    objects = [found for value in values for found in _OBJECT.findall(value)]
    named = (paths.exactly(f"{folder}/{found}.c") for found in objects[: config.FOLDER_FILES])
    return [found for found in named if found is not None]
