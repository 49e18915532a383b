"""The client of Platen, the HTML-to-PDF rendering service.

    from platen import Platen

    with Platen("plt_...") as platen:
        platen.pdf({"html": "<h1>Hello, paper</h1>"}).to_file("hello.pdf")
"""

from . import types
from ._async_client import AsyncPlaten, AsyncRendered
from ._errors import PlatenConnectionError, PlatenError, WebhookVerificationError
from ._sync_client import Platen, Rendered
from ._webhooks import verify_webhook

__all__ = [
    "AsyncPlaten",
    "AsyncRendered",
    "Platen",
    "PlatenConnectionError",
    "PlatenError",
    "Rendered",
    "WebhookVerificationError",
    "types",
    "verify_webhook",
]
