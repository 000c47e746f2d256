"""Files that people send: read up to a limit, told by their content, named by nobody.

The name that came with a file is never part of a path, and no file is kept: a reader takes the
bytes, and what it finds is kept.
"""

from __future__ import annotations

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest

from people.domain.uploads import kind_of


class UnsuitableFile(Exception):
    """A file of another kind than the form asks for; the edge answers 415."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


def picture_bytes(request: HttpRequest, name: str, limit: int) -> bytes:
    """Return at most one byte more than `limit` of a file that was sent as a photo, empty for
    none. What it is, is told by decoding it."""
    file = request.FILES.get(name)
    return b"" if file is None else bytes(file.read(limit + 1))


def file_of_kind(request: HttpRequest, name: str, kind: str, limit: int) -> bytes:
    """Return at most one byte more than `limit` of a file that must be of a kind (a word of
    `kind_of`), empty for none. Raises UnsuitableFile."""
    file = request.FILES.get(name)
    data = b"" if file is None else bytes(file.read(limit + 1))
    if data and kind_of(data) != kind:
        raise UnsuitableFile(kind_of(data))
    return data


def text_file(file: UploadedFile, limit: int) -> bytes:
    """Return at most one byte more than `limit` of a text file, so that its reader can refuse
    what is too long without anybody holding it whole. Raises UnsuitableFile."""
    data = file.read(limit + 1)
    kind = kind_of(data)
    if kind != "text":
        raise UnsuitableFile(kind)
    return bytes(data)
