"""What the service tells about a PDF or an image in the headers of its response."""

from __future__ import annotations

import httpx


class Facts:
    def __init__(self, headers: httpx.Headers) -> None:
        self._headers = headers

    @property
    def pages(self) -> int | None:
        """Number of pages. None for images and archives."""
        return self._number("platen-pages")

    @property
    def warnings(self) -> int | None:
        """Number of things that are missing or wrong."""
        return self._number("platen-warnings")

    @property
    def quota_remaining(self) -> int | None:
        """Documents left this month. None where the plan has no limit."""
        return self._number("platen-quota-remaining")

    @property
    def document_id(self) -> str | None:
        """The id of the stored document, where it was stored."""
        return self._headers.get("platen-document-id")

    @property
    def request_id(self) -> str:
        """Names the request in the logs of the service."""
        return self._headers.get("x-request-id", "")

    @property
    def content_type(self) -> str:
        return self._headers.get("content-type", "")

    def _number(self, name: str) -> int | None:
        value = self._headers.get(name)
        return None if value is None else int(value)
