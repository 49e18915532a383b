/**
 * Writes the render as code that can be pasted and run. The body is JSON, which every language here can contain unchanged,
 * once the few characters that would end its literal are escaped in JSON.
 */

type Members = Record<string, unknown>;

interface Beside {
  assets?: Members;
  options?: Members;
}

/** The body of `POST /v1/pdf`, or that of the playground with a template that is not stored. */
export type SnippetBody =
  | ({ html: string } & Beside)
  | ({ markdown: string } & Beside)
  | ({ url: string } & Beside)
  | ({ template_id: string; data?: Members } & Beside)
  | UnsavedBody;

export interface UnsavedBody extends Beside {
  template: string;
  engine: string;
  data: Members;
}

export interface Snippet {
  name: string;
  language: string;
  /** The command that runs the code. */
  use: string;
  write(base: string, body: SnippetBody): string;
}

export const SNIPPETS: [Snippet, ...Snippet[]] = [
  {
    name: 'client-ts',
    language: 'TypeScript client',
    use: 'Save it as render.mjs and run it with node. It needs platen-client, which is in clients/typescript.',
    write: typeScriptClient,
  },
  {
    name: 'client-py',
    language: 'Python client',
    use: 'Save it as render.py and run it with python3. It needs platen-client, which is in clients/python.',
    write: pythonClient,
  },
  { name: 'curl', language: 'curl', use: 'Paste it into a shell.', write: curl },
  { name: 'javascript', language: 'JavaScript', use: 'Save it as render.mjs and run it with node.', write: javaScript },
  {
    name: 'python',
    language: 'Python',
    use: 'Save it as render.py and run it with python3. It needs only the standard library.',
    write: python,
  },
  { name: 'php', language: 'PHP', use: 'Save it as render.php and run it with php. It needs the curl extension.', write: php },
];

const NAME = 'playground';

/** A template is stored first, because POST /v1/pdf takes one by its id, and deleted at the end, so that trying leaves nothing. */
function splitTemplate(body: SnippetBody): { template: object; rest: object } | undefined {
  if (!('template' in body)) return undefined;
  const { template, engine, assets, ...rest } = body;
  return { template: { name: NAME, engine, html: template, assets }, rest };
}

/** Returns JSON that is valid between single quotes in a shell, in a raw string of Python and in a nowdoc of PHP. */
function json(value: object): string {
  return JSON.stringify(value, null, 2)
    .replaceAll("'", '\\u0027')
    .replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function typeScriptClient(base: string, body: SnippetBody): string {
  const parts = splitTemplate(body);
  return `import { Platen } from 'platen-client';

const platen = new Platen({ key: process.env.PLATEN_API_KEY, baseUrl: ${literal(base)} });
${
  parts
    ? `
const { template_id } = await platen.templates.create(${literal(parts.template)});
try {
  // Once the template is stored, this is all it takes:
  const pdf = await platen.pdf({ template_id, ...${literal(parts.rest)} });
  await pdf.toFile('document.pdf');
} finally {
  await platen.templates.delete(template_id); // without this line, the template stays
}
`
    : `
const pdf = await platen.pdf(${literal(body)});
await pdf.toFile('document.pdf');
`
}`;
}

function pythonClient(base: string, body: SnippetBody): string {
  const parts = splitTemplate(body);
  return `import json
import os

from platen import Platen

with Platen(os.environ["PLATEN_API_KEY"], ${JSON.stringify(base)}) as platen:
${
  parts
    ? `    stored = platen.templates.create(json.loads(r'''${json(parts.template)}'''))
    try:
        # Once the template is stored, this is all it takes:
        body = json.loads(r'''${json(parts.rest)}''')
        pdf = platen.pdf({**body, "template_id": stored["template_id"]})
        pdf.to_file("document.pdf")
    finally:
        platen.templates.delete(stored["template_id"])  # without this line, the template stays
`
    : `    pdf = platen.pdf(json.loads(r'''${json(body)}'''))
    pdf.to_file("document.pdf")
`
}`;
}

function curl(base: string, body: SnippetBody): string {
  const parts = splitTemplate(body);
  const key = '-H "Authorization: Bearer $PLATEN_API_KEY"';
  const post = (path: string) => `curl -sS --fail-with-body '${base}${path}' \\\n  ${key} -H 'Content-Type: application/json'`;
  if (!parts) return `printf %s '${json(body)}' |\n${post('/v1/pdf')} --data-binary @- -o document.pdf\n`;
  return [
    `TEMPLATE_ID=$(printf %s '${json(parts.template)}' |\n${post('/v1/templates')} --data-binary @- |\n  grep -o 'tpl_[0-9A-Za-z]*' | head -n 1)\n`,
    '# Once the template is stored, this is all it takes:',
    `printf '{"template_id": "%s", %s' "$TEMPLATE_ID" '${json(parts.rest).slice(1).trimStart()}' |\n${post('/v1/pdf')} --data-binary @- -o document.pdf\n`,
    '# Without this line, the template stays:',
    `curl -sS -X DELETE "${base}/v1/templates/$TEMPLATE_ID" \\\n  ${key}\n`,
  ].join('\n');
}

function javaScript(base: string, body: SnippetBody): string {
  const parts = splitTemplate(body);
  return `import { writeFile } from 'node:fs/promises';

async function send(method, path, body) {
  const response = await fetch(${literal(base)} + path, {
    method,
    headers: { Authorization: \`Bearer \${process.env.PLATEN_API_KEY}\`, ...(body && { 'Content-Type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response;
}
${
  parts
    ? `
const stored = await send('POST', '/v1/templates', ${literal(parts.template)});
const { template_id } = await stored.json();
try {
  // Once the template is stored, this is all it takes:
  const reply = await send('POST', '/v1/pdf', { template_id, ...${literal(parts.rest)} });
  await writeFile('document.pdf', Buffer.from(await reply.arrayBuffer()));
} finally {
  await send('DELETE', '/v1/templates/' + template_id); // without this line, the template stays
}
`
    : `
const reply = await send('POST', '/v1/pdf', ${literal(body)});
await writeFile('document.pdf', Buffer.from(await reply.arrayBuffer()));
`
}`;
}

/** JSON is valid JavaScript, except for the name `__proto__`. The text cannot end a script element of HTML either. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replace(/^( *)"__proto__":/gm, '$1["__proto__"]:')
    .replaceAll('</', '<\\/')
    .replaceAll('<!--', '<\\u0021--')
    .replace(/[\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16)}`);
}

function python(base: string, body: SnippetBody): string {
  const parts = splitTemplate(body);
  return `import json
import os
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def send(method, path, body=None):
    headers = {"Authorization": "Bearer " + os.environ["PLATEN_API_KEY"], "Content-Type": "application/json"}
    data = json.dumps({} if body is None else body).encode()
    try:
        return urlopen(Request(${JSON.stringify(base)} + path, data, headers, method=method)).read()
    except HTTPError as error:
        sys.exit(error.read().decode())

${
  parts
    ? `
template = json.loads(r'''${json(parts.template)}''')
stored = json.loads(send("POST", "/v1/templates", template))

try:
    # Once the template is stored, this is all it takes:
    body = json.loads(r'''${json(parts.rest)}''')
    body["template_id"] = stored["template_id"]
    pdf = send("POST", "/v1/pdf", body)
finally:
    send("DELETE", "/v1/templates/" + stored["template_id"])  # without this line, the template stays
`
    : `
body = json.loads(r'''${json(body)}''')
pdf = send("POST", "/v1/pdf", body)
`
}with open("document.pdf", "wb") as file:
    file.write(pdf)
`;
}

function php(base: string, body: SnippetBody): string {
  const parts = splitTemplate(body);
  return `<?php
function send(string $method, string $path, string $json = '{}'): string {
    $call = curl_init('${base}' . $path);
    curl_setopt_array($call, [
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_POSTFIELDS => $json,
        CURLOPT_HTTPHEADER => ['Authorization: Bearer ' . getenv('PLATEN_API_KEY'), 'Content-Type: application/json'],
        CURLOPT_RETURNTRANSFER => true,
    ]);
    $reply = curl_exec($call);
    if (!in_array(curl_getinfo($call, CURLINFO_RESPONSE_CODE), [200, 201, 204])) {
        throw new RuntimeException($reply ?: curl_error($call));
    }
    return $reply;
}
${
  parts
    ? `
$stored = json_decode(send('POST', '/v1/templates', ${nowdoc(json(parts.template))}));
try {
    // Once the template is stored, this is all it takes:
    $body = json_decode(${nowdoc(json(parts.rest))});
    $body->template_id = $stored->template_id;
    file_put_contents('document.pdf', send('POST', '/v1/pdf', json_encode($body)));
} finally {
    send('DELETE', '/v1/templates/' . $stored->template_id); // without this line, the template stays
}
`
    : `
file_put_contents('document.pdf', send('POST', '/v1/pdf', ${nowdoc(json(body))}));
`
}`;
}

/** No line of JSON begins with the end mark of the nowdoc. */
function nowdoc(text: string): string {
  return `<<<'JSON'\n${text}\nJSON`;
}
