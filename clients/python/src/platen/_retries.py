"""Decides whether a failed request is repeated, and after how long."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

from ._errors import PlatenConnectionError, PlatenError

#: Errors after which the same request may succeed. Nothing has been charged when they are returned.
TEMPORARY = frozenset(
    {
        "queue_full",
        "rate_limited",
        "concurrency_limited",
        "memory_limited",
        "browser_unavailable",
        "storage_failed",
        "overloaded",
        "shutting_down",
    }
)

#: The longest pause while an earlier request is running, in seconds. It may end long before Retry-After, the end of its lease.
MAX_RUNNING_PAUSE = 5.0


@dataclass(frozen=True)
class RetryLimits:
    max_retries: int
    max_retry_delay: float
    idempotency_timeout: float


class Retries:
    """The retries of one call."""

    def __init__(self, limits: RetryLimits) -> None:
        self._limits = limits
        self._retried = 0
        self._waited = 0
        self._deadline: float | None = None

    def pause_after(self, failure: PlatenError | PlatenConnectionError) -> float | None:
        """Returns the seconds to wait before the request is repeated, or None if it is not."""
        if isinstance(failure, PlatenError):
            if failure.code == "idempotency_running":
                return self._pause_for_earlier(failure)
            from_proxy = failure.status in (502, 503, 504) and failure.problem["type"] == "about:blank"
            if not from_proxy and failure.code not in TEMPORARY:
                return None
        if self._retried >= self._limits.max_retries:
            return None
        pause = max((isinstance(failure, PlatenError) and failure.retry_after) or 0, _backoff(self._retried))
        self._retried += 1
        return None if pause > self._limits.max_retry_delay else pause

    def _pause_for_earlier(self, failure: PlatenError) -> float | None:
        wanted = MAX_RUNNING_PAUSE if failure.retry_after is None else failure.retry_after
        pause = min(wanted, _backoff(self._waited), MAX_RUNNING_PAUSE)
        self._waited += 1
        now = time.monotonic()
        if self._deadline is None:
            self._deadline = now + self._limits.idempotency_timeout
        return None if now + pause > self._deadline else pause


def _backoff(count: int) -> float:
    return 0.25 * 2.0 ** min(count, 8) * (1 + random.random())
