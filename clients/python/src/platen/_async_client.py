"""The client: one method for each endpoint of the API."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar, cast
from urllib.parse import quote

import httpx

from . import types
from ._async_transport import AsyncTransport
from ._facts import Facts
from ._retries import RetryLimits

Item = TypeVar("Item")

#: The pause between two requests that wait for a result, in seconds. A service that shuts down answers them at once.
PAUSE = 1


class AsyncRendered(Facts):
    """A PDF, an image or an archive, with its properties from the headers."""

    def __init__(self, response: httpx.Response) -> None:
        super().__init__(response.headers)
        self._response = response

    async def stream(self) -> AsyncIterator[bytes]:
        """Yields the body as it arrives. It can be read once."""
        async for chunk in self._response.aiter_bytes():
            yield chunk

    async def read(self) -> bytes:
        return await self._response.aread()

    async def to_file(self, path: str | os.PathLike[str]) -> None:
        """Writes the body to a file as it arrives. An incomplete file is removed."""
        try:
            with open(path, "wb") as file:
                async for chunk in self.stream():
                    file.write(chunk)
        except BaseException:
            Path(path).unlink(missing_ok=True)
            raise


class AsyncList(Generic[Item]):
    """A list. Iterate over it for all records, newest first, or call ``page`` for one page."""

    def __init__(self, transport: AsyncTransport, path: str, query: dict[str, Any]) -> None:
        self._transport = transport
        self._path = path
        metadata = query.pop("metadata", None) or {}
        self._query = {**query, **{f"metadata[{name}]": value for name, value in metadata.items()}}

    async def page(self, cursor: str | None = None) -> types.Page[Item]:
        query = {**self._query, **({"cursor": cursor} if cursor else {})}
        return cast("types.Page[Item]", await self._transport.json("GET", self._path, query=query))

    async def __aiter__(self) -> AsyncIterator[Item]:
        page = await self.page()
        while True:
            for item in page["data"]:
                yield item
            if not page["has_more"] or page["next_cursor"] is None:
                return
            page = await self.page(page["next_cursor"])


class _AsyncResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @asynccontextmanager
    async def _content(self, method: str, path: str, **request: Any) -> AsyncIterator[AsyncRendered]:
        async with self._transport.stream(method, path, **request) as response:
            yield AsyncRendered(response)


class AsyncTemplates(_AsyncResource):
    async def create(self, request: types.NewTemplate, *, idempotency_key: str | None = None) -> types.Template:
        return await self._transport.json("POST", "/v1/templates", body=request, idempotency_key=idempotency_key)

    async def preview(self, request: types.TemplatePreview) -> AsyncRendered:
        """Renders a text that is not saved, without a charge."""
        headers = {"accept": "application/pdf"}
        async with self._content("POST", "/v1/templates/preview", body=request, headers=headers) as rendered:
            await rendered.read()
            return rendered

    def list(self, **query: Any) -> AsyncList[types.Template]:
        """Filters: ``limit``, ``metadata``."""
        return AsyncList(self._transport, "/v1/templates", query)

    async def get(self, template_id: str) -> types.TemplateWithHtml:
        return await self._transport.json("GET", f"/v1/templates/{template_id}")

    async def replace(self, template_id: str, request: types.TemplateChange) -> types.Template:
        return await self._transport.json("PUT", f"/v1/templates/{template_id}", body=request)

    async def update(self, template_id: str, change: types.TemplatePatch) -> types.Template:
        """Renames a template, or changes its metadata."""
        return await self._transport.json("PATCH", f"/v1/templates/{template_id}", body=change)

    async def delete(self, template_id: str) -> None:
        await self._transport.json("DELETE", f"/v1/templates/{template_id}")

    def versions(self, template_id: str, *, limit: int | None = None) -> AsyncList[types.TemplateVersion]:
        return AsyncList(self._transport, f"/v1/templates/{template_id}/versions", {"limit": limit})

    async def version(self, template_id: str, version: int) -> types.TemplateWithHtml:
        return await self._transport.json("GET", f"/v1/templates/{template_id}/versions/{version}")

    async def assets(self, template_id: str) -> Sequence[types.TemplateAsset]:
        """Lists the files that are stored with a template."""
        assets: types.TemplateAssetList = await self._transport.json("GET", f"/v1/templates/{template_id}/assets")
        return assets["data"]

    async def asset(self, template_id: str, path: str) -> bytes:
        """Downloads a file of a template. ``path`` is its path, such as ``css/print.css``."""
        async with self._content("GET", _asset_path(template_id, path)) as rendered:
            return await rendered.read()

    async def put_asset(
        self, template_id: str, path: str, content: bytes, *, type: str = "application/octet-stream"
    ) -> types.Template:
        """Adds or replaces a file, which creates a new version of the template. ``type`` is its media type."""
        headers = {"content-type": type}
        return await self._transport.json("PUT", _asset_path(template_id, path), content=content, headers=headers)

    async def delete_asset(self, template_id: str, path: str) -> types.Template:
        """Removes a file, which creates a new version of the template."""
        return await self._transport.json("DELETE", _asset_path(template_id, path))


class AsyncDocuments(_AsyncResource):
    def list(self, **query: Any) -> AsyncList[types.Document]:
        """Filters: ``limit``, ``template_id``, ``created_after``, ``created_before``, ``q``, ``metadata``."""
        return AsyncList(self._transport, "/v1/documents", query)

    async def get(self, document_id: str) -> types.Document:
        return await self._transport.json("GET", f"/v1/documents/{document_id}")

    @asynccontextmanager
    async def content(self, document_id: str) -> AsyncIterator[AsyncRendered]:
        async with self._content("GET", f"/v1/documents/{document_id}", headers={"accept": "application/pdf, image/*"}) as rendered:
            yield rendered

    async def page(self, document_id: str, page: int, *, width: int | None = None) -> AsyncRendered:
        """Downloads a picture of a page as PNG. Pages are counted from 1. ``width`` is in pixels. Default: 1,000."""
        path = f"/v1/documents/{document_id}/pages/{page}.png"
        async with self._content("GET", path, query={"width": width}) as rendered:
            await rendered.read()
            return rendered

    async def delete(self, document_id: str) -> None:
        await self._transport.json("DELETE", f"/v1/documents/{document_id}")

    async def link(self, document_id: str, *, expires_in: int | None = None) -> types.Link:
        """Creates a link that works without a key for ``expires_in`` seconds. Default: one hour."""
        body = {} if expires_in is None else {"expires_in": expires_in}
        return await self._transport.json("POST", f"/v1/documents/{document_id}/links", body=body)


class AsyncBatches(_AsyncResource):
    async def create(
        self, request: types.BatchRequest, *, wait: int | None = None, idempotency_key: str | None = None
    ) -> types.Batch:
        """Renders up to 500 documents. Waits up to ``wait`` seconds (at most 60) for them."""
        return await self._transport.json(
            "POST", "/v1/batches", body=request, headers=_prefer(wait), idempotency_key=idempotency_key
        )

    def list(self, **query: Any) -> AsyncList[types.BatchSummary]:
        """Filters: ``limit``, ``metadata``."""
        return AsyncList(self._transport, "/v1/batches", query)

    async def get(self, batch_id: str, *, wait: int | None = None) -> types.Batch:
        return await self._transport.json("GET", f"/v1/batches/{batch_id}", headers=_prefer(wait))

    async def finished(self, batch_id: str) -> types.Batch:
        """Waits until the batch has ended, and returns it."""
        while True:
            batch = await self.get(batch_id, wait=60)
            if batch["status"] in ("completed", "cancelled"):
                return batch
            await asyncio.sleep(PAUSE)

    async def cancel(self, batch_id: str) -> types.Batch:
        return await self._transport.json("DELETE", f"/v1/batches/{batch_id}")

    async def retry(self, batch_id: str, *, wait: int | None = None, idempotency_key: str | None = None) -> types.Batch:
        """Creates a batch of the items that have failed."""
        return await self._transport.json(
            "POST", f"/v1/batches/{batch_id}/retry", headers=_prefer(wait), idempotency_key=idempotency_key
        )

    @asynccontextmanager
    async def zip(self, batch_id: str) -> AsyncIterator[AsyncRendered]:
        async with self._content("GET", f"/v1/batches/{batch_id}.zip") as rendered:
            yield rendered

    @asynccontextmanager
    async def pdf(self, batch_id: str) -> AsyncIterator[AsyncRendered]:
        """Downloads all documents of the batch as one PDF."""
        async with self._content("GET", f"/v1/batches/{batch_id}.pdf") as rendered:
            yield rendered

    async def events(self, batch_id: str, *, last_event_id: int = 0) -> AsyncIterator[types.BatchEvent]:
        """Yields the events of the batch until it has ended. Reconnects if the connection is lost."""
        last = last_event_id
        while True:
            headers = {"accept": "application/x-ndjson", "last-event-id": str(last)}
            async with self._transport.stream("GET", f"/v1/batches/{batch_id}/events", headers=headers) as response:
                if response.status_code == 204:
                    return
                async for event in _events_of(response):
                    last = event["id"]
                    yield event
                    if event["event"] == "batch":
                        return
            await asyncio.sleep(PAUSE)


class AsyncRenders(_AsyncResource):
    """Asynchronous renders: the service accepts the document, answers, and then renders it."""

    async def start(
        self, request: types.PdfRequest, *, webhook_url: str | None = None, idempotency_key: str | None = None
    ) -> types.Render:
        """Starts to render a PDF. The result is stored, or uploaded to ``deliver_to``; then ``webhook_url`` is notified."""
        return await self._start("/v1/pdf", request, webhook_url, idempotency_key)

    async def start_image(
        self, request: types.ImageRequest, *, webhook_url: str | None = None, idempotency_key: str | None = None
    ) -> types.Render:
        """Starts to render an image, as ``start`` does for a PDF."""
        return await self._start("/v1/image", request, webhook_url, idempotency_key)

    async def _start(
        self,
        path: str,
        request: types.PdfRequest | types.ImageRequest,
        webhook_url: str | None,
        idempotency_key: str | None,
    ) -> types.Render:
        body = {**request, **({} if webhook_url is None else {"webhook_url": webhook_url})}
        headers = {"prefer": "respond-async"}
        return await self._transport.json("POST", path, body=body, headers=headers, idempotency_key=idempotency_key)

    async def get(self, render_id: str, *, wait: int | None = None) -> types.Render:
        return await self._transport.json("GET", f"/v1/renders/{render_id}", headers=_prefer(wait))

    async def finished(self, render_id: str) -> types.Render:
        """Waits until the render, and the upload of its result if there is one, have ended. Returns the render."""
        while True:
            render = await self.get(render_id, wait=60)
            is_uploading = render.get("delivery", {}).get("status") == "pending"
            if render["status"] not in ("queued", "running") and not is_uploading:
                return render
            await asyncio.sleep(PAUSE)


class AsyncKeys(_AsyncResource):
    """API keys of the account, as far as the key of this client may see them."""

    async def create(self, request: types.KeyRequest | None = None, *, idempotency_key: str | None = None) -> types.ApiKey:
        """Creates a key. Only this answer contains its secret, in ``key``."""
        return await self._transport.json("POST", "/v1/keys", body=request or {}, idempotency_key=idempotency_key)

    def list(self, **query: Any) -> AsyncList[types.ApiKey]:
        return AsyncList(self._transport, "/v1/keys", query)

    async def get(self, key_id: str) -> types.ApiKey:
        return await self._transport.json("GET", f"/v1/keys/{key_id}")

    async def rotate(self, key_id: str, request: types.RotationRequest | None = None) -> types.ApiKey:
        """Replaces the secret of a key."""
        return await self._transport.json("POST", f"/v1/keys/{key_id}/rotate", body=request or {})

    async def revoke(self, key_id: str) -> None:
        await self._transport.json("DELETE", f"/v1/keys/{key_id}")


class AsyncCertificates(_AsyncResource):
    """Certificates that sign PDFs."""

    async def create(self, request: types.NewCertificate, *, idempotency_key: str | None = None) -> types.Certificate:
        """Stores the certificate and private key of a PKCS#12 file in base64."""
        return await self._transport.json("POST", "/v1/certificates", body=request, idempotency_key=idempotency_key)

    def list(self, **query: Any) -> AsyncList[types.Certificate]:
        return AsyncList(self._transport, "/v1/certificates", query)

    async def get(self, certificate_id: str) -> types.Certificate:
        return await self._transport.json("GET", f"/v1/certificates/{certificate_id}")

    async def delete(self, certificate_id: str) -> None:
        await self._transport.json("DELETE", f"/v1/certificates/{certificate_id}")


class AsyncWebhooks(_AsyncResource):
    async def secret(self) -> types.WebhookSecret:
        return await self._transport.json("GET", "/v1/webhooks/secret")

    async def rotate_secret(self) -> types.WebhookSecret:
        return await self._transport.json("POST", "/v1/webhooks/secret/rotate")

    def deliveries(self, **query: Any) -> AsyncList[types.WebhookDelivery]:
        return AsyncList(self._transport, "/v1/webhooks/deliveries", query)

    async def delivery(self, delivery_id: str) -> types.WebhookDelivery:
        """Returns a delivery with its body and its last attempts."""
        return await self._transport.json("GET", f"/v1/webhooks/deliveries/{delivery_id}")

    async def test(self, url: str) -> types.WebhookDelivery:
        """Sends an event without data, to see whether it arrives."""
        return await self._transport.json("POST", "/v1/webhooks/test", body={"url": url})

    async def retry(self, delivery_id: str) -> types.WebhookDelivery:
        """Sends an event again that was delivered or given up."""
        return await self._transport.json("POST", f"/v1/webhooks/deliveries/{delivery_id}/retry")


class AsyncRequests(_AsyncResource):
    """What came of the renders and batch items of the last days."""

    def list(self, **query: Any) -> AsyncList[types.LoggedRequest]:
        """Filters: ``limit``, ``status``, ``code``, ``template_id``, ``batch_id``, ``reference``, ``created_after``, ``created_before``."""
        return AsyncList(self._transport, "/v1/requests", query)

    async def get(self, request_id: str) -> types.LoggedRequest:
        return await self._transport.json("GET", f"/v1/requests/{request_id}")

    async def picture(self, request_id: str) -> AsyncRendered:
        """Downloads what the page showed when the render failed, as JPEG, for accounts with ``failure_pictures``."""
        async with self._content("GET", f"/v1/requests/{request_id}/picture") as rendered:
            await rendered.read()
            return rendered


class AsyncAdmin(_AsyncResource):
    """All accounts of the service, for the key of an administrator."""

    async def plans(self) -> list[types.Plan]:
        return (await self._transport.json("GET", "/v1/admin/plans"))["data"]

    def accounts(self, **query: Any) -> AsyncList[types.AdminAccount]:
        """Filters: ``limit``, ``state``, ``name``."""
        return AsyncList(self._transport, "/v1/admin/accounts", query)

    async def create_account(self, request: types.AdminAccountRequest | None = None) -> types.AdminAccount:
        return await self._transport.json("POST", "/v1/admin/accounts", body=request or {})

    async def account(self, account_id: str) -> types.AdminAccount:
        return await self._transport.json("GET", f"/v1/admin/accounts/{account_id}")

    async def update_account(self, account_id: str, change: types.AdminAccountChange) -> types.AdminAccount:
        """Renames, suspends or resumes an account, or changes its plan."""
        return await self._transport.json("PATCH", f"/v1/admin/accounts/{account_id}", body=change)

    async def delete_account(self, account_id: str) -> None:
        await self._transport.json("DELETE", f"/v1/admin/accounts/{account_id}")

    async def usage(self, account_id: str, month: str | None = None) -> types.Usage:
        """``month`` is such as ``2026-10``; without it, this month."""
        query = {"month": month} if month else {}
        return await self._transport.json("GET", f"/v1/admin/accounts/{account_id}/usage", query=query)

    def keys(self, account_id: str, **query: Any) -> AsyncList[types.ApiKey]:
        """Filters: ``limit``."""
        return AsyncList(self._transport, f"/v1/admin/accounts/{account_id}/keys", query)

    async def create_key(self, account_id: str, request: types.KeyRequest | None = None) -> types.ApiKey:
        """Creates a key of an account. Only this answer contains its secret, in ``key``."""
        return await self._transport.json("POST", f"/v1/admin/accounts/{account_id}/keys", body=request or {})

    async def revoke_key(self, key_id: str) -> None:
        await self._transport.json("DELETE", f"/v1/admin/keys/{key_id}")

    async def state(self) -> types.ServiceState:
        return await self._transport.json("GET", "/v1/admin/state")

    def errors(self, **query: Any) -> AsyncList[types.AdminFailure]:
        """Lists the renders that failed. Filters: ``limit``, ``account_id``, ``code``."""
        return AsyncList(self._transport, "/v1/admin/errors", query)

    def webhooks(self, **query: Any) -> AsyncList[types.FailedWebhook]:
        """Lists the webhooks that were given up. Filters: ``limit``, ``account_id``."""
        return AsyncList(self._transport, "/v1/admin/webhooks", query)

    async def retry_webhook(self, delivery_id: str) -> None:
        """Sends a webhook again that was given up."""
        await self._transport.json("POST", f"/v1/admin/webhooks/{delivery_id}/retry")

    def audit(self, **query: Any) -> AsyncList[types.AuditEntry]:
        """Filters: ``limit``, ``account_id``, ``object_id``, ``actor``, ``action``, ``created_after``, ``created_before``."""
        return AsyncList(self._transport, "/v1/admin/audit", query)


class AsyncPlaten(_AsyncResource):
    """A client of the service at ``base_url``.

    :param key: the API key, such as ``plt_...``
    :param max_retries: how many times a request is repeated after a lost connection, 429 or 503
    :param max_retry_delay: the longest pause before a request is repeated, in seconds; a longer ``Retry-After`` ends the retries
    :param idempotency_timeout: how long to wait for the reply to an earlier request with the same idempotency key that is still
        running, in seconds; this does not count as a retry
    :param timeout: how long to wait for data from the service, in seconds; it must exceed the longest render
    :param http: an HTTP client with proxies, certificates or time-outs of your own
    """

    def __init__(
        self,
        key: str,
        base_url: str = "http://127.0.0.1:3000",
        *,
        max_retries: int = 3,
        max_retry_delay: float = 30,
        idempotency_timeout: float = 150,
        timeout: float = 300,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        limits = RetryLimits(max_retries, max_retry_delay, idempotency_timeout)
        super().__init__(AsyncTransport(key, base_url, limits, http or _http(timeout)))
        self.templates = AsyncTemplates(self._transport)
        self.documents = AsyncDocuments(self._transport)
        self.batches = AsyncBatches(self._transport)
        self.renders = AsyncRenders(self._transport)
        self.keys = AsyncKeys(self._transport)
        self.certificates = AsyncCertificates(self._transport)
        self.webhooks = AsyncWebhooks(self._transport)
        self.requests = AsyncRequests(self._transport)
        self.admin = AsyncAdmin(self._transport)

    async def pdf(self, request: types.PdfRequest, *, idempotency_key: str | None = None) -> AsyncRendered:
        """Renders a document to PDF, and reads it into memory."""
        async with self.stream_pdf(request, idempotency_key=idempotency_key) as rendered:
            await rendered.read()
            return rendered

    @asynccontextmanager
    async def stream_pdf(self, request: types.PdfRequest, *, idempotency_key: str | None = None) -> AsyncIterator[AsyncRendered]:
        """Renders a document to PDF, which is read as it arrives."""
        headers = {"accept": "application/pdf"}
        async with self._content("POST", "/v1/pdf", body=request, headers=headers, idempotency_key=idempotency_key) as rendered:
            yield rendered

    async def store(self, request: types.PdfRequest, *, idempotency_key: str | None = None) -> types.Document:
        """Renders a document to PDF and stores it. Returns its record."""
        body = {**request, "store": True}
        return await self._transport.json("POST", "/v1/pdf", body=body, idempotency_key=idempotency_key)

    async def assemble(self, request: types.AssemblyBody, *, idempotency_key: str | None = None) -> AsyncRendered:
        """Puts a PDF together from parts, and changes it in steps. With the step ``split``, the result is a ZIP archive."""
        headers = {"accept": "application/pdf, application/zip"}
        async with self._content(
            "POST", "/v1/pdf/assemble", body=request, headers=headers, idempotency_key=idempotency_key
        ) as rendered:
            await rendered.read()
            return rendered

    async def image(self, request: types.ImageRequest, *, idempotency_key: str | None = None) -> AsyncRendered:
        """Renders a document to an image, and reads it into memory."""
        headers = {"accept": "image/*"}
        async with self._content(
            "POST", "/v1/image", body=request, headers=headers, idempotency_key=idempotency_key
        ) as rendered:
            await rendered.read()
            return rendered

    async def store_image(self, request: types.ImageRequest, *, idempotency_key: str | None = None) -> types.Document:
        """Renders a document to an image and stores it. Returns its record."""
        body = {**request, "store": True}
        return await self._transport.json("POST", "/v1/image", body=body, idempotency_key=idempotency_key)

    async def validate(self, pdf: bytes, *, profile: str | None = None) -> types.Validation:
        """Checks any PDF against ``profile``, such as ``PDF/UA-1``. Default: the profiles of PDF/A and PDF/UA that it claims."""
        headers = {"content-type": "application/pdf"}
        return await self._transport.json("POST", "/v1/pdf/validate", content=pdf, headers=headers, query={"profile": profile})

    async def compare(
        self, before: bytes, after: bytes, *, tolerance: int | None = None, pictures: int | None = None
    ) -> types.Comparison:
        """Finds where the pages of two PDFs differ.

        ``tolerance`` ignores colors that differ by up to so many steps of 255. ``pictures`` is the number of pages that differ to
        return PNGs of, in base64.
        """
        query = {"tolerance": tolerance, "pictures": pictures}
        return await self._transport.json("POST", "/v1/pdf/compare", files={"before": before, "after": after}, query=query)

    async def usage(self, month: str | None = None) -> types.Usage:
        """Returns what the account used in a month, such as ``2026-10``. Default: this month."""
        return await self._transport.json("GET", "/v1/usage", query={"month": month})

    async def account(self) -> types.Account:
        return await self._transport.json("GET", "/v1/account")

    async def update_account(self, change: types.AccountChange) -> types.Account:
        return await self._transport.json("PATCH", "/v1/account", body=change)

    async def close(self) -> None:
        await self._transport.close()

    async def __aenter__(self) -> AsyncPlaten:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _asset_path(template_id: str, path: str) -> str:
    return f"/v1/templates/{template_id}/assets/{quote(path)}"


def _prefer(wait: int | None) -> dict[str, str]:
    return {} if wait is None else {"prefer": f"wait={wait}"}


def _http(timeout: float) -> httpx.AsyncClient:
    return httpx.AsyncClient(timeout=httpx.Timeout(10, read=timeout))


async def _events_of(response: httpx.Response) -> AsyncIterator[types.BatchEvent]:
    """Ends when the connection is lost."""
    try:
        async for line in response.aiter_lines():
            event = json.loads(line)
            if event["event"] != "heartbeat":
                yield event
    except httpx.TransportError:
        return
