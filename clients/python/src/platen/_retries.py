"""When a request is sent again, and after how long."""

from __future__ import annotations

import random

from ._errors import PlatenConnectionError, PlatenError

#: Codes after which the same request may succeed. All of them are told before anything is charged.
PASSING = frozenset(
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
    """Seconds to wait, or None where the request would fail again."""
    backoff = 0.25 * 2**sent * (1 + random.random())
    if isinstance(failure, PlatenConnectionError):
        return backoff
    from_proxy = failure.status in (502, 503, 504) and failure.problem["type"] == "about:blank"
    if not from_proxy and failure.code not in PASSING:
        return None
    return max(failure.retry_after or 0, backoff)
