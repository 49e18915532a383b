"""Decides whether a failed request is repeated, and after how long."""

from __future__ import annotations

import random

from ._errors import PlatenConnectionError, PlatenError

#: Errors after which the same request may succeed. Nothing has been charged when they are returned.
TEMPORARY = frozenset(
    {
        "queue_full",
        "rate_limited",
        "concurrency_limited",
        "memory_limited",
        "idempotency_running",
        "browser_unavailable",
        "storage_failed",
        "overloaded",
        "shutting_down",
    }
)


def pause_after(failure: PlatenError | PlatenConnectionError, sent: int) -> float | None:
    """Returns the seconds to wait, or None if the request would fail again."""
    backoff = 0.25 * 2**sent * (1 + random.random())
    if isinstance(failure, PlatenConnectionError):
        return backoff
    from_proxy = failure.status in (502, 503, 504) and failure.problem["type"] == "about:blank"
    if not from_proxy and failure.code not in TEMPORARY:
        return None
    return max(failure.retry_after or 0, backoff)
