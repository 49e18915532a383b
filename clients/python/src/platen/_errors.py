"""What a call can fail with."""

from __future__ import annotations

import json
from typing import Any

import httpx


class PlatenError(Exception):
    """The service answered with an error.

    ``problem`` is its body (``application/problem+json``, RFC 9457); some codes have members of their own, such as ``limit``.
    """

    def __init__(self, problem: dict[str, Any], retry_after: int | None = None) -> None:
        self.problem = problem
        self.status: int = problem["status"]
        #: Stable, in snake_case, such as ``quota_exceeded``.
        self.code: str = problem["code"]
        self.request_id: str = problem["request_id"]
        #: What is wrong with the request, as ``{"path": ..., "message": ...}`` of each member.
        self.errors: list[dict[str, str]] = problem.get("errors", [])
        #: Seconds after which the service wants the request again, where it said so.
        self.retry_after = retry_after
        faults = [f"{fault['path']}: {fault['message']}" for fault in self.errors]
        super().__init__("; ".join(faults) if len(faults) > 1 else problem["detail"])  # which tells the first


class PlatenConnectionError(Exception):
    """The service could not be reached, or the connection was lost."""


class WebhookVerificationError(Exception):
    """A webhook whose signature does not fit its body, or that is too old."""


def error_of(response: httpx.Response) -> PlatenError:
    """The error of a response that has been read. Something between client and service may have answered with a page of its own."""
    stand_in = {
        "type": "about:blank",
        "title": f"HTTP {response.status_code}",
        "status": response.status_code,
        "detail": response.text[:200] or f"The service answered with status {response.status_code}.",
        "code": "internal_error" if response.status_code >= 500 else "invalid_request",
        "request_id": response.headers.get("x-request-id", ""),
    }
    retry_after = response.headers.get("retry-after", "")
    return PlatenError({**stand_in, **_parsed(response.text)}, int(retry_after) if retry_after.isdecimal() else None)


def _parsed(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) and "code" in value else {}
