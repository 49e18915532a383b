"""The properties of a PDF or an image, from the headers of the response."""

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
        """Number of warnings about the document."""
        return self._number("platen-warnings")

    @property
    def quota_remaining(self) -> int | None:
        """Documents left this month. None if the plan has no limit."""
        return self._number("platen-quota-remaining")

    @property
    def document_id(self) -> str | None:
        """The id of the stored document. None if it was not stored."""
        return self._headers.get("platen-document-id")

    @property
    def request_id(self) -> str:
        """The id of the request in the log of the service."""
        return self._headers.get("x-request-id", "")

    @property
    def content_type(self) -> str:
        return self._headers.get("content-type", "")

    def _number(self, name: str) -> int | None:
        value = self._headers.get(name)
        return None if value is None else int(value)
