/** Invalid values of finishing options return 400 with the field and the valid values, and render nothing. */
import { describe, expect, test } from 'vitest';
import { Client, problem } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { PIXEL_URL } from '../support/pixel.ts';
import { startService } from '../support/service.ts';
import { storedWith } from '../support/stored.ts';

const service = await startService().then(closeAfterAll);
const client = new Client(service.url, (await service.createKey()).key);

const LONG = 'x'.repeat(128);
const file = { name: 'a.txt', content: 'YQ==' };
const CUT = PIXEL_URL.slice(0, -52);

const TABLE: Array<[name: string, options: object, path: string, message: RegExp]> = [
  ['metadata that is a text', { metadata: 'x' }, 'options.metadata', /object \{title/],
  ['an unknown entry', { metadata: { titel: 'x' } }, 'options.metadata.titel', /title/],
  ['a title that is a number', { metadata: { title: 1 } }, 'options.metadata.title', /string of at most 4096/],
  ['a title too long', { metadata: { title: 'x'.repeat(4_097) } }, 'options.metadata.title', /4096/],
  ['half a character', { metadata: { author: '\ud800' } }, 'options.metadata.author', /surrogate|well-formed/],
  ['keywords of numbers', { metadata: { keywords: [1] } }, 'options.metadata.keywords[0]', /a string of at most 256 characters/],
  ['no time', { metadata: { creationDate: 'yesterday' } }, 'options.metadata.creationDate', /2026-01-31T12:00:00Z/],
  ['no such day', { metadata: { modDate: '2026-13-01T00:00:00Z' } }, 'options.metadata.modDate', /2026-01-31T12:00:00Z/],
  [
    'a number as password',
    { password: 1234 },
    'options.password',
    /string of 1 to 127 bytes of UTF-8, or an object \{user, owner, permissions\}/,
  ],
  ['an empty password', { password: '' }, 'options.password', /1 to 127 bytes/],
  [
    'a password with a control character',
    { password: 'a\nb' },
    'options.password',
    /no control, private or unassigned characters/,
  ],
  ['a password without visible characters', { password: '\u00ad' }, 'options.password', /at least one visible character/],
  ['a password in two directions', { password: { owner: 'abc\u05d0' } }, 'options.password.owner', /right to left/],
  ['a password that ends in another direction', { password: '\u05d0\u05d17' }, 'options.password', /begin and end/],
  [
    'a password with private-use characters',
    { password: 'a\ue000' },
    'options.password',
    /no control, private or unassigned characters/,
  ],
  [
    'a password with unassigned characters',
    { password: 'a\u{e0999}' },
    'options.password',
    /no control, private or unassigned characters/,
  ],
  [
    'a password with a direction mark',
    { password: 'a\u200eb' },
    'options.password',
    /no control, private or unassigned characters/,
  ],
  ['packed and not packed', { password: 'x', compress: false }, 'options.compress', /options\.password/],
  [
    'a day that is not',
    { metadata: { creationDate: '2024-02-30T12:00:00Z' } },
    'options.metadata.creationDate',
    /2026-01-31T12:00:00Z/,
  ],
  [
    'a year that is not',
    { metadata: { creationDate: '0000-01-01T12:00:00Z' } },
    'options.metadata.creationDate',
    /2026-01-31T12:00:00Z/,
  ],
  ['an hour that is not', { metadata: { modDate: '2024-02-28T24:00:00Z' } }, 'options.metadata.modDate', /2026-01-31T12:00:00Z/],
  ['base64 in lines', { attachments: [{ ...file, content: 'YW\nFh' }] }, 'options.attachments[0].content', /line breaks/],
  ['a password too long', { password: LONG }, 'options.password', /127/],
  ['too long in bytes', { password: 'é'.repeat(64) }, 'options.password', /127 bytes/],
  ['an owner too long in bytes', { password: { owner: 'é'.repeat(64) } }, 'options.password.owner', /127 bytes/],
  ['nothing of a password', { password: {} }, 'options.password', /user, owner or permissions/],
  ['an unknown permission', { password: { user: 'x', permissions: ['fly'] } }, 'options.password.permissions[0]', /print_low/],
  ['an unknown member', { password: { user: 'x', master: 'y' } }, 'options.password.master', /user, owner, permissions/],
  [
    'permissions for nobody',
    { password: { user: 'x', owner: 'x', permissions: ['print'] } },
    'options.password.permissions',
    /options\.password\.user and options\.password\.owner/,
  ],
  ['attachments that are none', { attachments: 'x' }, 'options.attachments', /list of at most 100/],
  ['without a name', { attachments: [{ content: 'YQ==' }] }, 'options.attachments[0].name', /./],
  ['a folder in a name', { attachments: [{ ...file, name: '../a' }] }, 'options.attachments[0].name', /without \//],
  ['the same name twice', { attachments: [file, file] }, 'options.attachments[1].name', /another attachment/],
  ['no base64', { attachments: [{ ...file, content: '%%' }] }, 'options.attachments[0].content', /base64/],
  ['half of base64', { attachments: [{ ...file, content: 'YQ' }] }, 'options.attachments[0].content', /base64/],
  ['no media type', { attachments: [{ ...file, type: 'csv' }] }, 'options.attachments[0].type', /text\/csv/],
  ['too many', { attachments: Array.from({ length: 101 }, (_, n) => ({ ...file, name: `${n}` })) }, 'options.attachments', /100/],
  ['a watermark of nothing', { watermark: {} }, 'options.watermark.text', /required/],
  ['two in one', { watermark: { text: 'x', image: PIXEL_URL } }, 'options.watermark.image', /options\.watermark\.text/],
  ['an image in a colour', { watermark: { image: PIXEL_URL, color: '#fff' } }, 'options.watermark.color', /watermark\.image/],
  ['no colour', { watermark: { text: 'x', color: 'red; }' } }, 'options.watermark.color', /#c00000/],
  ['more than opaque', { watermark: { text: 'x', opacity: 2 } }, 'options.watermark.opacity', /./],
  ['more than a turn', { watermark: { text: 'x', rotate: 361 } }, 'options.watermark.rotate', /./],
  ['between the lines', { watermark: { text: 'x', layer: 'beside' } }, 'options.watermark.layer', /over or under/],
  ['no ranges', { watermark: { text: 'x', pages: 'odd' } }, 'options.watermark.pages', /1-3, 5, 8-/],
  ['a range backwards', { watermark: { text: 'x', pages: '3-1' } }, 'options.watermark.pages', /ends before/],
  ['no image', { watermark: { image: 'aGVsbG8=' } }, 'options.watermark.image', /PNG, JPEG/],
  ['an address of an image', { watermark: { image: 'https://example.com/a.png' } }, 'options.watermark.image', /base64/],
  ['packing that is no choice', { compress: 'yes' }, 'options.compress', /true or false/],
  ['bookmarks without tags', { outline: true, tagged: false }, 'options.tagged', /options\.outline/],
];

describe('400 invalid_request', () => {
  test.each(TABLE)('%s', async (_name, options, path, message) => {
    const { errors } = await problem(await client.pdf({ html: '<p>x', options }), 400, 'invalid_request');
    expect(errors).toContainEqual({ path, message: expect.stringMatching(message) });
  });

  test('rejects an image with only a valid start', async () => {
    const refused = await problem(
      await client.pdf({ html: '<p>x', options: { watermark: { image: CUT } } }),
      400,
      'invalid_request',
    );
    expect(refused.errors).toMatchObject([{ path: 'options.watermark.image', message: expect.stringContaining('damaged') }]);
  });

  test('does not repeat passwords in errors', async () => {
    const password = `secret${LONG}`;
    const response = await client.pdf({ html: '<p>x', options: { password: { user: password, owner: password } } });
    expect(response.status).toBe(400);
    expect(await response.text()).not.toContain('secret');
  });

  const CHANGED: Array<[name: string, sent: string, normalized: string]> = [
    ['a superscript', 'x²', 'x2'],
    ['a ligature', 'ﬁne', 'fine'],
    ['an accent of its own', 'cafe\u0301', 'café'],
    ['a wide letter', 'ａbc', 'abc'],
    ['a space of another kind', 'a\u00a0b', 'a b'],
    ['an ideographic space', 'a\u3000b', 'a b'],
    ['a soft hyphen', 'a\u00adb', 'ab'],
    ['a joiner between emoji', '👩\u200d🚀', '👩🚀'],
    ['an ångström', '\u212b', 'å'.toUpperCase()],
    ['an Arabic letter in its final form', '\ufe8e', '\u0627'],
  ];
  test.each(CHANGED)(
    'a password with %s, which some readers change, is rejected with its accepted form',
    async (_name, sent, normalized) => {
      const fault = (path: string) => ({ path, message: expect.stringContaining('send the normalized form'), normalized });
      for (const [password, path] of [
        [sent, 'options.password'],
        [{ user: sent }, 'options.password.user'],
        [{ owner: sent }, 'options.password.owner'],
      ] as const) {
        const { errors } = await problem(await client.pdf({ html: '<p>x', options: { password } }), 400, 'invalid_request');
        expect(errors).toEqual([fault(path)]);
      }
      // The value is valid if the error names only the other option.
      const { errors } = await problem(
        await client.pdf({ html: '<p>x', options: { password: { user: normalized, owner: normalized }, scale: 0 } }),
        400,
        'invalid_request',
      );
      expect(errors?.map(({ path }) => path)).toEqual(['options.scale']);
    },
  );

  test('shows a password only to its sender: neither in the log nor in a batch item', async () => {
    const sent = { user: 'nowhere-4711-²', owner: 'nowhere-4712-\ufb01' };
    const single = await client.send(
      'POST',
      '/v1/pdf',
      { html: '<p>x', options: { password: sent } },
      { 'idempotency-key': 'k' },
    );
    const { detail, errors } = await problem(single, 400, 'invalid_request');
    expect(detail).not.toContain('nowhere');
    expect(errors).toMatchObject([{ normalized: 'nowhere-4711-2' }, { normalized: 'nowhere-4712-fi' }]);
    const batch = await client.send('POST', '/v1/batches', { items: [{ html: '<p>x', options: { password: sent } }] });
    const record = await batch.text();
    expect(JSON.parse(record).items).toMatchObject([
      { error: { errors: [{ path: 'options.password.user' }, { path: 'options.password.owner' }] } },
    ]);
    expect(record).not.toContain('nowhere');
    expect(service.output()).not.toContain('nowhere');
    expect(await storedWith(service.env, 'nowhere')).toEqual([]);
  });

  test('charges nothing', async () => {
    expect((await client.usage()).documents.used).toBe(0);
  });
});
