/** Batch items: merging with defaults, detection of duplicates, and encryption of payloads. */
import { expect, test } from 'vitest';
import { merge, parseBatchRequest, parseItem } from '../../src/batches/batch-request.ts';
import { prepareItems } from '../../src/batches/prepare-items.ts';
import { PayloadCipher } from '../../src/storage/payload-cipher.ts';

const LIMITS = { renderTimeoutMs: 1_000, maxRenderTimeoutMs: 2_000 };

test.each([
  [
    'each option separately',
    { options: { scale: 2 } },
    { html: 'd', options: { scale: 1, format: 'A5' } },
    { html: 'd', options: { scale: 2, format: 'A5' } },
  ],
  [
    'html replaces the default source',
    { html: 'x' },
    { template_id: 't', data: {}, filename: 'f' },
    { html: 'x', filename: 'f' },
  ],
  ['url replaces the default source', { url: 'x' }, { html: 'd' }, { url: 'x' }],
  ['a template keeps the default data', { template_id: 'x' }, { url: 'd', data: { a: 1 } }, { template_id: 'x', data: { a: 1 } }],
  [
    'data replaces the default data',
    { data: { b: 1 } },
    { template_id: 'd', data: { a: 1 } },
    { template_id: 'd', data: { b: 1 } },
  ],
  ['the reference is removed', { reference: 'r' }, { html: 'd' }, { html: 'd' }],
])('merges an item with its defaults (%s)', (_name, item, defaults, merged) => {
  expect(merge(item, defaults)).toEqual(merged);
});

test('reports all errors of an item together', () => {
  const parse = () => parseItem({ reference: 1, store: false, html: 'x', options: { scale: 9 } }, {}, LIMITS);
  expect(parse).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      members: { errors: ['reference', 'store', 'options.scale'].map((path) => expect.objectContaining({ path })) },
    }),
  );
});

test('gives identical items the same canonical item, whatever their reference and the order of their options', async () => {
  const items = [
    { html: 'a', options: { scale: 1, format: 'A5' } },
    { reference: 'r', options: { format: 'A5', scale: 1 }, html: 'a' },
    { html: 'a', options: { scale: 1 } },
    { html: 7 },
    { html: 7 },
    { html: 'a', options: { scale: 1, format: 'A5', margin: 1 } },
    { template_id: 't', data: { a: 1, b: 2 } },
    { template_id: 't', data: { b: 2, a: 1 } },
  ];
  const drafts = await prepareItems(parseBatchRequest({ items, defaults: { options: { format: 'A5' } } }), LIMITS);
  expect(drafts.map(({ canonical }) => canonical)).toEqual([0, 0, 0, 3, 4, 5, 6, 7]);
  expect(drafts.map(({ member }) => member !== undefined)).toEqual([true, false, false, false, false, true, true, true]);
  expect(drafts.map(({ error }) => error?.code)).toEqual([...Array(3), 'invalid_request', 'invalid_request', ...Array(3)]);
});

test('decrypts a payload only with its key and its additional data', () => {
  const cipher = new PayloadCipher(Buffer.alloc(32, 1));
  const ciphertext = cipher.encrypt({ html: 'ä' }, 'bat_a 1');
  expect(ciphertext.includes('html')).toBe(false);
  expect(cipher.decrypt(ciphertext, 'bat_a 1')).toEqual({ html: 'ä' });
  expect(() => cipher.decrypt(ciphertext, 'bat_a 2')).toThrow();
  expect(() => new PayloadCipher(Buffer.alloc(32, 2)).decrypt(ciphertext, 'bat_a 1')).toThrow();
  ciphertext[20] = (ciphertext[20] ?? 0) ^ 1;
  expect(() => cipher.decrypt(ciphertext, 'bat_a 1')).toThrow();
});
