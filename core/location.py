"""Where an index lives: in the user's cache, keyed by the working tree's real path."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from platformdirs import user_cache_path

from codeviews.core.errors import StorageError

INDEX_DIR_VARIABLE = "CODEVIEWS_INDEX_DIR"


def index_home(override: Path | None = None) -> Path:
    """The folder of all indexes: ``--index-dir``, the environment, or the user's cache."""
    if override is not None:
        return override
    from_environment = os.environ.get(INDEX_DIR_VARIABLE)
    return Path(from_environment) if from_environment else user_cache_path("codeviews")


def tree_key(root: Path) -> str:
    """A readable, stable name for one working tree: the same tree has one key.

    Case and slashes do not matter where the file system ignores them (CASES 31).
    """
    real = os.path.realpath(root)
    if ignores_case(real):
        real = real.replace("\\", "/").casefold()
    digest = hashlib.blake2b(real.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    name = "".join(c if c.isalnum() or c in "-_." else "_" for c in Path(real).name)[:40]
    return f"{name or 'root'}-{digest}"


def ignores_case(path: str) -> bool:
    """Whether the file system finds ``path`` in other case too (Windows, macOS, a drive in WSL)."""
    try:
        return path != path.swapcase() and os.path.samefile(path, path.swapcase())
    except OSError:
        return False


def index_path(root: Path, home: Path | None = None) -> Path:
    """The database of a working tree; its folder is made, readable by the user alone.

    Raises:
        StorageError: the folder cannot be made.
    """
    folder = index_home(home) / tree_key(root)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StorageError(str(folder), error.strerror or str(error)) from error
    return folder / "index.db"


def discard(database: Path) -> None:
    """Delete an index: it is only a cache."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{database}{suffix}").unlink(missing_ok=True)
