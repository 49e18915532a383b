"""Verifies webhooks, which the service signs as in Standard Webhooks 1.0."""

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

#: How far the clock of the sender may be from ours, in seconds.
TOLERANCE = 300


def verify_webhook(secret: str, headers: Mapping[str, str], body: bytes | str) -> WebhookEvent:
    """The event that was sent, once its signature is verified.

    :param secret: ``whsec_...``, of ``platen.webhooks.secret()``
    :param headers: of the request, under any spelling
    :param body: as it came, before any parsing
    :raises WebhookVerificationError: where the secret did not sign these bytes, or did so more than 5 minutes ago
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
