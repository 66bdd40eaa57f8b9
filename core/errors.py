"""Every error of ours; each holds its data and builds a sentence that says what to do next.

CodeviewsError                  exit 1
├── MisuseError                 exit 2: the caller asked wrongly, the sentence has the fix
│   └── OutsideRootError        a path that leaves the repository
├── NotFoundError               exit 1: asked rightly, not there
├── UnreadableFileError         exit 1: there, but not to be read as text of the repository
└── StorageError                exit 1: the index itself cannot be written
"""

from __future__ import annotations


class CodeviewsError(Exception):
    """The root of the tree. ``exit_code`` is what the command line ends with."""

    exit_code = 1


class MisuseError(CodeviewsError):
    """The request itself is wrong; the sentence tells how to ask instead."""

    exit_code = 2


class OutsideRootError(MisuseError):
    """A path that is not inside the repository, directly or through a symbolic link."""

    def __init__(self, path: str, root: str) -> None:
        self.path = path
        self.root = root
        super().__init__(
            f"{path!r} is outside the repository {root}; give a path relative to the repository"
        )


class NotFoundError(CodeviewsError):
    """What was asked for does not exist."""


class UnreadableFileError(CodeviewsError):
    """A file that cannot be read. ``reason`` is a phrase (``no read permission``)."""

    def __init__(self, path: str, reason: str) -> None:
        self.path = path
        self.reason = reason
        super().__init__(f"{path} was not read: {reason}")


class StorageError(CodeviewsError):
    """The index cannot be written, most often because the disk is full."""

    def __init__(self, folder: str, reason: str) -> None:
        self.folder = folder
        self.reason = reason
        super().__init__(
            f"the index in {folder} could not be written ({reason}): free some space there or "
            "choose another folder with --index-dir, then run 'codeviews index' again; what was "
            "committed is kept"
        )
