/**
 * Each example of the README and the guides that prints a reply of the API is followed by it: the example is run, and the
 * shown reply is compared with the real one. Replies that other documents show are compared, too.
 */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Block, readDocuments } from '../../tools/docs/documents.ts';
import { Client } from '../support/client.ts';
import { makeFolder } from '../support/close-after-all.ts';
import { PIXEL } from '../support/pixel.ts';
import { sharedService } from '../support/shared-service.ts';
import { pathWithCurlAndJq } from '../support/shell-path.ts';

interface Example {
  path: string;
  line: number;
  commands: string;
  /** The block after the commands, if it shows a reply. */
  shown: Block | undefined;
}

const documents = await readDocuments();
const examples = documents.flatMap(({ path, blocks }) => blocks.flatMap((_block, index) => exampleAt(path, blocks, index)));
const byDocument = Object.entries(Object.groupBy(examples, ({ path }) => path));

const [service, folder] = await Promise.all([sharedService(), makeFolder('replies')]);
await Promise.all([
  writeFile(join(folder, 'hello.pdf'), Buffer.from(await (await service.pdf({ html: '<h1>Hello, paper</h1>' })).arrayBuffer())),
  writeFile(join(folder, 'invoice.html'), '<link rel=stylesheet href=css/print.css><img src=logo.png>'),
  writeFile(join(folder, 'logo.png'), PIXEL),
  writeFile(join(folder, 'print.css'), 'h1 { color: navy }'),
]);

describe.each(byDocument)('%s', (_path, inDocument = []) => {
  let env: Record<string, string>;

  beforeAll(async () => {
    env = await environment();
  });

  test.each(inDocument.map((example) => [example.line, example] as const))(
    'the reply to the example at line %i is shown',
    async (_line, { commands, shown }) => {
      const { stdout } = await promisify(execFile)('bash', ['-c', withVariables(commands)], { cwd: folder, env });
      expect(shown !== undefined, `shows a reply; the real one is:\n${stdout}`).toBe(stdout !== '');
      if (!shown) return; // such as that to DELETE
      const expected = readReply(shown.text);
      expect(shownPart(readReply(stdout), expected)).toEqual(general(expected));
    },
  );
});

test('there are many examples, and each shown reply follows one', () => {
  expect(examples.length).toBeGreaterThan(25);
  const replies = documents.flatMap(({ blocks }) => blocks.filter(({ isReply }) => isReply));
  expect(replies).toEqual(examples.flatMap(({ shown }) => shown ?? []));
});

/** Returns the example that begins with this block, unless it prints no reply or need not show it. */
function exampleAt(path: string, blocks: Block[], index: number): Example[] {
  const [block, next] = [blocks[index], blocks[index + 1]];
  if (block?.language !== 'sh' || !printsReply(block.text)) return [];
  const shown = next?.isReply ? next : undefined;
  const mustShow = path === 'README.md' || path.startsWith('docs/guide/');
  return mustShow || shown ? [{ path, line: block.line, commands: block.text, shown }] : [];
}

/** Returns whether one of the commands calls the API and neither writes the reply to a file nor passes it to jq. */
function printsReply(commands: string): boolean {
  const withoutBodies = commands.replaceAll('\\\n', ' ').replaceAll(/'[^']*'/g, "''");
  return withoutBodies.split('\n').some((line) => line.includes('$API/') && !/ -o |\| jq | > /.test(line));
}

/** Returns the variables of the README on a new account, which has two documents. */
async function environment(): Promise<Record<string, string>> {
  const { key } = await service.createKey('hundred');
  const client = new Client(service.url, key);
  const items = ['a', 'b'].map((reference) => ({ html: '<p>A document', filename: 'kept.pdf', reference }));
  const reply = await client.send('POST', '/v1/batches', { items }, { prefer: 'wait=30' });
  const batch = (await reply.json()) as { id: string; items: [{ document_id: string }] };
  return {
    PATH: await pathWithCurlAndJq(folder),
    API: `${service.url}/v1`,
    AUTH: `Authorization: Bearer ${key}`,
    JSON: 'Content-Type: application/json',
    BATCH: batch.id,
    DOCUMENT: batch.items[0].document_id,
    TEMPLATE: (await client.template('<p>{{number}}{{items}}')).id,
    VARIABLES: join(folder, `variables-${batch.id}`),
  };
}

/** Adds to the commands that they begin with the variables that the earlier examples of the document have set. */
function withVariables(commands: string): string {
  return `set -e -a -o pipefail\n[ ! -e "$VARIABLES" ] || . "$VARIABLES"\n${commands}\nexport -p > "$VARIABLES"`;
}

/** Reads JSON, or the server-sent events of a stream without its comments. */
function readReply(text: string): unknown {
  if (!text.includes('\ndata: ')) return JSON.parse(text);
  const events = text.split('\n\n').map((event) => event.split('\n').map((line) => line.split(/: (.*)/).slice(0, 2)));
  return events
    .map((fields) => Object.fromEntries(fields))
    .filter(({ data }) => data !== undefined)
    .map((event) => ({ ...event, data: JSON.parse(event.data) }));
}

/** Leaves out of `value` what `shown` leaves out: members, the last elements of lists, and what `…` stands for. */
function shownPart(value: unknown, shown: unknown): unknown {
  if (Array.isArray(shown) && Array.isArray(value)) return shown.map((each, index) => shownPart(value[index], each));
  if (isObject(shown) && isObject(value))
    return Object.fromEntries(Object.keys(shown).map((name) => [name, shownPart(value[name], shown[name])]));
  const [whole, expected] = [general(value), general(shown)];
  if (typeof whole !== 'string' || typeof expected !== 'string' || !expected.endsWith('…')) return whole;
  const actual = whole === 'CURSOR' ? String(value) : whole; // content whose beginning is shown
  return `${actual.slice(0, expected.length - 1)}…`;
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
  [/\b(acc|bat|doc|key|ren|req|tpl)_[0-9A-Za-z]{22}\b/g, '$1_ID'],
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, 'TIME'],
  [/^http:\/\/127\.0\.0\.1:\d+/, 'ORIGIN'],
  [/expires=\d+/, 'expires=SECONDS'],
  [/signature=[\w-]{43}$/, 'signature=HMAC'],
  [/^[0-9a-f]{64}$/, 'SHA256'],
  [/^(plt_test_|plt_|whsec_)[\w+/]{30,}=?$/, '$1SECRET'],
  [/^[\w-]{40,}$/, 'CURSOR'],
  [/^queued$|^running$/, 'under way'],
  [/^free$|^hundred$/, 'PLAN'],
];
