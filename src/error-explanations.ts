/** Explains every error to the caller: its code in, what happened and what to do out. The union of codes follows from this table. */

interface Explanation {
  title: string;
  /** What happened. */
  meaning: string;
  /** What the caller can do. */
  remedy: string;
}

export const EXPLANATIONS = {
  invalid_json: {
    title: 'The body is not JSON',
    meaning:
      'The request body could not be read as JSON in UTF-8, is nested more than 100 levels deep, or contains more than 500,000 values.',
    remedy: 'Send one JSON object. With curl, use `--data-binary @file.json`, which sends the file unchanged.',
  },
  invalid_request: {
    title: 'The request is not valid',
    meaning:
      'One or more fields are missing, unknown, of the wrong type or out of range. `errors` lists the fields with their paths. Fields are checked in two steps: names, types and ranges first, then the content of texts such as lengths.',
    remedy: 'Correct the fields named in `errors`. Nothing was rendered.',
  },
  unauthorized: {
    title: 'A valid API key is required',
    meaning: 'The Authorization header is missing, or its key is unknown, mistyped, expired or revoked.',
    remedy: 'Send `Authorization: Bearer plt_...`. `platen keys create` creates a key.',
  },
  quota_exceeded: {
    title: 'The monthly document limit is used up',
    meaning:
      'The plan of the account allows no more documents this calendar month (UTC), or its test keys have used up their daily limit. `limit`, `used` and `resets_at` give the details. Nothing was rendered or charged.',
    remedy: 'Wait until `resets_at`, or ask the operator for another plan.',
  },
  forbidden_url: {
    title: 'The URL is not allowed',
    meaning:
      'The `url`, a URL that it redirects to, or the IP address in a webhook URL is not on the public internet, uses a port that documents may not use, or is denied by the operator. The service did not connect to it. Nothing was charged.',
    remedy:
      'Use a URL on the public internet. The operator can allow other hosts with PLATEN_OUTBOUND_ALLOW and other ports with PLATEN_OUTBOUND_PORTS.',
  },
  insufficient_scope: {
    title: 'The API key may not do this',
    meaning:
      'The key is limited to certain scopes, which do not allow this request. `required_scope` names the scope that is missing; without it, the request requires a key with full access.',
    remedy: 'Use another key. Scopes are set when a key is created, with `POST /v1/keys` or `platen keys create --scopes`.',
  },
  not_owner: {
    title: 'The object belongs to another key',
    meaning:
      'Another key of the account owns the template and shares it. This key may read and render it, but not change or delete it.',
    remedy: 'Use the key that created the template, or store a copy with this key.',
  },
  account_suspended: {
    title: 'The account is suspended',
    meaning:
      'The operator of this service has suspended the account of the key, or of the document behind the link. Nothing is deleted, and batches that wait continue when the operator resumes the account.',
    remedy: 'Ask the operator of this service.',
  },
  not_found: {
    title: 'Not found',
    meaning: 'There is no endpoint at this URL, or the object it names does not exist or belongs to another key.',
    remedy: 'Check the URL and the id.',
  },
  method_not_allowed: {
    title: 'Method not allowed',
    meaning: 'The endpoint exists, but does not support this HTTP method.',
    remedy: 'Use one of the methods in the Allow header.',
  },
  not_acceptable: {
    title: 'Not acceptable',
    meaning: 'The Accept header allows none of the content types that this endpoint can return.',
    remedy: 'Accept application/pdf, or send no Accept header.',
  },
  request_timeout: {
    title: 'The request took too long to arrive',
    meaning: 'The whole request was not received in time.',
    remedy: 'Send it again on a faster connection. The operator can raise PLATEN_REQUEST_TIMEOUT_SECONDS.',
  },
  idempotency_running: {
    title: 'The first request with this Idempotency-Key is still running',
    meaning: 'Another request with the same Idempotency-Key has not been answered yet.',
    remedy:
      'Send the request again until you get the reply to the first request. If the server that ran it has died, the request is run again after the number of seconds in Retry-After.',
  },
  idempotency_result_gone: {
    title: 'The reply to this Idempotency-Key was not kept',
    meaning:
      'The request with this Idempotency-Key was answered and charged, but its PDF is no longer stored, because the plan of the account keeps documents for a shorter time or not at all.',
    remedy: 'Use the PDF you received. To render the document again, send a new Idempotency-Key.',
  },
  batch_unfinished: {
    title: 'The batch has not finished',
    meaning:
      'Some items of the batch have no result yet, and the combined results are available only when every item has one. `unfinished` is the number of items without a result.',
    remedy:
      'Send the request again after the number of seconds in Retry-After, or follow `GET /v1/batches/{id}/events` until the last event.',
  },
  version_conflict: {
    title: 'It has changed since you read it',
    meaning:
      'The `If-Match` header names another version than the current one: somebody else changed the template or the account since you read it. `version` is the current version of a template. Nothing was changed.',
    remedy: 'Read it again, make your change in its current version, and send that with the new ETag.',
  },
  document_expired: {
    title: 'The document has expired',
    meaning:
      'The retention period that the plan of the account set when the document was stored is over. Its content has been removed.',
    remedy: 'Render it again.',
  },
  document_deleted: {
    title: 'The document was deleted',
    meaning: 'The owner of the document deleted it. Its content has been removed.',
    remedy: 'Render it again.',
  },
  link_expired: {
    title: 'The link has expired',
    meaning: 'The signed link was valid for a limited time, which has passed.',
    remedy: 'Ask the owner of the document for a new link.',
  },
  content_too_large: {
    title: 'Content too large',
    meaning:
      'The HTML is larger than 5,242,880 bytes of UTF-8 (524,288 in the playground), or the request body is larger than the server allows. `limit` and, where known, `actual` are in bytes.',
    remedy:
      'Send pictures and fonts as files in `assets` instead of `data:` URLs, which count as HTML. Otherwise reduce the resolution of images, or split the document.',
  },
  unsupported_media_type: {
    title: 'Unsupported media type',
    meaning:
      'The body has a content type, a charset or a Content-Encoding that this endpoint does not accept. Accept-Encoding lists the encodings that it accepts.',
    remedy:
      'Send `Content-Type: application/json`, with a body in UTF-8, as it is or with `Content-Encoding: gzip` or `deflate`. `POST /v1/pdf` also reads `text/html`, `text/markdown` and `multipart/form-data`.',
  },
  range_not_satisfiable: {
    title: 'Range not satisfiable',
    meaning: 'The Range header asks for bytes beyond the end of the document. Content-Range gives the size of the document.',
    remedy: 'Ask for a range within the document, or send no Range header.',
  },
  expectation_failed: {
    title: 'Expectation failed',
    meaning: 'The Expect header asks for something other than `100-continue`.',
    remedy: 'Send `Expect: 100-continue`, or no Expect header.',
  },
  navigation_failed: {
    title: 'The document could not be loaded',
    meaning:
      'The `url` could not be reached (`net_error` is the code of Chromium for the reason), or its server answered with an error status (`upstream_status`) or with something other than HTML (`content_type`). Or an `html` document left its page, by script, form or reload, before it could be printed.',
    remedy:
      'Open the url in a browser outside your own network. Set `failOnHttpStatus: false` to print error pages too. Remove scripts and forms from `html` that reload the page or navigate while it loads.',
  },
  render_gate_failed: {
    title: 'The document is incomplete',
    meaning:
      'The document could be printed, but an option of the request rejects documents with such faults. `gate` names the option (failOnHttpStatus, failOnResourceError, failOnConsoleError, failOnWarning). `resources`, `messages` or `warnings` list the faults. Nothing was charged.',
    remedy: 'Correct the faults listed, or send the request without that option.',
  },
  wait_failed: {
    title: 'The wait script failed',
    meaning:
      'The script in `waitForFunction` threw an exception, or its promise was rejected. `detail` quotes the exception. Nothing was charged.',
    remedy:
      'Write a script that returns a falsy value until the document is ready, such as `document.querySelector("#chart")?.dataset.ready`.',
  },
  template_error: {
    title: 'The template cannot be rendered',
    meaning:
      'The template has an error, uses too many different paths, or takes too much time or memory to render. `line` and `column` give the place, counted from 1; `part` names the part with the error, if it is not in the template itself.',
    remedy: 'Correct the template at that place.',
  },
  data_invalid: {
    title: 'The data does not fit the template',
    meaning:
      'The `data` breaks the JSON Schema that the owner of the template stored with it. `errors` lists the wrong values: `path` as in other errors, and `pointer`, a JSON Pointer within `data`. Nothing was rendered or charged.',
    remedy: 'Correct the values listed, or change the schema of the template.',
  },
  template_limit: {
    title: 'Too many templates',
    meaning:
      'With this template, the key would have more templates, or a larger total size of templates, than the server allows. `limit` is the number of templates or of bytes.',
    remedy: 'Delete templates that you no longer need. The operator can raise PLATEN_MAX_TEMPLATES and PLATEN_MAX_TEMPLATES_MB.',
  },
  key_limit: {
    title: 'Too many keys',
    meaning:
      'With this key, the account would have more keys, or would have created more in one day, than allowed. `limit` is that number.',
    remedy: 'Revoke keys that you no longer need. The operator can make more with `platen keys create`.',
  },
  certificate_password_wrong: {
    title: 'The password does not open the certificate',
    meaning: 'The PKCS#12 file cannot be opened with the `password` that was sent. Nothing was stored.',
    remedy: 'Send the password with which the file was exported.',
  },
  certificate_unusable: {
    title: 'The certificate cannot be used',
    meaning:
      'The PKCS#12 file is damaged, contains no private key for its certificate, is protected in a way that is not supported, or its key may not sign documents: RSA keys have 2,048 to 8,192 bits, and elliptic curves are P-256, P-384 and P-521. Nothing was stored.',
    remedy: 'Export the certificate again as `detail` says, or use another one.',
  },
  certificate_expired: {
    title: 'The certificate is not valid at this time',
    meaning: 'The certificate has expired, or is not valid yet. Nothing was stored, rendered or charged.',
    remedy: 'Upload the certificate that replaces it, and name that one in `options.signature.certificate`.',
  },
  certificate_limit: {
    title: 'Too many certificates',
    meaning: 'With this certificate, the account would have more certificates than allowed. `limit` is that number.',
    remedy: 'Delete certificates that you no longer need.',
  },
  timestamps_unavailable: {
    title: 'The server has no time stamp authority',
    meaning:
      'The signature level needs a time stamp, and the operator has not set a time stamp authority. Nothing was rendered or charged.',
    remedy: 'Use the level B-B, or ask the operator to set PLATEN_TSA_URL.',
  },
  storage_unavailable: {
    title: 'The plan does not store documents',
    meaning: 'The plan of the account has a retention of zero. Nothing was rendered, stored or charged.',
    remedy: 'Send the request without `store: true` and keep the PDF from the reply, or ask the operator for another plan.',
  },
  storage_limit: {
    title: 'The plan stores no more documents',
    meaning:
      'With this document, the account would store more bytes than its plan allows. `limit` is that number, and `used` what is stored now. Nothing was stored or charged.',
    remedy:
      'Delete documents that you no longer need, or send the request with `store: false`. The operator can raise `storage_mb` of the plan.',
  },
  idempotency_mismatch: {
    title: 'The Idempotency-Key was used for another request',
    meaning: 'The same Idempotency-Key was sent with another method, URL or body in the last 24 hours.',
    remedy: 'Use a new Idempotency-Key for each different request.',
  },
  document_interferes: {
    title: 'The document interferes with the render',
    meaning:
      'A script of the document replaces built-in objects of JavaScript or of the browser, such as `Map`, `Math` or `Array.prototype`, so that the service gets no valid answer from the document. Old libraries and polyfills do that.',
    remedy:
      'Remove the script, or let it keep the built-in behaviour. If the document needs no scripts, send `javascript: false`.',
  },
  print_failed: {
    title: 'The document could not be printed',
    meaning:
      'The browser loaded the document but could not print it or make an image of it, for example because `pageRanges` names a page that does not exist, or `selector` matches nothing.',
    remedy: 'See `detail`; correct the options it names.',
  },
  not_conformant: {
    title: 'The document does not conform to the profile',
    meaning:
      'The document lacks something that `options.conformance` requires, such as the alternate text of an image. `violations` lists each with its rule, clause, message, selector, snippet and remedy. Nothing was charged or stored.',
    remedy: 'Correct the document as each `remedy` says. `conformance_report: true` gives the list without an error.',
  },
  invoice_invalid: {
    title: 'The XML is not an invoice of this profile',
    meaning:
      'The XML in `options.invoice` is not well-formed, is not a Cross Industry Invoice, or names the guideline of another profile. `found` is what it has, `expected` what `options.invoice.profile` requires. Nothing was charged or stored.',
    remedy: 'Correct the XML, or send the profile whose guideline it names.',
  },
  document_protected: {
    title: 'The document has a password',
    meaning: 'The document whose page was requested opens only with a password. The service does not keep passwords.',
    remedy: 'Download the document and open it with its password.',
  },
  pdf_unreadable: {
    title: 'The PDF cannot be read',
    meaning:
      'The file that was sent for validation, or the document whose page was requested, is not a PDF, is damaged, is protected by a password, is too large or too deeply nested, or compresses its objects with a filter other than FlateDecode.',
    remedy: 'Open it in a PDF reader. A standalone validator such as veraPDF can say more about such files.',
  },
  not_mergeable: {
    title: 'The documents cannot be merged',
    meaning:
      'None of the documents of the batch is still stored, or some have a password or a signature, which merging would break. `items` lists the protected ones by index and reference.',
    remedy: 'Download the documents as `.zip`, or one by one.',
  },
  page_crashed: {
    title: 'The document crashed its page',
    meaning: 'The page that rendered the document crashed twice. Other renders are not affected.',
    remedy: 'Simplify the document. If it still crashes, report the problem and attach the document.',
  },
  resource_limit: {
    title: 'The document exceeds a resource limit',
    meaning:
      'Rendering used more memory or network traffic than one render may use, or the PDF or the image grew too large; or the documents of a batch are too large to be merged (`limit` and `actual` in bytes).',
    remedy:
      'Simplify or split the document: a table of more than about 200 pages into several tables, or the document into the items of a batch, which can be merged. The operator can raise PLATEN_RENDERER_MEMORY_MB, PLATEN_RENDER_MAX_NETWORK_MB, PLATEN_RENDER_MAX_REQUESTS, PLATEN_MAX_PDF_BYTES and PLATEN_MAX_IMAGE_PIXELS.',
  },
  queue_full: {
    title: 'Too many renders are waiting',
    meaning:
      'The queue for renders, for the playground or for the Liquid templates of this account is full, or the account has 1,000 asynchronous renders that have not ended, or as many unfinished items of batches and asynchronous renders (`open_items`) as its plan allows (`limit`). Or the work ran for a long time while others waited, and was stopped to make room for them.',
    remedy:
      'Send the request again after the number of seconds in Retry-After. The operator can raise PLATEN_QUEUE_LIMIT, PLATEN_PLAYGROUND_CONCURRENCY, or `open_items` of the plan.',
  },
  rate_limited: {
    title: 'Too many requests',
    meaning:
      'The account sent more renders and template uploads in a minute than its plan allows, or one client IP address sent too many requests to the playground, in a minute or at the same time, or used more rendering time there. RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset give the details.',
    remedy: 'Send the request again after the number of seconds in Retry-After.',
  },
  concurrency_limited: {
    title: 'Too many renders at the same time',
    meaning:
      'The account has as many renders running as its plan allows, or the key has as many event streams and batch downloads open as one key may have.',
    remedy: 'Wait until one of them has ended, then send the next request.',
  },
  memory_limited: {
    title: 'Your requests use too much memory',
    meaning:
      'The requests of the account, or of the client IP address in the playground, use as much memory as they may. Request bodies, the data made from them and PDFs that have not been read yet count. Nothing was charged.',
    remedy:
      'Send the request again after the number of seconds in Retry-After. Send fewer large requests at the same time, and read replies as they arrive. The operator can raise PLATEN_REQUEST_MEMORY_MB.',
  },
  headers_too_large: {
    title: 'Request headers too large',
    meaning: 'The request line and headers are larger than the server accepts.',
    remedy: 'Send documents and data in the body, not in the URL or in headers.',
  },
  client_closed: {
    title: 'The client closed the connection',
    meaning:
      'The client closed the connection before it was answered, and the render was stopped. This code appears only in logs and metrics.',
    remedy: 'Wait longer than `options.timeout` for the reply.',
  },
  internal_error: {
    title: 'Internal error',
    meaning: 'The service failed. The request is not the cause.',
    remedy: 'Try again. If the error persists, report the `request_id` to the operator.',
  },
  not_implemented: {
    title: 'Not implemented',
    meaning: 'The request has a Transfer-Encoding other than `chunked`.',
    remedy: 'Send the body uncompressed, with `Transfer-Encoding: chunked` or with its Content-Length.',
  },
  browser_unavailable: {
    title: 'No browser available',
    meaning: 'The browser could not be started.',
    remedy: 'Try again after the number of seconds in Retry-After. Operators can find the reason with `platen doctor`.',
  },
  storage_failed: {
    title: 'The storage is not available',
    meaning:
      'The disk or the database of the service is full or failing. A request that fails for this reason before its work is done is not charged.',
    remedy: 'Try again after the number of seconds in Retry-After. Operators can find the reason in the log.',
  },
  secret_key_missing: {
    title: 'The secret key for certificates is missing',
    meaning:
      'Private keys are stored encrypted, and the secret key that encrypts them is not set, or is not the one with which the certificate was stored. Nothing was stored, rendered or charged.',
    remedy:
      'The operator can add the earlier key, as another line, to the file that PLATEN_SECRET_KEY_FILE names (without it, `secret.key` in the data folder) and restart the service.',
  },
  timestamp_failed: {
    title: 'The time stamp authority failed',
    meaning:
      'The signature needs a time stamp, and the authority that the operator has set could not be reached in time, refused the request, or sent a wrong time stamp. Nothing was stored or charged.',
    remedy: 'Try again after the number of seconds in Retry-After, or use the level B-B.',
  },
  revocation_failed: {
    title: 'The revocation status of a certificate is unknown',
    meaning:
      'The levels B-LT and B-LTA include revocation data from the issuers of certificates. The URLs in the certificate, or in that of the time stamp authority, could not be reached in time or are not allowed by the network policy, or their servers sent something else. Nothing was stored or charged.',
    remedy: 'Try again after the number of seconds in Retry-After, or use the level B-T.',
  },
  overloaded: {
    title: 'The server has no memory left for this request',
    meaning:
      'All requests together use nearly all the memory reserved for them, and this request needs more than is left. Nothing was charged.',
    remedy:
      'Send the request again after the number of seconds in Retry-After, or send a smaller one. The operator can raise PLATEN_REQUEST_MEMORY_MB.',
  },
  shutting_down: {
    title: 'The service is shutting down',
    meaning: 'The service completes the requests it has accepted and accepts no new ones.',
    remedy: 'Send the request to another instance, or again after the number of seconds in Retry-After.',
  },
  render_timeout: {
    title: 'The render took too long',
    meaning: 'The render did not finish within its timeout. `phase` is the phase it had reached: queue, load, print or finish.',
    remedy: 'Raise `options.timeout`, or simplify the document. The usual cause is a script that never ends.',
  },
  http_version_not_supported: {
    title: 'HTTP version not supported',
    meaning: 'The request line names no HTTP version, or a version other than 1.1 and 1.0.',
    remedy: 'Send the request as HTTP/1.1. A reverse proxy can translate HTTP/2 and HTTP/3.',
  },
} satisfies Readonly<Record<string, Explanation>>;
