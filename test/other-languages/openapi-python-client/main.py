"""A document, a list and an error, with the client that openapi-python-client makes."""

import json
import os
from pathlib import Path

from platen import AuthenticatedClient
from platen.api.documents import fetch_document, list_documents
from platen.api.rendering import render_pdf
from platen.models import HtmlPdfRequest, PdfOptions, PdfOptionsFormat, Problem

with AuthenticatedClient(os.environ["PLATEN_URL"], os.environ["PLATEN_KEY"]) as client:
    options = PdfOptions(format_=PdfOptionsFormat.A5)
    pdf = render_pdf.sync(client=client, body=HtmlPdfRequest("<h1>From Python</h1>", options=options))
    Path("out.pdf").write_bytes(pdf.payload.read())

    stored = render_pdf.sync_detailed(client=client, body=HtmlPdfRequest("<p>Kept", store=True))
    listed = list_documents.sync(client=client, limit=1)
    missing = fetch_document.sync(client=client, id="doc_0")
    assert isinstance(missing, Problem)
    result = {"status": stored.status_code, "listed": len(listed.data), "code": missing.code}
    Path("result.json").write_text(json.dumps(result))
