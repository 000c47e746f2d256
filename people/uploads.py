"""Files that people send: read up to a limit, told by their content, named by nobody.

The name that came with a file is never part of a path, and no file is kept: a reader takes the
bytes, and what it finds is kept.
"""

from __future__ import annotations

from django.core.files.uploadedfile import UploadedFile

from people.domain.uploads import kind_of


class UnsuitableFile(Exception):
    """A file of another kind than the form asks for; the edge answers 415."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


def text_file(file: UploadedFile, limit: int) -> bytes:
    """Return at most one byte more than `limit` of a text file, so that its reader can refuse
    what is too long without anybody holding it whole. Raises UnsuitableFile."""
    data = file.read(limit + 1)
    kind = kind_of(data)
    if kind != "text":
        raise UnsuitableFile(kind)
    return bytes(data)
