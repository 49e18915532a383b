"""What schemathesis has to know of the service beyond its OpenAPI document."""

import json
import os
import re
from itertools import count

import jsonschema
import schemathesis

# Rules that a JSON Schema cannot express, for one member or for several. Every other refusal of a valid request is a finding.
BEYOND_A_SCHEMA = [
    r": (cannot be combined with|cannot be false with|cannot have both|requires|is required unless|must contain) ",
    r": (is also the name|is the path) of another ",
    r": leaves no room between ",
    r": is required: options\.width and options\.height go together$",
    r"\.permissions: have no effect if .* are the same",
    r"\.conformance: must name at most one profile of PDF/A and one of PDF/UA$",
    r": must (be|have) at most .* on this server",
    r": contains (a NUL|half)",
    r"^cursor: must be the next_cursor of an earlier page$",
    r"^(last_event_id|Last-Event-ID): must be the id of an event of this batch$",
    r"^width: must be at most .* for this page",
    r"^month: must be this month or an earlier one$",
    r"^profile: (must be one of|is required)",
    r"^(assets\.|files: ).*: (must be a relative path|there is no such field)",
    r"(^|\.)filename: must be a name without ",
    r"\.attachments\[\d+\]\.name: must be the name of a file, ",
    r"(^|\.)metadata(\.|\[).*(: must have a name of |: cannot be the name of metadata|: there is no such field)",
    r"([uU]rl|deliver_to): must be a URL ",
    r"\.metadata\.(creationDate|modDate): must be a time ",  # of the year 0
    r"password(\.user|\.owner)?: (must have at (most|least) |must not mix letters |contains characters that Unicode )",
    r"\.watermark\.image: must be a PNG, JPEG, GIF, WebP or SVG image, ",
    r"^deliver_to\.headers: must have valid HTTP header names",
    r"^deliver_to\.headers\.[^:]*: (cannot be set: |must be a string of .* printable ASCII)",
    r"\.extraHTTPHeaders\..*: (is not a valid header name|cannot be set: |must contain no line breaks)",
    r"\.conformance: cannot name PDF/UA-",
    r"\.baseUrl: must not contain a name and password",
    r": the range .* ends before it starts$",
    r"\.signature\.field\.(x|y|width|height): must be from ",
    r"\.conformance: must be a profile of PDF/A-3 with options\.invoice",
    r"\.(width|height): must be from 1px to 200in$",
    r"\.waitForSelector: is not a CSS selector ",
    r"\.waitForFunction: is not a JavaScript expression: ",
    r"\.timezone: must be a time zone ",
    r"\.locale: must be a language tag ",
]
# Operations that accept a raw document or a form as their body.
OF_SOURCES = ("/v1/pdf", "/v1/image")
# Options that wait for something that never happens in a generated document.
WAITS = ("waitForFunction", "waitForSelector", "waitForTimeout")
LONGEST_WAIT_MS = 1_000
EVENTS = "/v1/batches/{id}/events"
LINES = "application/x-ndjson"
# The ids of existing objects by parameter. They are never deleted.
EXAMPLES = json.loads(os.environ["PLATEN_EXAMPLES"])


@schemathesis.hook
def before_load_schema(context, raw_schema):
    components = raw_schema["components"]
    for name in _sent(raw_schema):
        components["schemas"][name] = _allow_null(components["schemas"][name])
    headers = components["schemas"]["UploadTarget"]["properties"]["headers"]["anyOf"][0]
    headers["additionalProperties"] = _or_null(headers["additionalProperties"])
    for name, value in EXAMPLES["components"].items():
        components["parameters"][name]["example"] = value
    for path, values in EXAMPLES["paths"].items():
        for parameter in raw_schema["paths"][path]["get"]["parameters"]:
            if parameter.get("name") in values:
                parameter["example"] = values[parameter["name"]]


def _allow_null(schema):
    """Optional members may be null, which means that they are absent: the document says so once, and not at each of them."""
    if isinstance(schema, list):
        return [_allow_null(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    rest = {name: _allow_null(value) for name, value in schema.items()}
    required = schema.get("required", [])
    if isinstance(schema.get("properties"), dict):
        rest["properties"] = {
            name: member if name in required else _or_null(member)
            for name, member in rest["properties"].items()
        }
    return rest


def _or_null(schema):
    return {"anyOf": [schema, {"type": "null"}]}


def _sent(document):
    """Names of the components that are part of JSON bodies of requests."""
    found, queue = set(), []
    for methods in document["paths"].values():
        for operation in methods.values():
            content = operation.get("requestBody", {}).get("content", {})
            queue.append(content.get("application/json"))
    while queue:
        for name in re.findall(r"#/components/schemas/(\w+)", str(queue.pop())):
            if name not in found:
                found.add(name)
                queue.append(document["components"]["schemas"][name])
    return found


@schemathesis.hook
def filter_case(context, case):
    """Neither the key of this run nor an example is removed or changed."""
    kept = {*EXAMPLES["components"].values(), os.environ["PLATEN_KEY_ID"]}
    removes = case.method == "DELETE" or case.path.endswith("/rotate")
    return not (removes and (case.path_parameters or {}).get("id") in kept)


@schemathesis.hook
def map_case(context, case):
    """Options are parameters where the body is the document itself, a wait is short, and events come in both forms."""
    if case.path in OF_SOURCES and not _is_document(case):
        case.query = {}
    options = _options(case)
    if _waits(options) and _is_longer(options.get("timeout")):
        options["timeout"] = LONGEST_WAIT_MS
    if case.path == EVENTS and case.meta is not None and case.meta.generation.mode.is_positive:
        case.path_parameters = {"id": EXAMPLES["components"]["BatchIdParam"]}
        case.headers = {**(case.headers or {}), **({"Accept": LINES} if next(TURNS) % 2 else {})}
    return case


TURNS = count()


def _options(case):
    """Those of a render, as an object that can be changed; empty where there are none."""
    if case.path in OF_SOURCES and _is_document(case):
        return case.query or {}
    body = case.body if isinstance(case.body, dict) else {}
    request = body.get("request", body)
    options = request.get("options") if isinstance(request, dict) else None
    return options if isinstance(options, dict) else {}


def _waits(options):
    return any(options.get(name) is not None for name in WAITS)


def _is_longer(timeout):
    return timeout is None or (isinstance(timeout, int) and timeout > LONGEST_WAIT_MS)


def _is_document(case):
    return str(case.media_type).startswith("text/")


def _is_beyond_a_schema(problem, case):
    if case.path in OF_SOURCES and _is_document(case) and case.query:
        return True  # what a parameter may be is said of the member of the JSON body
    if case.path in OF_SOURCES and case.media_type == "multipart/form-data":
        return True  # its parts are texts, of options too
    faults = [f"{fault['path']}: {fault['message']}" for fault in problem.get("errors", [])]
    return bool(faults) and all(any(re.search(rule, fault, re.DOTALL) for rule in BEYOND_A_SCHEMA) for fault in faults)


@schemathesis.check
def valid_requests_are_accepted(context, response, case):
    """In place of `positive_data_acceptance`, which knows statuses alone."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code != 400:
        return
    if not _is_beyond_a_schema(response.json(), case):
        raise AssertionError(f"a valid request was refused: {response.text}")


@schemathesis.check
def timeouts_have_a_cause(context, response, case):
    """A render may run out of time only where the request waits for something, or allows very little."""
    if response.status_code != 504:
        return
    options = _options(case)
    problem = response.json()
    if problem.get("code") != "render_timeout" or not (_waits(options) or not _is_longer(options.get("timeout"))):
        raise AssertionError(f"a render ran out of time that waits for nothing: {response.text}")


@schemathesis.check
def events_conform(context, response, case):
    """In place of `response_schema_conformance` for a stream: each event is what the document says of one."""
    if case.path != EVENTS or response.status_code != 200:
        return
    is_lines = LINES in str(response.headers["content-type"])
    events = [json.loads(line) for line in response.text.splitlines()] if is_lines else _server_sent(response.text)
    schema = {"$ref": "#/components/schemas/BatchEvent", "components": case.operation.schema.raw_schema["components"]}
    for event in events:
        jsonschema.Draft202012Validator(schema).validate(event)
    if not events or events[-1]["event"] != "batch":
        raise AssertionError(f"the events do not end with that of the batch: {response.text}")


def _server_sent(text):
    blocks = [dict(line.split(": ", 1) for line in block.splitlines() if ": " in line) for block in text.split("\n\n")]
    return [
        {"event": block["event"], "id": int(block["id"]), "data": json.loads(block["data"])}
        for block in blocks
        if "event" in block
    ]
