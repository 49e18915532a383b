/** Bodies made to cost more than they send: forms of millions of parts, and JSON with hundreds of thousands of members. */
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { readForm } from '../../src/http/requests/form-body.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { startService } from '../support/service.ts';

const service = await startService({ PLATEN_GOTENBERG_ROUTES: 'on' }).then(closeAfterAll);

async function send(path: string, type: string, body: string): Promise<{ status: number; text: string }> {
  const headers = { authorization: `Bearer ${service.key}`, 'content-type': type, 'content-encoding': 'gzip' };
  const reply = await fetch(service.url + path, { method: 'POST', headers, body: gzipSync(body) });
  return { status: reply.status, text: await reply.text() };
}

/** The most memory that the service has used so far. */
async function peakMegabytes(): Promise<number> {
  const status = await readFile(`/proc/${service.child.pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1_024;
}

/** The processor time of the service. */
async function cpuSeconds(): Promise<number> {
  const [, fields = ''] = (await readFile(`/proc/${service.child.pid}/stat`, 'utf8')).split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) / 100;
}

describe('a form', () => {
  const EMPTY_PARTS = '\r\n--a'.repeat(4_000_000);
  const PLAIN = 'multipart/form-data; boundary=a';
  const whole = (rest: string) => `--a\r\nContent-Disposition: form-data; name="html"\r\n\r\n<p>whole${rest}`;

  test.each([
    ['behind a space', 'multipart/form-data; boundary =a; boundary=zzz'],
    ['behind a quoted value', 'multipart/form-data; x="; boundary=zzz"; boundary=a'],
    ['with a charset', "multipart/form-data; boundary*=utf-8''a; boundary=zzz"],
    ['in quotes', 'multipart/form-data; boundary="a"'],
    ['alone', PLAIN],
  ])('stops at the limit of parts with the boundary %s', async (_, type) => {
    for (const path of ['/v1/pdf', '/v1/image', '/v1/templates', '/v1/pdf/validate', '/forms/chromium/convert/html']) {
      const before = await peakMegabytes();
      const { status, text } = await send(path, type, EMPTY_PARTS);
      expect([status, text], path).toEqual([400, expect.stringMatching(/the body has more than \d+ parts/)]);
      expect((await peakMegabytes()) - before, path).toBeLessThan(300);
    }
  });

  test('is not searched for parts after its end', async () => {
    const before = await cpuSeconds();
    const after = await send('/v1/pdf', PLAIN, whole(`\r\n--a--${EMPTY_PARTS}`));
    expect(after.text.slice(0, 5)).toBe('%PDF-');
    const none = await send('/v1/pdf', PLAIN, `--a--${EMPTY_PARTS}`);
    expect([none.status, none.text]).toEqual([400, expect.stringContaining('"path":"html","message":"is required')]);
    expect((await cpuSeconds()) - before).toBeLessThan(10);
  });

  test('keeps every byte of parts whose content looks like a delimiter, wherever the parser receives it in two pieces', async () => {
    for (const length of [0, 1, 5, 16_370, 16_384, 16_390, 40_000]) {
      const contents = ['\r\n--a'.repeat(length), '\r\n'.repeat(length), '\r\n--aab'.slice(0, -1).padStart(length, '-')];
      const parts = contents.map(
        (content, index) => `--aab\r\nContent-Disposition: form-data; name="${index}"\r\n\r\n${content}\r\n`,
      );
      const read = await readForm(
        Buffer.from(new TextEncoder().encode(`${parts.join('')}--aab--`).buffer),
        'multipart/form-data; boundary=aab',
        3,
      );
      expect(read.map(({ name, content }) => [name, content.toString() === contents[Number(name)]])).toEqual([
        ['0', true],
        ['1', true],
        ['2', true],
      ]);
    }
  });

  test('does not repeat long names of parts in full', async () => {
    const part = (name: string) => `\r\n--a\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nx`;
    const { status, text } = await send('/v1/pdf', PLAIN, `${part('q'.repeat(7_000)).repeat(200)}\r\n--a--`);
    expect(status).toBe(400);
    expect((JSON.parse(text) as { errors: unknown[] }).errors).toHaveLength(100);
    expect(text.length).toBeLessThan(400_000);
  });
});

describe('text far beyond the limit of its member', () => {
  const part = (name: string, content: string, filename?: string) =>
    `--a\r\nContent-Disposition: form-data; name="${name}"${filename ? `; filename="${filename}"` : ''}\r\n\r\n${content}\r\n`;
  const convert = (source: string, ...parts: string[]) =>
    send(`/forms/chromium/convert/${source}`, 'multipart/form-data; boundary=a', `${parts.join('')}--a--`);
  const page = part('files', 'x', 'index.html');

  test('is refused before it is read', async () => {
    const before = await cpuSeconds();
    const field = await convert('html', page, part('waitDelay', '1s'.repeat(6_000_000)));
    expect(field.text).toContain("form field 'waitDelay' is too long: fields other than files may have 1048576 bytes together");
    const fields = await convert('html', page, ...Array<string>(50).fill(part('watermarkPages', 'z '.repeat(200_000))));
    expect(fields.text).toContain("form field 'watermarkPages' is too long");
    const header = await convert('html', page, part('files', '<b style="a:url(//x)">'.repeat(1_000_000), 'header.html'));
    expect(header.text).toContain("form file 'header.html' must be a string of HTML, at most 524288 characters");
    const actions = part('files', '{{toHTML "b.md"}}'.repeat(1_400_000), 'index.html');
    const markdown = await convert('markdown', actions, part('files', 'x', 'a.md'));
    expect(markdown.text).toContain('the page has more than 5242880 bytes of HTML');
    const margin = await send('/v1/pdf', 'application/json', `{"html":"x","options":{"margin":"${'1 '.repeat(10_000_000)}"}}`);
    expect(margin.text).toContain('"path":"options.margin","message":"must be a length');
    expect((await cpuSeconds()) - before).toBeLessThan(10);
  });

  test('is refused in a header of some pages as in one of all', async () => {
    for (const header of [{ first: 'a'.repeat(524_289) }, { pages: { cover: 'a'.repeat(524_289) } }]) {
      const { status, text } = await send('/v1/pdf', 'application/json', JSON.stringify({ html: 'x', options: { header } }));
      expect([status, text]).toEqual([400, expect.stringContaining('at most 524288 characters')]);
    }
  });
});

describe('JSON with many members', () => {
  const MEMBERS = Array.from({ length: 300_000 }, (_, index) => `"k${index}":1`).join(',');
  const WITH_MEMBERS = `{${MEMBERS}}`;
  const html = (rest: string) => `{"html":"x",${rest}}`;
  const form = (name: string, content: string) =>
    `--a\r\nContent-Disposition: form-data; name="html"\r\n\r\nx\r\n--a\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n--a--`;
  const JSON_BODY = 'application/json';
  const FORM = 'multipart/form-data; boundary=a';

  /** What it takes to read so much JSON and to do nothing with it. */
  let secondsToRead: number;
  beforeAll(async () => {
    const before = await cpuSeconds();
    const { status } = await send('/v1/pdf', JSON_BODY, `{"template_id":"tpl_0123456789ABCDEFGHIJKL","data":${WITH_MEMBERS}}`);
    expect(status).toBe(404);
    secondsToRead = (await cpuSeconds()) - before;
  });

  test.each([
    ['of the body', '/v1/pdf', JSON_BODY, html(MEMBERS)],
    ['of options', '/v1/pdf', JSON_BODY, html(`"options":${WITH_MEMBERS}`)],
    ['of an option', '/v1/pdf', JSON_BODY, html(`"options":{"margin":${WITH_MEMBERS}}`)],
    ['of an option with several forms', '/v1/pdf', JSON_BODY, html(`"options":{"addStyleTag":${WITH_MEMBERS}}`)],
    ['of headers', '/v1/pdf', JSON_BODY, html(`"options":{"extraHTTPHeaders":${WITH_MEMBERS}}`)],
    ['of assets', '/v1/pdf', JSON_BODY, html(`"assets":${WITH_MEMBERS}`)],
    ['of metadata', '/v1/pdf', JSON_BODY, html(`"metadata":${WITH_MEMBERS}`)],
    ['of an image', '/v1/image', JSON_BODY, html(`"options":{"clip":${WITH_MEMBERS}}`)],
    ['of a template', '/v1/templates', JSON_BODY, `{"name":"x","html":"x",${MEMBERS}}`],
    ['of a key', '/v1/keys', JSON_BODY, `{"name":"x",${MEMBERS}}`],
    ['of an item', '/v1/batches', JSON_BODY, `{"items":[${html(MEMBERS)}]}`],
    [
      'of defaults',
      '/v1/batches',
      JSON_BODY,
      `{"items":[{"html":"x","options":{}},{"html":"y","options":{}}],"defaults":{"options":${WITH_MEMBERS}}}`,
    ],
    ['of a request in a form', '/v1/pdf', FORM, form('request', `{"options":${WITH_MEMBERS}}`)],
    ['of an option in a form', '/v1/pdf', FORM, form('margin', WITH_MEMBERS)],
    ['of a field of Gotenberg', '/forms/chromium/convert/url', FORM, form('extraHttpHeaders', WITH_MEMBERS)],
  ])('is refused before its errors are collected: members %s', async (_, path, type, body) => {
    const before = await cpuSeconds();
    const { status, text } = await send(path, type, body);
    expect([status, text.length], text.slice(0, 500)).toEqual([
      path === '/v1/batches' && !body.includes('defaults') ? 202 : 400,
      expect.any(Number),
    ]);
    expect(text.length).toBeLessThan(10_000);
    expect((await cpuSeconds()) - before).toBeLessThan(1 + 3 * secondsToRead);
  });

  test.each([
    ['of the body', (name: string) => `{"html":"x","${name}":1}`],
    ['of options', (name: string) => html(`"options":{"${name}":1}`)],
    ['of an option', (name: string) => html(`"options":{"margin":{"${name}":1}}`)],
    ['of an asset', (name: string) => html(`"assets":{"${name}":1}`)],
    ['of a cookie', (name: string) => html(`"options":{"cookies":[{"${name}":1}]}`)],
  ])('is refused before long names are read for errors: names %s', async (_, body) => {
    const before = await peakMegabytes();
    const { status, text } = await send('/v1/pdf', JSON_BODY, body('/'.repeat(20_000_000)));
    expect([status, text]).toEqual([
      400,
      expect.stringMatching(/a member whose name has 20000000 characters; a name has at most/),
    ]);
    expect((await peakMegabytes()) - before).toBeLessThan(300);
  });

  test('is accepted as the data of a template', async () => {
    const client = { 'content-type': JSON_BODY, authorization: `Bearer ${service.key}` };
    const created = await fetch(`${service.url}/v1/templates`, {
      method: 'POST',
      headers: client,
      body: JSON.stringify({ name: 'rows', html: '<p>{{rows.59999.name}} {{keys.k59999}}' }),
    });
    const { template_id } = (await created.json()) as { template_id: string };
    const rows = Array.from({ length: 60_000 }, (_, index) => ({ name: `row ${index}`, a: 1, b: null, c: 'x' }));
    const keys = Object.fromEntries(rows.map((_, index) => [`k${index}`, index]));
    const reply = await service.pdf({ template_id, data: { rows, keys } });
    expect((await readPdfReply(reply)).pages).toEqual(['row 59999 59999']);
  });

  test('has at most a hundred errors in its reply', async () => {
    const items = Array.from({ length: 20_000 }, () => '{"a":1}').join(',');
    const { status, text } = await send('/v1/pdf', JSON_BODY, html(`"options":{"cookies":[${items}]}`));
    expect(status).toBe(400);
    expect((JSON.parse(text) as { errors: unknown[] }).errors.length).toBeLessThanOrEqual(100);
  });
});
