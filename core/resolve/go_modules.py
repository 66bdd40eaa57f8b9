"""From Go import paths to folders: modules, ``replace``, nested modules and ``vendor``."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict

from codeviews.core.facts import RepoView

_MODULE = re.compile(r"^\s*module\s+\"?([^\s\"]+)", re.MULTILINE)
_REPLACE = re.compile(
    r"^\s*(?:replace\s+)?([^\s()]+)(?:\s+v\S+)?\s*=>\s*(\.{1,2}/?\S*)", re.MULTILINE
)
_VERSION = re.compile(r"^v\d+$")


class GoModules:
    """Maps import paths to folders of the repository."""

    def __init__(self, repo: RepoView) -> None:
        self.folders: dict[str, list[str]] = defaultdict(list)
        manifests: list[str] = []
        for path in sorted(repo.paths()):
            if path.endswith(".go"):
                self.folders[posixpath.dirname(path)].append(path)
            elif posixpath.basename(path) == "go.mod":
                manifests.append(path)
        self._roots: dict[str, str] = {}  # module path -> folder
        self._replaced: dict[str, list[tuple[str, str]]] = {}  # module folder -> (path, folder)
        for path in manifests:
            self._read(posixpath.dirname(path), repo.read(path).decode("utf-8", "replace"))

    def _read(self, folder: str, text: str) -> None:
        text = re.sub(r"//[^\n]*", "", text)
        found = _MODULE.search(text)
        if found is not None:
            self._roots.setdefault(found[1], folder)
        self._replaced[folder] = [
            (old, posixpath.normpath(posixpath.join(folder, new)))
            for old, new in _REPLACE.findall(text)
        ]

    def folder_of(self, importer: str, path: str) -> str | None:
        """The folder that ``path`` means in the file ``importer``; None when it is outside."""
        home = self._home(posixpath.dirname(importer))
        if home is not None:
            for old, folder in self._replaced[home]:
                found = self._under(old, folder, path)
                if found is not None:
                    return found
            vendored = posixpath.join(home, "vendor", path)
            if vendored in self.folders:
                return vendored
        for size in range(path.count("/") + 1):
            head = path.rsplit("/", size)[0] if size else path
            if head in self._roots:
                return self._under(head, self._roots[head], path)
        return None

    def _under(self, module: str, folder: str, path: str) -> str | None:
        if path != module and not path.startswith(module + "/"):
            return None
        found = posixpath.normpath(posixpath.join(folder, path[len(module) + 1 :]))
        found = "" if found == "." else found
        return found if found in self.folders else None

    def _home(self, folder: str) -> str | None:
        """The folder of the nearest go.mod above."""
        while True:
            if folder in self._replaced:
                return folder
            if not folder:
                return None
            folder = posixpath.dirname(folder)


def guessed_names(path: str) -> list[str]:
    """Names an external package may have, surest first: ``.../go-redis/v9`` -> redis."""
    parts = [part for part in path.split("/") if part]
    if len(parts) > 1 and _VERSION.match(parts[-1]):
        parts.pop()
    last = parts[-1].split(".v")[0] if parts else ""
    plain = last.removeprefix("go-").removesuffix("-go").removesuffix(".go")
    return list(dict.fromkeys([last, plain, plain.replace("-", ""), plain.replace("-", "_")]))
