/** Renders a document from JSON and one from a raw body, lists documents and reads an error, with openapi-fetch and types of openapi-typescript. */
import { writeFile } from 'node:fs/promises';
import createClient from 'openapi-fetch';
import type { paths } from './platen.js';

const { PLATEN_KEY: key = '', PLATEN_URL: baseUrl = '' } = process.env;
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });

const fromJson = await client.POST('/v1/pdf', {
  body: { html: '<h1>From JSON</h1>', options: { format: 'A5' } },
  parseAs: 'arrayBuffer',
});
await save('json.pdf', fromJson.data);

const fromText = await client.POST('/v1/pdf', {
  params: { query: { format: 'A6', landscape: true } },
  headers: { 'content-type': 'text/html' },
  body: '<h1>From text</h1>',
  bodySerializer: (body) => body,
  parseAs: 'arrayBuffer',
});
await save('text.pdf', fromText.data);

const stored = await client.POST('/v1/pdf', { body: { html: '<p>Kept', store: true, metadata: { order: '7' } } });
const { data: list } = await client.GET('/v1/documents', { params: { query: { limit: 1, metadata: { order: '7' } } } });
const { error } = await client.GET('/v1/documents/{id}', { params: { path: { id: 'doc_0' } } });
await writeFile('result.json', JSON.stringify({ status: stored.response.status, listed: list?.data.length, code: error?.code }));

async function save(path: string, data: unknown): Promise<void> {
  await writeFile(path, new Uint8Array(data as ArrayBuffer));
}
