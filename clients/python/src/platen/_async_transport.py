"""Sends requests with the key, repeats them if that is safe, and raises errors."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping
from contextlib import asynccontextmanager
from typing import Any, AsyncIterator

import httpx

from ._errors import PlatenConnectionError, PlatenError, error_of
from ._retries import Retries, RetryLimits


class AsyncTransport:
    def __init__(self, key: str, base_url: str, limits: RetryLimits, http: httpx.AsyncClient) -> None:
        if not key:
            raise ValueError("Platen needs a key, plt_...")
        self._base = base_url.rstrip("/").removesuffix("/v1")
        self._headers = {"authorization": f"Bearer {key}"}
        self._limits = limits
        self._http = http

    async def json(self, method: str, path: str, **request: Any) -> Any:
        headers = {"accept": "application/json", **request.pop("headers", {})}
        async with self.stream(method, path, headers=headers, **request) as response:
            content = await response.aread()
            return response.json() if content else None

    @asynccontextmanager
    async def stream(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        content: bytes | None = None,
        files: Mapping[str, bytes] | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncIterator[httpx.Response]:
        """Returns the response before its body is read. Raises PlatenError for a status of 400 and above."""
        sent_headers = {**self._headers, **(headers or {})}
        if method == "POST":
            sent_headers["idempotency-key"] = idempotency_key or str(uuid.uuid4())
        params = {name: value for name, value in (query or {}).items() if value is not None}
        url = self._base + path
        request = self._http.build_request(
            method, url, headers=sent_headers, params=params, json=body, content=content, files=files
        )
        response = await self._send(request)
        try:
            yield response
        finally:
            await response.aclose()

    async def _send(self, request: httpx.Request) -> httpx.Response:
        retries = Retries(self._limits)
        while True:
            outcome = await self._attempt(request)
            if isinstance(outcome, httpx.Response):
                return outcome
            pause = retries.pause_after(outcome)
            if pause is None:
                raise outcome
            await asyncio.sleep(pause)

    async def _attempt(self, request: httpx.Request) -> httpx.Response | PlatenError | PlatenConnectionError:
        try:
            response = await self._http.send(request, stream=True)
            if response.status_code < 400:
                return response
            await response.aread()
        except httpx.TransportError as error:
            failure = PlatenConnectionError(f"The service at {self._base} could not be reached: {error}")
            failure.__cause__ = error
            return failure
        await response.aclose()
        return error_of(response)

    async def close(self) -> None:
        await self._http.aclose()
