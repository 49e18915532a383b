/** Every template of the gallery, with every data set: no warnings, the expected pages and texts, and the conformance it promises. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { bytesOf, Client, succeeded } from '../support/client.ts';
import { GALLERY, readGallery } from '../support/gallery.ts';
import { readPdf } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';

const MAX_PICTURE_BYTES = 6_144;
const service = await sharedService();
const client = new Client(service.url, (await service.createKey()).key);
const gallery = await readGallery();

/** By template and data set: the number of pages, and texts that are on them. */
const EXPECTED: Record<string, Record<string, [pages: number, ...texts: string[]]>> = {
  'accessible-notice': { tram: [1, 'Help on the way'], library: [1, 'Saturday and Sunday'] },
  'address-labels': { 'two-sheets': [2, 'SWITZERLAND'], ten: [1, 'Ada Byron'] },
  'application-form': { garden: [1, 'Rules'], 'library-card': [1, 'Under 14'] },
  'arabic-invoice': { books: [1, 'INV-2026-417'], carpet: [1, 'INV-2026-418'] },
  'book-chapter': { lighthouse: [2, 'A Lamp in the Wind', 'the long breath'], short: [1, 'half a millimetre'] },
  certificate: { course: [1, 'Grace Hopper'], race: [1, 'Seven Lakes Marathon'] },
  contract: { lease: [4, 'Notice for an important reason', 'on page 4'], 'three-clauses': [2, 'Northlight Studio'] },
  cv: { bookbinder: [1, 'Master’s examination'], 'first-job': [1, 'Noor Okafor'] },
  'delivery-note': { 'one-parcel': [1, 'in 1 parcel.'], 'five-parcels': [3, 'in 5 parcels.'] },
  'factur-x': { table: [1, '3.624,15 €'], repair: [1, '525,98 €'] },
  'hebrew-invitation': { exhibition: [1, '19:30'], birthday: [1, '21.5.2027'] },
  invoice: { 'three-items': [1, '€7,881.25'], 'several-pages': [3, 'Carried forward', 'Brought forward', '€28,459.38'] },
  'japanese-quotation': { bookbinding: [1, '412,500'], repair: [1, '100,100'] },
  letter: { short: [1, 'Yours sincerely'], 'two-pages': [2, 'With kind regards'] },
  letterhead: { short: [1, 'Gardens for cities'], 'two-pages': [2, 'Marit de Wit'] },
  menu: { evening: [1, 'Three cheeses'], lunch: [1, 'Herring on rye'] },
  minutes: { gardens: [2, 'Decision 3.'], short: [1, 'We go live with seven.'] },
  payslip: { november: [1, '£2,520.88'], 'part-time': [1, '£443.60'] },
  quotation: { website: [1, 'We recommend', '€11,400.00'], 'two-packages': [1, 'Labels and box'] },
  receipt: { coffee: [1, '€16.70'], 'large-party': [1, '€370.10'] },
  report: { river: [3, 'What we propose', 'Sawmill'], orders: [2, 'Orders in each month'] },
  'shipping-label': { express: [1, 'PLTN2611217'], 'second-of-three': [1, '2 of 3'] },
  statement: { quarter: [6, 'Brought forward', 'Total of the period'], 'few-entries': [1, 'Total of the period'] },
  ticket: { concert: [1, 'Row 7, seat 14'], family: [3, 'Child 2'] },
};

test('has 24 templates, each with two data sets', () => {
  const names = Object.fromEntries(gallery.map(({ folder, samples }) => [folder, samples.map(({ name }) => name)]));
  expect(names).toEqual(Object.fromEntries(Object.entries(EXPECTED).map(([folder, sets]) => [folder, Object.keys(sets)])));
  expect(gallery).toHaveLength(24);
  for (const { samples } of gallery) expect(samples.length).toBeGreaterThanOrEqual(2);
});

test.each(gallery)('renders $folder without a warning', async ({ folder, html, samples }) => {
  const { template_id } = await client.template(html, { engine: 'liquid' });
  for (const { name, data, options } of samples) {
    const stored = await client.store({ template_id, data, options });
    expect(stored.report?.warnings, name).toEqual([]);
    const pdf = await bytesOf(await succeeded(client.get(`/v1/documents/${stored.document_id}`, { accept: 'application/pdf' })));
    const [pages, ...texts] = EXPECTED[folder]?.[name] ?? [0];
    const read = await readPdf(pdf);
    expect(read.pages.length, name).toBe(pages);
    for (const text of texts) expect(squeeze(read.pages.join(' ')), name).toContain(squeeze(text));
    const promised = [options.conformance ?? [], options.invoice ? 'PDF/A-3b' : []].flat();
    for (const profile of promised) expect(await violations(pdf, String(profile)), `${name}: ${profile}`).toEqual([]);
  }
});

test.each(gallery)('has a small picture of $folder', async ({ folder }) => {
  const picture = await readFile(new URL(`${folder}/page.webp`, GALLERY));
  expect(picture.subarray(8, 12).toString()).toBe('WEBP');
  expect(picture.length).toBeLessThanOrEqual(MAX_PICTURE_BYTES);
});

async function violations(pdf: Uint8Array, profile: string): Promise<unknown[]> {
  const path = `/v1/pdf/validate?profile=${encodeURIComponent(profile)}`;
  const reply = await succeeded(client.send('POST', path, pdf, { 'content-type': 'application/pdf' }));
  return ((await reply.json()) as { violations: unknown[] }).violations;
}

/** Without spaces, which PDFs need not have where words are apart, and without the hyphens of lines. */
function squeeze(text: string): string {
  return text.replace(/[\s\u00ad]+/g, '').toLowerCase();
}
