"""The errors with which a call can fail."""

from __future__ import annotations

import json
from typing import Any

import httpx


class PlatenError(Exception):
    """The service answered with an error.

    ``problem`` is its body (``application/problem+json``, RFC 9457); some codes add members, such as ``limit``.
    """

    def __init__(self, problem: dict[str, Any], retry_after: int | None = None) -> None:
        self.problem = problem
        self.status: int = problem["status"]
        #: A stable name in snake_case, such as ``quota_exceeded``.
        self.code: str = problem["code"]
        self.request_id: str = problem["request_id"]
        #: The invalid members of the request, each as ``{"path": ..., "message": ...}``.
        self.errors: list[dict[str, str]] = problem.get("errors", [])
        #: Seconds to wait before sending the request again, if the service sent ``Retry-After``.
        self.retry_after = retry_after
        faults = [f"{fault['path']}: {fault['message']}" for fault in self.errors]
        super().__init__("; ".join(faults) if len(faults) > 1 else problem["detail"])  # ``detail`` names only the first of several


class PlatenConnectionError(Exception):
    """The service could not be reached, or the connection was lost."""


class WebhookVerificationError(Exception):
    """The signature of a webhook does not match its body, or the webhook is too old."""


def error_of(response: httpx.Response) -> PlatenError:
    """Returns the error that a read response reports. A proxy may have answered in place of the service, with a body of its own."""
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
