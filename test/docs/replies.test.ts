/** The replies that the README and the guides show are those of the service: each example before one is run and compared. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readDocuments } from '../../tools/docs/documents.ts';
import { Client } from '../support/client.ts';
import type { SharedService } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import { pathWithCurlAndJq } from '../support/shell-path.ts';

const documents = await readDocuments();
const replies = documents.flatMap(({ path, blocks }) =>
  blocks.flatMap((block, index) =>
    block.isReply ? [[`${path}:${block.line}`, blocks[index - 1]?.text ?? '', block.text] as const] : [],
  ),
);

let service: SharedService;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  [service, folder] = await Promise.all([sharedService(), mkdtemp(join(tmpdir(), 'platen-replies-'))]);
  const { key } = await service.createKey('hundred');
  const client = new Client(service.url, key);
  await client.store({ html: '<p>An earlier document' }); // so that a list has a second page
  env = {
    PATH: await pathWithCurlAndJq(folder),
    API: `${service.url}/v1`,
    AUTH: `Authorization: Bearer ${key}`,
    JSON: 'Content-Type: application/json',
    DOCUMENT: (await client.store({ html: '<p>A document' })).document_id,
    TEMPLATE: (await client.template('<p>{{customer}}{{signature}}')).id,
  };
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(replies)('the reply at %s is that of the example before it', async (_place, command, shown) => {
  const { stdout } = await promisify(execFile)('bash', ['-c', `set -e -o pipefail\n${command}`], { cwd: folder, env });
  const expected = JSON.parse(shown);
  expect(shownPart(JSON.parse(stdout), expected)).toEqual(general(expected));
});

test('there are replies to the main examples', () => {
  expect(replies.length).toBeGreaterThanOrEqual(8);
});

/** Leaves out of `value` what `shown` leaves out: members, and the last elements of lists. */
function shownPart(value: unknown, shown: unknown): unknown {
  if (Array.isArray(shown) && Array.isArray(value)) return shown.map((each, index) => shownPart(value[index], each));
  if (!isObject(shown) || !isObject(value)) return general(value);
  return Object.fromEntries(Object.keys(shown).map((name) => [name, shownPart(value[name], shown[name])]));
}

/** Replaces what differs from one request to the next by its kind. */
function general(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(general);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, general(each)]));
  if (typeof value === 'number') return 'a number';
  return typeof value === 'string' ? VARIABLE.reduce((text, [part, kind]) => text.replace(part, kind), value) : value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const VARIABLE: Array<[part: RegExp, kind: string]> = [
  [/\b(doc|tpl|bat|ren)_[0-9A-Za-z]{22}\b/g, '$1_ID'],
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, 'TIME'],
  [/^http:\/\/127\.0\.0\.1:\d+/, 'ORIGIN'],
  [/expires=\d+/, 'expires=SECONDS'],
  [/signature=[\w-]{43}$/, 'signature=HMAC'],
  [/^[0-9a-f]{64}$/, 'SHA256'],
  [/^[\w-]{40,}$/, 'CURSOR'],
  [/^queued$|^running$/, 'under way'],
  [/^free$|^hundred$/, 'PLAN'],
];
