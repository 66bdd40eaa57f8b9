"""Linux file notifications, read without a thread: what was written before a poll is in the poll.

A notification that passes through another thread (as in ``watchfiles``) may arrive after the answer
that needed it; the kernel's own queue is filled before the write returns.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

_MODIFY, _ATTRIB, _CLOSE_WRITE = 0x2, 0x4, 0x8
_MOVED, _CREATE, _DELETE, _DELETE_SELF, _MOVE_SELF = 0xC0, 0x100, 0x200, 0x400, 0x800
_OVERFLOW, _IGNORED = 0x4000, 0x8000
_ONLYDIR, _DONT_FOLLOW, _EXCL_UNLINK = 0x1000000, 0x2000000, 0x4000000
_EVENTS = _MODIFY | _ATTRIB | _CLOSE_WRITE | _MOVED | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF
_MASK = _EVENTS | _ONLYDIR | _DONT_FOLLOW | _EXCL_UNLINK
_HEADER = struct.Struct("iIII")
_BUFFER = 1 << 16


class Inotify:
    """Changes in a growing set of directories, each watched by itself.

    Raises:
        OSError: the kernel offers no notifications.
    """

    def __init__(self, root: str) -> None:
        """``root`` is an absolute path; everything else is relative to it."""
        self._root = root
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._fd: int = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        self._folders: dict[int, str] = {}
        if self._fd < 0:
            raise _last_error()

    def add(self, folder: str) -> None:
        """Watch a directory ("" is the root); one that is gone by now is passed over.

        Raises:
            OSError: the limit on watches is reached.
        """
        path = os.fsencode(os.path.join(self._root, folder))
        watch = self._libc.inotify_add_watch(self._fd, path, _MASK)
        if watch >= 0:
            self._folders[watch] = folder
            return
        error = _last_error()
        if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ELOOP):
            raise error

    def poll(self) -> set[str]:
        """Relative paths touched since the last poll; "" when the kernel lost count.

        Raises:
            OSError: the descriptor is closed.
        """
        touched: set[str] = set()
        while True:
            try:
                data = os.read(self._fd, _BUFFER)
            except BlockingIOError:
                return touched
            touched.update(self._paths(data))

    def close(self) -> None:
        """Stop watching."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _paths(self, data: bytes) -> set[str]:
        found: set[str] = set()
        offset = 0
        while offset < len(data):
            watch, mask, _, length = _HEADER.unpack_from(data, offset)
            offset += _HEADER.size
            name = os.fsdecode(data[offset : offset + length].rstrip(b"\0"))
            offset += length
            folder = self._folders.get(watch)
            if mask & _IGNORED:
                self._folders.pop(watch, None)
            elif mask & _OVERFLOW or folder is None:
                found.add("")
            else:
                found.add(f"{folder}/{name}".strip("/"))
        return found


def _last_error() -> OSError:
    code = ctypes.get_errno()
    return OSError(code, os.strerror(code))
