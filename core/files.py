"""Opening one file of a repository: where a path may lead, what may be read, what is text."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from codeviews.core.config import MAX_FILE_BYTES
from codeviews.core.errors import OutsideRootError, UnreadableFileError

_BINARY = """
.png .jpg .jpeg .gif .bmp .ico .icns .webp .tif .tiff .psd .pdf .ps .eps .ttf
.otf .woff .woff2 .eot .zip .gz .bz2 .xz .zst .lz4 .7z .rar .tar .tgz .jar .war
.ear .whl .egg .class .pyc .pyo .pyd .o .a .so .ko .dll .dylib .exe .bin .elf
.obj .lib .pdb .wasm .mp3 .mp4 .ogg .wav .avi .mov .mkv .webm .flac .sqlite
.sqlite3 .db .mo .npy .npz .pkl .parquet .h5 .onnx .pt .dat .iso .img .dtb .deb
.rpm .apk .swf .jks .keystore .p12 .der .gpg
"""
BINARY_SUFFIXES = frozenset(_BINARY.split())
SNIFFED_BYTES = 8192

_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_FILE_FLAGS = _FLAGS | getattr(os, "O_NONBLOCK", 0)  # opening a FIFO must not wait for a writer
_FOLDER_FLAGS = _FLAGS | getattr(os, "O_DIRECTORY", 0)
_BY_DESCRIPTOR = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")


def relative_path(root: Path, path: str) -> str:
    """``path`` as the index writes it: root-relative, forward slashes, no ``.`` or ``..``.

    Accepts absolute paths inside the root and backslashes of Windows; looks at no file.

    Raises:
        OutsideRootError: for a path that leaves the root.
    """
    text = path.replace("\\", "/") if "\\" in path and not (root / path).exists() else path
    if "\0" in text:
        raise OutsideRootError(path, str(root))
    if text.startswith("/") or os.path.isabs(text):
        text = _below(root, text)
    parts: list[str] = []
    for part in text.split("/"):
        if part == "..":
            if not parts:
                raise OutsideRootError(path, str(root))
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _below(root: Path, absolute: str) -> str:
    """An absolute path as one relative to the root; starts with ``..`` when it is outside."""
    plain = Path(os.path.normpath(absolute))
    if not plain.is_relative_to(root):
        plain = Path(os.path.realpath(plain))  # the root may have been named through a link
        root = Path(os.path.realpath(root))
    return os.path.relpath(plain, root).replace(os.sep, "/")


def safe_join(root: Path, path: str) -> Path:
    """The absolute path of a repository file, proven to lie inside the root.

    Raises:
        OutsideRootError: for ``..``, foreign absolute paths and symbolic links that leave the root.
    """
    joined = root / relative_path(root, path)
    if not leads_inside(root, joined):
        raise OutsideRootError(path, str(root))
    return joined


def leads_inside(root: Path, path: Path) -> bool:
    """Whether ``path``, with all its symbolic links followed, stays in the root."""
    try:
        return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))
    except (OSError, ValueError):
        return False


def read(root: Path, path: str, limit: int = MAX_FILE_BYTES) -> bytes:
    """The bytes of a regular file; ``path`` is root-relative and no symbolic link is followed.

    Raises:
        OutsideRootError: for a path that leaves the root.
        UnreadableFileError: for anything but a regular file of at most ``limit`` bytes.
    """
    relative = relative_path(root, path)
    try:
        descriptor = _open(root, relative)
    except (OSError, ValueError) as error:
        raise UnreadableFileError(path, reason_of(error)) from None
    return _contents(path, descriptor, limit)


class FolderReader:
    """Reads many files in path order as :func:`read` does; the folder of the last one stays open.

    Only for paths that a walk gave, and for a moment: a folder that is replaced meanwhile is seen
    as it was.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._folder: str | None = None
        self._descriptor = -1

    def __enter__(self) -> FolderReader:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        if self._folder is not None:
            os.close(self._descriptor)
            self._folder = None

    def read(self, path: str, limit: int = MAX_FILE_BYTES) -> bytes:
        """The bytes of a regular file.

        Raises:
            OutsideRootError: for a path that leaves the root.
            UnreadableFileError: for anything but a regular file of at most ``limit`` bytes.
        """
        folder, _, name = path.rpartition("/")
        if not _BY_DESCRIPTOR or name in ("", ".", "..") or relative_path(self.root, path) != path:
            return read(self.root, path, limit)
        try:
            if folder != self._folder:
                self._close()
                self._descriptor = _open_folder(self.root, folder)
                self._folder = folder
            descriptor = os.open(name, _FILE_FLAGS, dir_fd=self._descriptor)
        except (OSError, ValueError) as error:
            raise UnreadableFileError(path, reason_of(error)) from None
        return _contents(path, descriptor, limit)


def _contents(path: str, descriptor: int, limit: int) -> bytes:
    """Everything behind a descriptor, which is closed."""
    try:
        data, reason = _read_descriptor(descriptor, limit)
    except OSError as error:
        raise UnreadableFileError(path, reason_of(error)) from None
    finally:
        os.close(descriptor)
    if reason:
        raise UnreadableFileError(path, reason)
    return data


def _read_descriptor(descriptor: int, limit: int) -> tuple[bytes, str]:
    """The bytes, and why they are not to be used ("" when they are)."""
    status = os.fstat(descriptor)
    if reason := not_text_reason(status.st_mode, status.st_size, limit):
        return b"", reason
    data = os.read(descriptor, status.st_size + 1)
    while len(data) != status.st_size and len(data) <= limit:  # it grew or shrank meanwhile
        more = os.read(descriptor, limit + 1 - len(data))
        if not more:
            break
        data += more
    return data, too_large(len(data), limit) if len(data) > limit else ""


def not_text_reason(mode: int, size: int, limit: int) -> str:
    """Why a file of this mode and size is not read; "" when it may be."""
    if not stat.S_ISREG(mode):
        return "symbolic link" if stat.S_ISLNK(mode) else "not a regular file"
    return too_large(size, limit) if size > limit else ""


def too_large(size: int, limit: int) -> str:
    """The phrase for a file over the limit; both in bytes."""
    return f"too large ({size / 1e6:.1f} MB, limit {limit / 1e6:.1f} MB)"


def reason_of(error: OSError | ValueError) -> str:
    """A short phrase for a failed system call."""
    if isinstance(error, PermissionError):
        return "no read permission"
    if isinstance(error, FileNotFoundError):
        return "vanished"
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return "symbolic link"
    return (getattr(error, "strerror", None) or "not a usable path").lower()


def decode(data: bytes) -> str | None:
    """The text of a file; None when it is binary.

    UTF-8 with or without a mark, bytes that are not UTF-8 replaced one by one, UTF-16 and UTF-32
    by their mark. A coding cookie (``latin-1``) is not obeyed: only literals could differ.
    """
    transcoded = to_utf8(data)
    return None if transcoded is None else transcoded.decode("utf-8", "replace")


def to_utf8(data: bytes) -> bytes | None:
    """The bytes that offsets of facts refer to; None when the file is binary.

    These are the file's own bytes, except that UTF-16 and UTF-32 become UTF-8 first: offsets of
    such a file are into the transcoded text, lines are the same.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace").encode("utf-8", "replace")
    if b"\0" not in data[:SNIFFED_BYTES]:
        return data
    encoding = _unmarked_utf16(data[:SNIFFED_BYTES])
    return data.decode(encoding, "replace").encode("utf-8", "replace") if encoding else None


_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


def _unmarked_utf16(head: bytes) -> str:
    """UTF-16 without a mark: every other byte NUL, the rest printable; "" for anything else."""
    even, odd = head[0::2], head[1::2]
    for zeros, text, encoding in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if zeros and not any(zeros) and text.isascii() and b"\0" not in text:
            return encoding
    return ""


def _open(root: Path, relative: str) -> int:
    """A descriptor of the file, going down one real directory at a time."""
    if not _BY_DESCRIPTOR:
        return os.open(safe_join(root, relative), _FILE_FLAGS)
    folder, _, name = relative.rpartition("/")
    current = _open_folder(root, folder)
    try:
        return os.open(name or ".", _FILE_FLAGS, dir_fd=current)
    finally:
        os.close(current)


def _open_folder(root: Path, folder: str) -> int:
    """A descriptor of a folder below the root ("": the root itself), without any symbolic link."""
    current = os.open(root, _FOLDER_FLAGS & ~os.O_NOFOLLOW)
    try:
        for step in folder.split("/") if folder else ():
            deeper = os.open(step, _FOLDER_FLAGS, dir_fd=current)
            os.close(current)
            current = deeper
    except BaseException:
        os.close(current)
        raise
    return current
