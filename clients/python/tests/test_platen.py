"""The client against the running service, whose address and key are in the environment. `npm run test:clients` starts it."""

import asyncio
import functools
import inspect
import json
import os
import re
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from platen import AsyncPlaten, Platen, PlatenConnectionError, PlatenError, WebhookVerificationError, verify_webhook

KEY, URL = os.environ["PLATEN_KEY"], os.environ["PLATEN_URL"]
# What has been answered with a success: each as "GET /v1/usage".
answered: set[str] = set()
# Each as "templates.put_asset".
methods: set[str] = set()
methods_called: set[str] = set()


@pytest.fixture(autouse=True)
def _noted(monkeypatch: pytest.MonkeyPatch) -> None:
    send = httpx.Client.send

    def noting(self: httpx.Client, request: httpx.Request, **options: Any) -> httpx.Response:
        response = send(self, request, **options)
        if response.is_success:
            answered.add(f"{request.method} {request.url.path}")
        return response

    monkeypatch.setattr(httpx.Client, "send", noting)


@pytest.fixture
def platen():
    with Platen(KEY, URL) as client:
        for name, resource in vars(client).items():
            if not name.startswith("_"):
                _note_methods(resource, f"{name}.")
        _note_methods(client, "")
        yield client


def _note_methods(owner: Any, prefix: str) -> None:
    """Notes which methods are called."""
    for name, method in inspect.getmembers(type(owner), inspect.isfunction):
        if not name.startswith("_"):
            methods.add(prefix + name)
            setattr(owner, name, _noting(functools.partial(method, owner), prefix + name))


def _noting(method: Any, name: str) -> Any:
    def noted(*given: Any, **named: Any) -> Any:
        methods_called.add(name)
        return method(*given, **named)

    return noted


def test_pdf_with_its_facts(platen: Platen) -> None:
    pdf = platen.pdf({"html": "<h1>From Python</h1>", "options": {"format": "A5"}})
    assert pdf.read().startswith(b"%PDF-")
    assert (pdf.pages, pdf.warnings, pdf.content_type) == (1, 0, "application/pdf")
    assert pdf.request_id.startswith("req_")


def test_pdf_as_a_stream_to_a_file(platen: Platen, tmp_path: Path) -> None:
    with platen.stream_pdf({"markdown": "# To a file"}) as pdf:
        pdf.to_file(tmp_path / "out.pdf")
    assert (tmp_path / "out.pdf").read_bytes().startswith(b"%PDF-")
    platen.pdf({"html": "<p>read before</p>"}).to_file(tmp_path / "second.pdf")
    assert (tmp_path / "second.pdf").read_bytes().startswith(b"%PDF-")


def test_image(platen: Platen) -> None:
    assert platen.assemble({"parts": [{"html": "one"}, {"html": "two"}]}).read().startswith(b"%PDF")
    assert platen.image({"html": "<h1>i</h1>"}).read().startswith(b"\x89PNG")
    stored = platen.store_image({"html": "<h1>i</h1>", "options": {"type": "webp"}})
    assert stored["type"] == "image/webp"
    with platen.documents.content(stored["document_id"]) as image:
        assert image.read().startswith(b"RIFF")


def test_templates(platen: Platen) -> None:
    template_id = platen.templates.create({"name": "greeting", "html": "<p>Hello {{name}}</p>"})["template_id"]
    assert platen.templates.get(template_id)["placeholders"] == ["name"]
    assert platen.templates.replace(template_id, {"html": "<p>Good day {{name}}</p>"})["version"] == 2
    assert [version["version"] for version in platen.templates.versions(template_id)] == [2, 1]
    assert platen.templates.update(template_id, {"name": "salutation"})["name"] == "salutation"
    assert platen.templates.version(template_id, 1)["html"] == "<p>Hello {{name}}</p>"
    assert platen.pdf({"template_id": template_id, "data": {"name": "Ada"}}).pages == 1
    assert platen.templates.preview({"template_id": template_id, "html": "<p>Draft"}).pages == 1
    platen.templates.delete(template_id)
    with pytest.raises(PlatenError) as caught:
        platen.templates.get(template_id)
    assert (caught.value.status, caught.value.code) == (404, "not_found")


def test_files_of_templates(platen: Platen) -> None:
    template_id = platen.templates.create({"name": "with a style", "html": "<p>x"})["template_id"]
    assert platen.templates.put_asset(template_id, "css/a b.css", b"p {}", type="text/css")["version"] == 2
    assert [asset["path"] for asset in platen.templates.assets(template_id)] == ["css/a b.css"]
    assert platen.templates.asset(template_id, "css/a b.css") == b"p {}"
    assert platen.templates.delete_asset(template_id, "css/a b.css")["version"] == 3


def test_keys(platen: Platen) -> None:
    made = platen.keys.create({"name": "website", "scopes": ["render"]})
    assert platen.keys.get(made["key_id"])["name"] == "website"
    assert made["key_id"] in [key["key_id"] for key in platen.keys.list()]
    assert platen.keys.rotate(made["key_id"])["key"] != made["key"]
    platen.keys.revoke(made["key_id"])
    assert platen.keys.get(made["key_id"])["revoked_at"] is not None


def test_pages_and_validation(platen: Platen) -> None:
    document_id = platen.store({"html": "<p>x"})["document_id"]
    assert platen.documents.page(document_id, 1, width=100).read().startswith(b"\x89PNG")
    with platen.documents.content(document_id) as content:
        pdf = content.read()
    assert platen.validate(pdf, profile="PDF/UA-1")["profiles"] == ["PDF/UA-1"]
    found = platen.compare(pdf, platen.pdf({"html": "<p>y"}).read(), tolerance=1, pictures=1)
    assert (found["changed"], found["pages"][0]["text"]) == (1, {"removed": ["x"], "added": ["y"]})


def test_certificates(platen: Platen) -> None:
    made = platen.certificates.create({"name": "ada", "pkcs12": os.environ["PLATEN_PKCS12"], "password": "pw"})
    certificate_id = made["certificate_id"]
    assert [each["certificate_id"] for each in platen.certificates.list()] == [certificate_id]
    assert platen.certificates.get(certificate_id)["name"] == "ada"
    platen.certificates.delete(certificate_id)
    assert platen.certificates.list().page()["data"] == []


def test_lists_go_to_their_end(platen: Platen) -> None:
    names = ["one", "two", "three"]
    for name in names:
        platen.templates.create({"name": name, "html": "<p></p>"})
    listed = [template["name"] for template in platen.templates.list(limit=1)]
    assert [name for name in listed if name in names] == names[::-1]
    assert platen.templates.list(limit=1).page()["has_more"] is True


def test_documents(platen: Platen) -> None:
    document_id = platen.store({"html": "<h1>Kept</h1>", "filename": "kept-in-python.pdf", "metadata": {"order": "7"}})["document_id"]
    assert platen.documents.get(document_id)["pages"] == 1
    assert [found["document_id"] for found in platen.documents.list(q="kept-in-python")] == [document_id]
    assert [found["document_id"] for found in platen.documents.list(metadata={"order": "7"})] == [document_id]
    with platen.documents.content(document_id) as pdf:
        assert pdf.read().startswith(b"%PDF-")
    assert httpx.get(platen.documents.link(document_id, expires_in=60)["url"]).status_code == 200
    platen.documents.delete(document_id)
    with pytest.raises(PlatenError, match="deleted"):
        platen.documents.get(document_id)


def test_batches(platen: Platen) -> None:
    batch_id = platen.batches.create({"items": [{"html": "<h1>One</h1>"}, {}, {"html": "<h1>Two</h1>"}]})["batch_id"]
    events = list(platen.batches.events(batch_id))
    assert [event["event"] for event in events] == ["item", "item", "item", "batch"]
    finished = platen.batches.finished(batch_id)
    assert (finished["succeeded"], finished["failed"]) == (2, 1)
    assert next(iter(platen.batches.list()))["batch_id"] == batch_id
    with platen.batches.zip(batch_id) as archive:
        assert archive.read().startswith(b"PK")
    with platen.batches.pdf(batch_id) as merged:
        assert merged.pages == 2
    assert platen.batches.cancel(batch_id)["status"] == "completed"
    entry = next(iter(platen.requests.list(batch_id=batch_id, status="failed")))
    assert entry["code"] == "invalid_request"
    assert platen.requests.get(entry["request_id"]) == entry
    platen.update_account({"failure_pictures": True})
    with pytest.raises(PlatenError) as failed:
        platen.pdf({"html": "<p>x", "options": {"waitForFunction": "missing()"}})
    assert platen.requests.picture(failed.value.request_id).read().startswith(b"\xff\xd8")
    failing = platen.batches.create({"items": [{"html": "<p>x", "options": {"pageRanges": "9"}}]}, wait=60)["batch_id"]
    assert platen.batches.retry(failing, wait=60)["failed"] == 1


def test_asynchronous_renders(platen: Platen) -> None:
    started = platen.renders.start({"html": "<h1>Later</h1>"})
    render = platen.renders.finished(started["render_id"])
    assert render["status"] == "succeeded" and render["document_id"]
    with platen.documents.content(render["document_id"]) as pdf:
        assert pdf.read().startswith(b"%PDF-")
    render = platen.renders.finished(platen.renders.start_image({"html": "<h1>Later</h1>"})["render_id"])
    assert platen.documents.get(render["document_id"] or "")["type"] == "image/png"


def test_usage_and_account(platen: Platen) -> None:
    assert platen.usage()["documents"]["used"] > 0
    assert platen.usage("2001-01")["documents"]["used"] == 0
    assert platen.update_account({"auto_store": False})["auto_store"] is False
    assert platen.account()["plan"]


def test_errors_name_the_field(platen: Platen) -> None:
    with pytest.raises(PlatenError) as caught:
        platen.pdf({"html": "<p></p>", "options": {"scale": 9}})
    assert caught.value.code == "invalid_request"
    assert caught.value.errors[0]["path"] == "options.scale"
    assert str(caught.value).count("options.scale") == 1


def test_idempotency(platen: Platen) -> None:
    first, second = (platen.store({"html": "<h1>7</h1>"}, idempotency_key="python-7") for _ in range(2))
    assert first["document_id"] == second["document_id"]


def test_retries_under_one_name() -> None:
    names: list[str] = []
    full = {"type": "http://p/errors/queue_full", "code": "queue_full", "status": 429, "detail": "full", "title": "", "request_id": ""}

    def answer(request: httpx.Request) -> httpx.Response:
        names.append(request.headers["idempotency-key"])
        if len(names) == 1:
            raise httpx.ConnectError("lost", request=request)
        if len(names) == 2:
            return httpx.Response(429, json=full, headers={"retry-after": "0"})
        return httpx.Response(502, text="<h1>Bad gateway</h1>") if len(names) == 3 else httpx.Response(200, content=b"a PDF")

    with Platen("plt_x", http=httpx.Client(transport=httpx.MockTransport(answer))) as client:
        assert client.pdf({"html": "<p></p>"}).read() == b"a PDF"
    assert len(names) == 4 and len(set(names)) == 1


def test_waiting_for_an_earlier_request_is_no_retry() -> None:
    sent = 0
    running = {"type": "http://p/errors/idempotency_running", "code": "idempotency_running", "status": 409, "detail": "wait", "request_id": ""}

    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal sent
        sent += 1
        if sent <= 3:
            return httpx.Response(502, text="<h1>Bad gateway</h1>")
        return httpx.Response(409, json=running, headers={"retry-after": "0"}) if sent <= 15 else httpx.Response(200, content=b"a PDF")

    with Platen("plt_x", http=httpx.Client(transport=httpx.MockTransport(answer))) as client:
        assert client.pdf({"html": "<p></p>"}).read() == b"a PDF"
    assert sent == 16

    def later(request: httpx.Request) -> httpx.Response:
        return httpx.Response(409, json=running, headers={"retry-after": "20"})

    with Platen("plt_x", idempotency_timeout=0, http=httpx.Client(transport=httpx.MockTransport(later))) as client:
        with pytest.raises(PlatenError) as caught:
            client.pdf({"html": "<p></p>"})
    assert (caught.value.code, caught.value.retry_after) == ("idempotency_running", 20)


def test_no_connection() -> None:
    unreachable = pytest.raises(PlatenConnectionError, match="The service at http://127.0.0.1:1 could not be reached")
    with Platen(KEY, "http://127.0.0.1:1/v1", max_retries=0) as nowhere, unreachable:
        nowhere.usage()


def test_webhooks(platen: Platen) -> None:
    webhook = json.loads(os.environ["PLATEN_WEBHOOK"])
    secret = platen.webhooks.secret()["secret"]
    assert verify_webhook(secret, webhook["headers"], webhook["body"])["type"] == "batch.completed"
    assert verify_webhook(secret, webhook["headers"], webhook["body"].encode())["data"]
    for headers, body in [
        (webhook["headers"], webhook["body"] + " "),
        ({**webhook["headers"], "webhook-timestamp": "1"}, webhook["body"]),
        ({**webhook["headers"], "webhook-signature": "v1,ä"}, webhook["body"]),
        ({}, webhook["body"]),
    ]:
        with pytest.raises(WebhookVerificationError):
            verify_webhook(secret, headers, body)
    assert next(iter(platen.webhooks.deliveries()))["type"] == "batch.completed"
    delivery_id = platen.webhooks.test(webhook["url"])["delivery_id"]
    while next(iter(platen.webhooks.deliveries()))["status"] != "failed":
        time.sleep(0.1)
    assert platen.webhooks.delivery(delivery_id)["payload"]["type"] == "webhook.test"
    assert platen.webhooks.retry(delivery_id)["status"] == "pending"
    assert platen.webhooks.rotate_secret()["previous"][0]["secret"] == secret


def test_administration(platen: Platen) -> None:
    url = json.loads(os.environ["PLATEN_WEBHOOK"])["url"]
    with Platen(os.environ["PLATEN_ADMINISTRATOR_KEY"], URL) as administrator:
        admin = administrator.admin
        _note_methods(admin, "admin.")
        assert "free" in [plan["name"] for plan in admin.plans()]
        account_id = admin.create_account({"name": "ACME Ltd"})["account_id"]
        assert account_id in [account["account_id"] for account in admin.accounts(name="acme")]
        assert admin.account(account_id)["state"] == "active"
        assert admin.update_account(account_id, {"suspended": True})["state"] == "suspended"
        assert admin.update_account(account_id, {"suspended": False})["state"] == "active"
        key = admin.create_key(account_id, {"name": "website"})
        assert [each["key_id"] for each in admin.keys(account_id)] == [key["key_id"]]
        with Platen(key["key"], URL) as customer:
            delivery_id = customer.webhooks.test(url)["delivery_id"]
            with pytest.raises(PlatenError):
                customer.pdf({"template_id": "tpl_none"})
        while not list(admin.webhooks(account_id=account_id)):
            time.sleep(0.1)
        admin.retry_webhook(delivery_id)
        assert next(iter(admin.errors(account_id=account_id)))["code"] == "not_found"
        assert admin.usage(account_id)["documents"]["used"] == 0
        assert admin.usage(account_id, "2020-02")["documents"]["used"] == 0
        assert admin.state()["capacity"] > 0
        admin.revoke_key(key["key_id"])
        admin.delete_account(account_id)
        actions = [entry["action"] for entry in admin.audit(account_id=account_id)]
        assert sorted(set(actions)) == [
            "account.changed",
            "account.created",
            "account.deleted",
            "key.created",
            "key.revoked",
            "webhook.resent",
        ]


def test_asynchronous() -> None:
    async def run() -> None:
        async with AsyncPlaten(KEY, URL) as platen:
            pdfs = await asyncio.gather(*(platen.pdf({"html": f"<h1>{number}</h1>"}) for number in range(3)))
            assert [pdf.pages for pdf in pdfs] == [1, 1, 1]
            batch = await platen.batches.create({"items": [{"html": "<h1>One</h1>"}]}, wait=60)
            events = [event["event"] async for event in platen.batches.events(batch["batch_id"])]
            assert events[-1] == "batch"
            async with platen.stream_pdf({"html": "<h1>s</h1>"}) as pdf:
                assert b"".join([chunk async for chunk in pdf.stream()]).startswith(b"%PDF-")

    asyncio.run(run())


def test_every_method_has_been_called() -> None:
    assert len(methods) > 45
    assert methods - methods_called <= {"close"}  # `with` calls it, below the methods that are noted


def test_every_endpoint_for_a_key_has_answered_with_a_success() -> None:
    paths = httpx.get(f"{URL}/openapi.json").json()["paths"]
    missing = [
        f"{method.upper()} {path}"
        for path, operations in paths.items()
        for method, operation in operations.items()
        if operation.get("security") != [] and not any(_is(each, method, path) for each in answered)
    ]
    assert missing == []


def _is(request: str, method: str, path: str) -> bool:
    pattern = re.sub(r"\\{\w+\\}", "[^/.]+", re.escape(path).replace(r"\{path\}", ".+"))
    return re.fullmatch(f"{method.upper()} {pattern}", request) is not None
