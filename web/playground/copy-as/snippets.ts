/**
 * Writes the render as code that can be pasted and run. The body is JSON, which every language here can contain unchanged,
 * once the few characters that would end its literal are escaped in JSON.
 */
import type { RenderBody } from '../render-body.ts';

export interface Snippet {
  language: string;
  /** The command that runs the code. */
  use: string;
  write(base: string, body: RenderBody): string;
}

export const SNIPPETS: Snippet[] = [
  { language: 'curl', use: 'Paste it into a shell.', write: curl },
  { language: 'JavaScript', use: 'Save it as render.mjs and run it with node.', write: javaScript },
  {
    language: 'Python',
    use: 'Save it as render.py and run it with python3. It needs only the standard library.',
    write: python,
  },
  { language: 'PHP', use: 'Save it as render.php and run it with php. It needs the curl extension.', write: php },
];

const NAME = 'playground';

/** A template is stored first, because POST /v1/pdf takes one by its id. */
function splitTemplate(body: RenderBody): { template: object; rest: object } | undefined {
  if (!('template' in body)) return undefined;
  const { template, engine, ...rest } = body;
  return { template: { name: NAME, engine, html: template }, rest };
}

/** Returns JSON that is valid between single quotes in a shell, in a raw string of Python and in a nowdoc of PHP. */
function json(value: object): string {
  return JSON.stringify(value, null, 2)
    .replaceAll("'", '\\u0027')
    .replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function curl(base: string, body: RenderBody): string {
  const parts = splitTemplate(body);
  const post = (path: string) =>
    `curl -sS --fail-with-body '${base}${path}' \\\n  -H "Authorization: Bearer $PLATEN_API_KEY" -H 'Content-Type: application/json'`;
  if (!parts) return `printf %s '${json(body)}' |\n${post('/v1/pdf')} --data-binary @- -o document.pdf\n`;
  return [
    `TEMPLATE_ID=$(printf %s '${json(parts.template)}' |\n${post('/v1/templates')} --data-binary @- |\n  grep -o 'tpl_[0-9A-Za-z]*' | head -n 1)\n`,
    '# Once the template is stored, this is all it takes:',
    `printf '{"template_id": "%s", %s' "$TEMPLATE_ID" '${json(parts.rest).slice(1).trimStart()}' |\n${post('/v1/pdf')} --data-binary @- -o document.pdf\n`,
  ].join('\n');
}

function javaScript(base: string, body: RenderBody): string {
  const parts = splitTemplate(body);
  return `import { writeFile } from 'node:fs/promises';

async function post(path, body) {
  const response = await fetch(${literal(base)} + path, {
    method: 'POST',
    headers: { Authorization: \`Bearer \${process.env.PLATEN_API_KEY}\`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response;
}
${
  parts
    ? `
const stored = await post('/v1/templates', ${literal(parts.template)});
const { template_id } = await stored.json();

// Once the template is stored, this is all it takes:
const reply = await post('/v1/pdf', { template_id, ...${literal(parts.rest)} });
`
    : `
const reply = await post('/v1/pdf', ${literal(body)});
`
}await writeFile('document.pdf', Buffer.from(await reply.arrayBuffer()));
`;
}

/** JSON is valid JavaScript, except for the name `__proto__`. The text cannot end a script element of HTML either. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replace(/^( *)"__proto__":/gm, '$1["__proto__"]:')
    .replaceAll('</', '<\\/')
    .replaceAll('<!--', '<\\u0021--')
    .replace(/[\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16)}`);
}

function python(base: string, body: RenderBody): string {
  const parts = splitTemplate(body);
  return `import json
import os
from urllib.request import Request, urlopen


def post(path, body):
    headers = {"Authorization": "Bearer " + os.environ["PLATEN_API_KEY"], "Content-Type": "application/json"}
    request = Request(${JSON.stringify(base)} + path, json.dumps(body).encode(), headers)
    return urlopen(request).read()

${
  parts
    ? `
template = json.loads(r'''${json(parts.template)}''')
stored = json.loads(post("/v1/templates", template))

# Once the template is stored, this is all it takes:
body = json.loads(r'''${json(parts.rest)}''')
body["template_id"] = stored["template_id"]
`
    : `
body = json.loads(r'''${json(body)}''')
`
}with open("document.pdf", "wb") as file:
    file.write(post("/v1/pdf", body))
`;
}

function php(base: string, body: RenderBody): string {
  const parts = splitTemplate(body);
  return `<?php
function post(string $path, string $json): string {
    $call = curl_init('${base}' . $path);
    curl_setopt_array($call, [
        CURLOPT_POSTFIELDS => $json,
        CURLOPT_HTTPHEADER => ['Authorization: Bearer ' . getenv('PLATEN_API_KEY'), 'Content-Type: application/json'],
        CURLOPT_RETURNTRANSFER => true,
    ]);
    $reply = curl_exec($call);
    if (curl_getinfo($call, CURLINFO_RESPONSE_CODE) !== 200 && curl_getinfo($call, CURLINFO_RESPONSE_CODE) !== 201) {
        throw new RuntimeException($reply ?: curl_error($call));
    }
    return $reply;
}
${
  parts
    ? `
$stored = json_decode(post('/v1/templates', ${nowdoc(json(parts.template))}));

// Once the template is stored, this is all it takes:
$body = json_decode(${nowdoc(json(parts.rest))});
$body->template_id = $stored->template_id;
file_put_contents('document.pdf', post('/v1/pdf', json_encode($body)));
`
    : `
file_put_contents('document.pdf', post('/v1/pdf', ${nowdoc(json(body))}));
`
}`;
}

/** No line of JSON begins with the end mark of the nowdoc. */
function nowdoc(text: string): string {
  return `<<<'JSON'\n${text}\nJSON`;
}
