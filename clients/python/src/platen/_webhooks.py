"""Verifies webhooks, which the service signs according to Standard Webhooks 1.0."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import cast

from ._errors import WebhookVerificationError
from .types import WebhookEvent

#: The maximum difference between the time of the webhook and the clock of this machine, in seconds.
TOLERANCE = 300


def verify_webhook(secret: str, headers: Mapping[str, str], body: bytes | str) -> WebhookEvent:
    """Verifies the signature of a webhook and returns its event.

    :param secret: the secret that ``platen.webhooks.secret()`` returns, such as ``whsec_...``
    :param headers: the headers of the request; upper and lower case do not matter
    :param body: the body as it was received, before any parsing
    :raises WebhookVerificationError: if the signature does not match, or the webhook is more than 5 minutes old
    """
    lower = {name.lower(): value for name, value in headers.items()}
    try:
        sent_id, sent_at, signatures = (lower[f"webhook-{part}"] for part in ("id", "timestamp", "signature"))
    except KeyError as missing:
        raise WebhookVerificationError(f"The request lacks the header {missing}") from None
    if not sent_at.isdecimal() or abs(time.time() - int(sent_at)) > TOLERANCE:
        raise WebhookVerificationError("The webhook was sent more than 5 minutes ago, or in the future")
    content = body.encode() if isinstance(body, str) else body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{sent_id}.{sent_at}.".encode() + content
    expected = "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    if not any(hmac.compare_digest(expected.encode(), given.encode()) for given in signatures.split(" ")):
        raise WebhookVerificationError("The webhook is not signed with this secret")
    return cast(WebhookEvent, json.loads(content))
