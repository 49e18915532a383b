/** `POST /v1/pdf/validate`: PDFs of the service pass, damage is named, and hostile files do no harm. */
import { deflateSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import type { ServiceError } from '../../src/errors.ts';
import { UploadValidation } from '../../src/uploads/validate-uploads.ts';
import { bytesOf, Client, problem, succeeded, type Validation } from '../support/client.ts';
import { sharedService } from '../support/shared-service.ts';

const HTML =
  '<!doctype html><html lang="en"><title>Report</title><h1>Report</h1><p>All is <a href="https://example.com/">well</a>.<ul><li>one</ul><table><tr><th>a<td>b</table>';
const BOTH = ['PDF/A-3a', 'PDF/UA-1'];

const service = await sharedService();
const client = new Client(service.url, service.key);
const good = await bytesOf(await client.pdf({ html: HTML, options: { conformance: BOTH, compress: false } }));

const send = (pdf: Uint8Array, query = '') =>
  client.send('POST', `/v1/pdf/validate${query}`, pdf, { 'content-type': 'application/pdf' });

async function validated(pdf: Uint8Array, query = ''): Promise<Validation> {
  const response = await succeeded(send(pdf, query));
  return (await response.json()) as Validation;
}

/** Replaces text in the PDF by text of the same length, so that offsets stay right. */
function changed(from: string, to: string): Buffer {
  const text = good.toString('latin1');
  expect(text).toContain(from);
  return Buffer.from(text.replaceAll(from, to.padEnd(from.length)), 'latin1');
}

test('accepts a PDF of the service as valid under its claims, also in a form, without a charge', async () => {
  const before = (await client.usage()).documents.used;
  const found = await validated(good);
  expect(found).toMatchObject({ valid: true, profiles: BOTH, violations: [] });
  expect(found.unchecked.length).toBeGreaterThan(0);
  const form = new FormData();
  form.append('file', new Blob([Uint8Array.from(good)]), 'a.pdf');
  const response = await fetch(`${client.url}/v1/pdf/validate`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${client.key}` },
  });
  expect(await response.json()).toEqual(found);
  expect((await client.usage()).documents.used).toBe(before);
});

test.each([
  ['PDF/A-3a', ['ISO 19005']],
  ['PDF/UA-1', ['ISO 14289-1']],
  ['PDF/UA-2', ['ISO 14289-1', 'ISO 14289-2', 'ISO/TS 32005']],
])('names what is not checked of %s alone', async (profile, standards) => {
  const { unchecked } = await validated(good, `?profile=${profile}`);
  const named = unchecked.flatMap((requirement) => /^ISO(\/TS)? [\d-]+/.exec(requirement)?.[0] ?? []);
  expect([...new Set(named)]).toEqual(standards);
  expect(unchecked.length).toBeGreaterThan(named.length);
});

test('accepts a compressed PDF', async () => {
  const packed = await bytesOf(await client.pdf({ html: HTML, options: { conformance: BOTH } }));
  expect(await validated(packed)).toMatchObject({ valid: true, profiles: BOTH });
});

test.each([
  ['A', 'BUA'],
  ['U', 'BU'],
  ['B', 'B'],
  ['x', ''],
])('treats a claim of level %s also as one of %j, for its part only', async (claimed, levels) => {
  const pdf = changed('<pdfaid:conformance>A', `<pdfaid:conformance>${claimed}`);
  for (const level of 'BUA') {
    const { violations } = await validated(pdf, `?profile=PDF/A-3${level.toLowerCase()}`);
    expect(violations.map(({ rule }) => rule)).toEqual(levels.includes(level) ? [] : ['archive_claim_missing']);
  }
  const { violations } = await validated(pdf, '?profile=PDF/A-2b');
  expect(violations.map(({ rule }) => rule)).toContain('archive_claim_missing');
});

test.each([
  ['/ID [', '/IX [', ['identifier_missing']],
  ['/OutputIntents', '/OutputIntentx', ['output_intent_missing']],
  ['<pdfaid:part>3', '<pdfaid:part>7', ['archive_claim_missing']],
  ['<pdfuaid:part>1', '<pdfuaid:part>2', ['accessible_claim_missing']],
  ['/DisplayDocTitle', '/DisplayDocTitlx', ['title_not_shown']],
  ['/MarkInfo', '/MarkInfx', ['not_marked']],
  ['/Contents <', '/Contentx <', ['link_description_missing']],
  ['/S /LBody', '/S /LBodx', ['role_unmapped', 'structure_invalid']],
  ['/FontFile2', '/FontFilx2', ['font_not_embedded']],
])('replacing %s by %s violates %j', async (from, to, rules) => {
  const { valid, violations } = await validated(changed(from, to), `?profile=${BOTH.join()}`);
  expect(valid).toBe(false);
  expect(violations.map(({ rule }) => rule)).toEqual(rules);
  for (const { clause, count } of violations) expect([clause.startsWith('ISO '), count > 0]).toEqual([true, true]);
});

test.each<[string, (pdf: Buffer) => Buffer]>([
  ['is cut off', (pdf) => pdf.subarray(0, pdf.length * 0.9)],
  ['has something before its header', (pdf) => Buffer.concat([Buffer.alloc(2_000, 'x'), pdf])],
  ['names another place for its cross-references', (pdf) => edited(pdf, /startxref\s+\d+/, 'startxref\n7')],
  ['has streams of other lengths', (pdf) => edited(pdf, /\/Length \d+/g, '/Length 99999999')],
])('a PDF that %s is damaged, and no identifier is missed', async (_, damage) => {
  const { valid, violations } = await validated(damage(good), '?profile=PDF/A-3b');
  expect([valid, violations.map(({ rule }) => rule)]).toEqual([false, ['file_damaged']]);
  expect(violations[0]?.clause).toBe('ISO 19005-3, 6.1.4');
});

test('the last version of a PDF with an update counts', async () => {
  const [, start] = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(good.toString('latin1')) ?? [];
  const update = `900 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\nxref\n900 1\n${String(good.length).padStart(10, '0')} 00000 n \n`;
  const end = `trailer\n<</Size 901/Root 900 0 R/Prev ${start}/ID[(a)(b)]>>\nstartxref\n${good.length + update.indexOf('xref')}\n%%EOF\n`;
  const { violations } = await validated(Buffer.concat([good, Buffer.from(update + end)]), '?profile=PDF/A-3a');
  expect(violations.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['metadata_missing', 'structure_missing']));
});

const NEWER = ['PDF/A-4f', 'PDF/UA-2'];
const newer = (
  await client.rendered({
    html: `${HTML}<p><a href="#end">below</a><aside>aside</aside><h2 id="end">End</h2>`,
    options: {
      conformance: NEWER,
      compress: false,
      attachments: [{ name: 'a.txt', type: 'text/plain', content: 'YQ==', description: 'A letter' }],
    },
  })
).toString('latin1');

describe('PDF/UA-2', () => {
  test('accepts a PDF of the service', async () => {
    expect(await validated(Buffer.from(newer, 'latin1'))).toMatchObject({ valid: true, profiles: NEWER });
  });

  test.each([
    ['<pdfuaid:part>2', '<pdfuaid:part>1', ['accessible_claim_missing']],
    ['/NS ', '/NX ', ['namespace_missing']],
    ['/SD [', '/SX [', ['destination_unstructured']],
    ['/Desc <', '/Desx <', ['attachment_description_missing']],
  ])('replacing %s by %s violates %j', async (from, to, rules) => {
    expect(newer).toContain(from);
    const { violations } = await validated(Buffer.from(newer.replaceAll(from, to), 'latin1'), `?profile=${NEWER.join()}`);
    expect(violations.map(({ rule }) => rule).sort()).toEqual([...rules].sort());
    for (const { clause } of violations) expect(clause).toMatch(/^ISO 14289-2, \d/);
  });
});

test.each<[string, string, string, string]>([
  ['an action behind another', '/OpenAction 3 0 R', '<</S/URI/URI(x)/Next<</S/JavaScript/JS(x)>>>>', 'action_forbidden'],
  ['a named action of no page', '/OpenAction 3 0 R', '<</S/Named/N/Print>>', 'action_forbidden'],
  ['an action of the outline', '/Outlines 3 0 R', '<</First<</Title(x)/A<</S/Launch>>>>>>', 'action_forbidden'],
  ['an action of a field', '/AcroForm 3 0 R', '<</Fields[<</T(x)/Kids[<</AA<</K<<>>>>>>]>>]>>', 'action_forbidden'],
  ['scripts of the document', '/Names 3 0 R', '<</JavaScript<</Names[(x)<</S/JavaScript/JS(x)>>]>>>>', 'action_forbidden'],
  ['a file deep in the tree', '/Names<</EmbeddedFiles 3 0 R>>', '<</Kids[<</Names[(x)<</F(x)>>]>>]>>', 'attachment_forbidden'],
])('detects %s', async (_, entry, third, rule) => {
  const { violations } = await validated(pdfOf(`<</Type/Catalog/Pages 2 0 R ${entry}>>`, third), '?profile=PDF/A-2b');
  expect(violations.map((each) => each.rule)).toContain(rule);
});

test('rejects a claim without an end, however long it is', async () => {
  const xmp = `<pdfaid:part>${' '.repeat(1_000_000)}`;
  const pdf = pdfOf(`<</Type/Catalog/Pages 2 0 R/Metadata 3 0 R>>`, `<</Length ${xmp.length}>>\nstream\n${xmp}\nendstream`);
  const { errors } = await problem(await send(pdf), 400, 'invalid_request');
  expect(errors?.[0]?.path).toBe('profile');
});

test('reports the rules that an ordinary PDF violates for the requested profile, and no claims', async () => {
  const plain = await bytesOf(await client.pdf({ html: '<p>x<a href="https://example.com">y</a>' }));
  const { errors } = await problem(await send(plain), 400, 'invalid_request');
  expect(errors?.[0]?.path).toBe('profile');
  const { violations } = await validated(plain, '?profile=PDF/UA-1');
  const rules = violations.map(({ rule }) => rule);
  for (const rule of ['metadata_missing', 'structure_missing', 'not_marked', 'content_unmarked']) expect(rules).toContain(rule);
});

test.each(['PDF/A-1b', 'PDF/A-2b,PDF/A-3b', 'PDF/A-4,PDF/A-4f', 'PDF/UA-1,', 'PDF/UA-1,PDF/UA-2', 'x'])(
  'rejects the profile %s',
  async (profile) => {
    const { errors } = await problem(await send(good, `?profile=${profile}`), 400, 'invalid_request');
    expect(errors?.[0]?.path).toBe('profile');
  },
);

describe('rejects unreadable files, and serves the next one', () => {
  const bomb = deflateSync(Buffer.alloc(400_000_000));
  const METADATA = '<</Type/Catalog/Pages 2 0 R/Metadata 3 0 R>>';
  const nested = `${'<</K '.repeat(50_000)}null${'>>'.repeat(50_000)}`;
  test.each(
    Object.entries<Buffer>({
      nothing: Buffer.from(' '),
      'something else': Buffer.from('<html>'),
      'a bomb': pdfOf(
        `<</Type/Catalog/Pages 2 0 R/Metadata 3 0 R>>`,
        `<</Filter/FlateDecode/Length ${bomb.length}>>\nstream\n${bomb.toString('latin1')}\nendstream`,
      ),
      'values nested without end': pdfOf(`<</Type/Catalog/Pages 2 0 R/StructTreeRoot 3 0 R>>`, nested),
      'an object that is itself': pdfOf('<</Type/Catalog/Pages 2 0 R/Metadata 3 0 R/StructTreeRoot 3 0 R>>', '3 0 R'),
      'pages that contain themselves': pdfOf('<</Type/Catalog/Pages 3 0 R>>', '<</Type/Pages/Kids[3 0 R]/Count 1>>'),
      'half a million pages': pdfOf('<</Type/Catalog/Pages 3 0 R>>', `<</Type/Pages/Kids[${'4 0 R '.repeat(500_000)}]>>`),
      'roles in a circle': pdfOf('<</Type/Catalog/Pages 2 0 R/StructTreeRoot 3 0 R>>', '<</RoleMap<</a/b/b/a>>/K<</S/a>>>>'),
      'fields that contain themselves': pdfOf('<</Type/Catalog/Pages 2 0 R/AcroForm 3 0 R>>', '<</Fields[3 0 R]/Kids[3 0 R]>>'),
      'a stream as long as itself': pdfOf(METADATA, '<</Length 3 0 R>>\nstream\nx\nendstream'),
      'half of a surrogate': pdfOf(
        '<</Type/Catalog/Pages 2 0 R/Lang<FEFFD800>/Outlines 3 0 R>>',
        '<</First<</Title<FEFFDC00D8>>>>>',
      ),
      'a filter that repeats': pdfOf(
        METADATA,
        `<</Filter/RunLengthDecode/Length 9999>>\nstream\n${'\x81'.repeat(9_999)}\nendstream`,
      ),
      'three million open lists': Buffer.from(`%PDF-1.7\n1 0 obj\n${'['.repeat(3_000_000)}`),
      'numbers of a million digits': pdfOf('<</Type/Catalog/Pages 2 0 R/Names 3 0 R>>', '9'.repeat(1_000_000)),
    }),
  )('%s', async (_, pdf) => {
    const response = await send(pdf, '?profile=PDF/UA-1');
    expect([200, 422], await response.clone().text()).toContain(response.status);
    expect(((await response.json()) as { valid?: boolean }).valid ?? false).toBe(false);
    expect(await validated(good)).toMatchObject({ valid: true });
  });

  test('a structure that contains itself', async () => {
    const pdf = pdfOf('<</Type/Catalog/Pages 2 0 R/StructTreeRoot 3 0 R>>', '<</S/Document/K 3 0 R>>');
    const { violations } = await validated(pdf, '?profile=PDF/UA-1');
    expect(violations.map(({ rule }) => rule)).toContain('structure_too_complex');
  });

  test.each([
    ['list with the end of a string', '/K [', '/K[)'],
    ['dictionary with the end of a string', '/S /H1', '/S )H1'],
  ])('a %s', async (_, from, to) => {
    await problem(await send(changed(from, to)), 422, 'pdf_unreadable');
    expect(await validated(good)).toMatchObject({ valid: true });
  });

  test('a PDF with a password', async () => {
    const locked = await bytesOf(await client.pdf({ html: HTML, options: { password: 'x' } }));
    await problem(await send(locked), 422, 'pdf_unreadable');
  });
});

describe('reads in a time that grows with the file', () => {
  /** The process of the service, with time for a busy machine. A time that grows with the square of the file is longer. */
  const patient = new UploadValidation({ timeoutMs: 110_000, waitMs: 110_000 });
  afterAll(() => patient.close());
  const CATALOG = '<</Type/Catalog/Pages 2 0 R/MarkInfo<</Marked true>>>>';
  const TREE = '<</Type/Catalog/Pages 2 0 R/StructTreeRoot 3 0 R>>';
  const PAGES = '<</Type/Pages/Kids[]/Count 0>>';
  const shown = (content: string) => {
    const packed = deflateSync(content);
    const stream = `<</Filter/FlateDecode/Length ${packed.length}>>\nstream\n${packed.toString('latin1')}\nendstream`;
    return pdfOf(CATALOG, stream, `${EMPTY_PAGE.slice(0, -2)}/Contents 3 0 R>>`);
  };
  const each = (count: number, body: (n: number) => string) => Array.from({ length: count }, (_, n) => body(n));
  const [times, many] = [5_000, 50_000];
  const pages = `<</Type/Pages/Kids[${each(times, (n) => `${n + 5} 0 R`).join(' ')}]/Count ${times}>>`;
  const refs = each(many, (n) => `/N${n} 4 0 R`).join('');
  const pagesWith = (shared: string, fourth: string, entry: string) =>
    fileOf([
      '<</Type/Catalog/Pages 2 0 R>>',
      pages,
      shared,
      fourth,
      ...each(times, () => EMPTY_PAGE.replace('>>', `${entry}>>`)),
    ]);
  const annotation = (entry: string) => `<</Type/Annot/Subtype/Link/Rect[0 0 0 0]${entry}>>`;

  /** Most of them took more than half a minute once, after which their process was killed with `resource_limit`. */
  test.each(
    Object.entries<() => Buffer>({
      'nested marked content': () => shown('/a BMC '.repeat(1_000_000) + 'f '.repeat(1_000_000)),
      'nested properties': () => shown('/a<</x 1>>BDC '.repeat(500_000) + '(a)Tj '.repeat(500_000)),
      'saved states': () => shown('q '.repeat(1_000_000) + 'f Q '.repeat(1_000_000)),
      'pages that share fonts': () => pagesWith(`<<${refs}>>`, '<</Type/Font/Subtype/Type1>>', '/Resources<</Font 3 0 R>>'),
      'pages that share annotations': () => pagesWith(`[${'4 0 R '.repeat(many)}]`, annotation(''), '/Annots 3 0 R'),
      'annotations that share appearances': () =>
        pdfOf(CATALOG, `<<${refs}>>`, EMPTY_PAGE.replace('>>', `/Annots[${annotation('/AP<</N 3 0 R>>').repeat(20_000)}]>>`)),
      'annotations that share actions': () =>
        fileOf([
          '<</Type/Catalog/Pages 2 0 R>>',
          '<</Type/Pages/Kids[3 0 R]/Count 1>>',
          EMPTY_PAGE.replace('>>', `/Annots[${annotation('/A 4 0 R').repeat(20_000)}]>>`),
          ...each(many, (n) => `<</S/URI/Next ${n + 5} 0 R>>`),
        ]),
      'elements that share a text': () =>
        fileOf([TREE, PAGES, `<</K[${'<</S/Figure/Alt 4 0 R>>'.repeat(100_000)}]>>`, `(${'a-'.repeat(500_000)})`]),
      'bookmarks that share a destination': () =>
        fileOf([
          '<</Type/Catalog/Pages 2 0 R/Outlines 4 0 R>>',
          PAGES,
          `[${'1 '.repeat(100_000)}]`,
          ...each(many, (n) => `<</Dest 3 0 R/Next ${n + 5} 0 R>>`),
        ]),
      'roles in a large circle': () =>
        fileOf([TREE, PAGES, `<</RoleMap<<${each(many, (n) => `/R${n}/R${(n + 1) % many}`).join('')}>>/K[<</S/R1>>]>>`]),
      'elements in each other': () => fileOf([TREE, PAGES, '<</K 4 0 R>>', ...each(100_000, (n) => `<</S/P/K ${n + 5} 0 R>>`)]),
      'streams without an end': () =>
        Buffer.from(`%PDF-1.7\n1 0 obj\n${TREE}\n${each(100_000, (n) => `${n + 2} 0 obj\n<</Length 9>>\nstream\n`).join('')}`),
    }),
  )('%s', async (_, file) => {
    const read = patient.validate('owner', file(), ['PDF/UA-1']).catch((error: ServiceError) => error.code);
    expect(await read).not.toBe('resource_limit');
  });
});

function edited(pdf: Buffer, from: RegExp, to: string): Buffer {
  return Buffer.from(pdf.toString('latin1').replace(from, to), 'latin1');
}

const EMPTY_PAGE = '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>';

/** Returns a PDF with one page, this catalog, and one more object. */
function pdfOf(catalog: string, third: string, page = EMPTY_PAGE): Buffer {
  return fileOf([catalog, '<</Type/Pages/Kids[4 0 R]/Count 1>>', third, page]);
}

/** Returns a PDF with these objects, of which the first is the catalog. */
function fileOf(bodies: string[]): Buffer {
  let text = '%PDF-1.7\n';
  const offsets = bodies.map((body, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const start = text.length;
  return Buffer.from(
    `${text}xref\n0 ${bodies.length + 1}\n0000000000 65535 f \n${offsets.join('')}trailer\n<</Size ${bodies.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`,
    'latin1',
  );
}
