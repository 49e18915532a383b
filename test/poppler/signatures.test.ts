/** Signatures that an assembly adds to PDFs of other programs, checked with poppler. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { bytesOf, Client, succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { issue, pkcs12Of } from '../support/pki.ts';
import { outputOf, PrintedFiles, run } from '../support/printed-files.ts';

const files = await PrintedFiles.open().then(closeAfterAll);
const client = new Client(files.service.url, files.service.key);
const root = await issue('Test CA', { isAuthority: true });
const body = { name: 'test', pkcs12: pkcs12Of(await issue('Ada', { issuer: root }), [root], 'x'), password: 'x' };
const uploaded = await client.send('POST', '/v1/certificates', body);
const { certificate_id: certificate } = (await uploaded.json()) as { certificate_id: string };

async function sign(file: string, ...steps: object[]): Promise<string> {
  const part = { file: (await readFile(file)).toString('base64') };
  return files.save(await bytesOf(await succeeded(client.send('POST', '/v1/pdf/assemble', { parts: [part], steps }))));
}

const FIELD = { x: '20mm', y: '20mm', width: '60mm', height: '20mm' };
const SIGN = { sign: { certificate } };
const SHOWN = { sign: { certificate, field: FIELD } };

const CONVERSIONS: Record<string, string[]> = {
  'a print': ['qpdf', '--qdf'],
  'a PDF with object streams': ['qpdf', '--object-streams=generate'],
  'a linearised PDF': ['qpdf', '--linearize'],
  'a linearised PDF with object streams': ['qpdf', '--linearize', '--object-streams=generate'],
  'a PDF of Ghostscript': ['gs', '-q', '-dNOPAUSE', '-dBATCH', '-sDEVICE=pdfwrite', '-o'],
  'a PDF of cairo': ['pdftocairo', '-pdf'],
};

test.each(Object.entries(CONVERSIONS))('three signatures of %s are valid', async (_, [program = '', ...flags]) => {
  const given = await files.render('<h1>Contract</h1><p style="break-before: page">end', { tagged: true, outline: true });
  const converted = `${given}.other.pdf`;
  await run(program, program === 'gs' ? [...flags, converted, given] : [...flags, given, converted]);
  const twice = await sign(converted, SHOWN, SIGN);
  const report = await outputOf('pdfsig', await sign(twice, SIGN));
  expect(report.match(/Signature is Valid/g)).toHaveLength(3);
  expect(report.match(/Total document signed/g)).toHaveLength(1);
  expect((await readFile(twice)).subarray(0, (await readFile(converted)).length).equals(await readFile(converted))).toBe(true);
});
