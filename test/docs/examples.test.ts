/** The examples in documents are valid: bodies that curl sends, JSON, plans and names of settings. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { parseBatchRequest, parseItem } from '../../src/batches/batch-request.ts';
import { describeSettings } from '../../src/config.ts';
import { parseRenderRequest } from '../../src/render/request/render-request.ts';
import { parseUploadTarget } from '../../src/webhooks/upload-target.ts';
import { type Block, readDocuments } from '../../tools/docs/documents.ts';

const LIMITS = { renderTimeoutMs: 30_000, maxRenderTimeoutMs: 120_000, maxAssets: 10, maxAssetsBytes: 1_000_000 };

const documents = (await readDocuments()).filter(({ path }) => path !== 'CHANGELOG.md');
const blocks = documents.flatMap(({ path, blocks }) => blocks.map((block) => [`${path}:${block.line}`, block] as const));
const blocksIn = (language: string) => blocks.filter(([, block]) => block.language === language);

test.each(blocksIn('sh'))('the commands at %s are valid, and so are the bodies that curl sends', (_place, { text }) => {
  execFileSync('bash', ['-n'], { input: text });
  for (const { target, body } of bodiesOf(text)) checkBody(target, body);
});

const guides = documents.filter(({ path }) => path.startsWith('docs/guide/') || path === 'README.md');

test.each(guides.map(({ path, blocks }) => [path, blocks] as const))(
  '%s sets each shell variable before its first use',
  (path, blocks) => {
    const before = path === 'README.md' ? [] : (documents.find((each) => each.path === 'README.md')?.blocks ?? []);
    const set = new Set<string | undefined>();
    for (const { text, line } of [...before, ...blocks].filter(({ language }) => language === 'sh')) {
      for (const [, assigned, used] of text.matchAll(/\b([A-Z_][A-Z0-9_]*)=|\$\{?([A-Z_][A-Z0-9_]*)/g)) {
        if (assigned) set.add(assigned);
        else expect(set, `line ${line}`).toContain(used);
      }
    }
  },
);

test.each(blocksIn('json'))('the JSON at %s is valid', (_place, { text, isReply }) => {
  const value = JSON.parse(text);
  if (!isReply && isRenderBody(value)) parseRenderRequest(value, LIMITS);
});

test.each(blocks.filter(([, { text }]) => text.includes('PLATEN_')))(
  'the example at %s names settings that exist',
  (_place, { text }) => {
    expect(unknownSettings(text)).toEqual([]);
  },
);

test.each(documents.map(({ path, prose }) => [path, prose] as const))(
  'the text of %s names settings that exist',
  (_path, prose) => {
    expect(unknownSettings(prose)).toEqual([]);
  },
);

/** Ignores names that end in an underscore or an asterisk, which stand for several settings. */
function unknownSettings(text: string): string[] {
  const known = new Set([...describeSettings().map(({ env }) => env), ...OF_TESTS]);
  return [...new Set([...text.matchAll(/PLATEN_[A-Z_]*[A-Z](?!_?\*|_?[A-Z_])/g)].map(([name]) => name))].filter(
    (name) => !known.has(name),
  );
}

const OF_TESTS = [
  'PLATEN_BENCH_PARTS',
  'PLATEN_TEST_BROWSER',
  'PLATEN_UPDATE_REFERENCES',
  'PLATEN_TEST_CRASH_ROUNDS',
  'PLATEN_TEST_CHAOS',
  'PLATEN_TEST_POSTGRES_BIN',
  'PLATEN_TEST_CPU',
  'PLATEN_TEST_SWEEP',
  'PLATEN_TEST_SWEEP_REDACTION',
];

interface SentBody {
  target: string;
  body: unknown;
}

/** Returns the bodies of `curl $API/pdf ... -d '{...}'`. A body may contain the value of a variable: `'"$TEMPLATE"'`. */
function bodiesOf(text: string): SentBody[] {
  const commands = text.replaceAll(/\\\n/g, ' ').split(/(?=curl )/);
  return commands.flatMap((command) => {
    const [, target = ''] = /(?:\$API|\/v1)\/([a-z]+[^\s"]*)/.exec(command) ?? [];
    const [, body] = /(?:-d|--data-binary) '((?:[^']|'"?\$[A-Z]+"?')*)'/.exec(command) ?? [];
    return body === undefined
      ? []
      : [{ target, body: JSON.parse(body.replaceAll(/'"?\$[A-Z]+"?'/g, 'tpl_0123456789ABCDEFGHIJKL')) }];
  });
}

function checkBody(target: string, body: unknown): void {
  const { webhook_url: _, deliver_to: deliverTo, ...render } = Object(body); // only for asynchronous renders
  if (target === 'pdf') parseRenderRequest(render, LIMITS);
  if (deliverTo) parseUploadTarget(deliverTo);
  if (target !== 'batches') return;
  const { items, defaults } = parseBatchRequest(body);
  for (const item of items) parseItem(item, defaults, LIMITS);
}

function isRenderBody(value: object): boolean {
  return ['html', 'url', 'template_id'].some((name) => name in value) && !('items' in value) && !('placeholders' in value);
}

test('the documents contain examples of requests and of JSON', () => {
  const sent = blocksIn('sh').flatMap(([, { text }]: readonly [string, Block]) => bodiesOf(text));
  expect(sent.filter(({ target }) => target === 'pdf').length).toBeGreaterThanOrEqual(5);
  expect(blocksIn('json').filter(([, { text }]) => isRenderBody(JSON.parse(text))).length).toBeGreaterThan(10);
});
