/** The step `conform` of an assembly: veraPDF finds no broken rule in what it lets pass, of prints and of PDFs of other programs. */
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { bytesOf, Client } from '../support/client.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { run } from '../support/printed-files.ts';
import { startService } from '../support/service.ts';
import { documents } from './documents.ts';
import { fetchVeraPdf, validateWithVeraPdf } from './vera-pdf.ts';

const PROFILES = { 'PDF/A-1b': '1b', 'PDF/A-2b': '2b', 'PDF/A-3b': '3b', 'PDF/A-4': '4' };
const CONVERSIONS: Record<string, string[]> = {
  print: [],
  qpdf: ['qpdf', '--qdf'],
  cairo: ['pdftocairo', '-pdf'],
  ghostscript: ['gs', '-q', '-dNOPAUSE', '-dBATCH', '-sDEVICE=pdfwrite', '-o'],
};
/** Of each program. */
const MAX_DOCUMENTS = Number(process.env.PLATEN_TEST_SWEEP ?? 0) ? 40 : 8;

const folder = await makeFolder('assemblies');
const [service] = await Promise.all([startService().then(closeAfterAll), fetchVeraPdf()]);
const client = new Client(service.url, service.key);

const given: string[] = [];
for (const [number, { html }] of documents().slice(0, MAX_DOCUMENTS).entries()) {
  const print = join(folder, `${number}-print.pdf`);
  await writeFile(print, await client.rendered({ html }));
  given.push(print);
  for (const [program, [command = '', ...flags]] of Object.entries(CONVERSIONS)) {
    if (!command) continue;
    const file = join(folder, `${number}-${program}.pdf`);
    const files = command === 'gs' ? [file, print] : [print, file];
    const isMade = await run(command, [...flags, ...files]).then(
      () => true,
      () => false, // cairo ends itself for some content
    );
    if (isMade) given.push(file);
  }
}

test.each(Object.entries(PROFILES))('what becomes %s conforms', async (profile, flavour) => {
  const made: string[] = [];
  for (const file of given) {
    const parts = [{ file: (await readFile(file)).toString('base64') }];
    const reply = await client.send('POST', '/v1/pdf/assemble', { parts, steps: [{ conform: { profile } }] });
    if (reply.status === 422) continue;
    expect(reply.status).toBe(200);
    const name = join(folder, `${basename(file, '.pdf')}-${flavour}.pdf`);
    await writeFile(name, await bytesOf(reply));
    made.push(name);
  }
  expect(made.length).toBeGreaterThan(given.length / 4);
  const verdicts = await validateWithVeraPdf(made, flavour);
  const broken = [...verdicts].map(([name, verdict]) => [name, Object.values(verdict).flat()] as const);
  expect(verdicts.size).toBe(made.length);
  expect(broken.filter(([, rules]) => rules.length)).toEqual([]);
});
