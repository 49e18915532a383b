/** Signed PDFs with every kind of key, level and field, verified with EU DSS, pyHanko, pdfsig and veraPDF. */
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { bytesOf, Client, succeeded } from '../support/client.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { invoiceXml, SALES, type Sale } from '../support/invoices.ts';
import { type IssuedCertificate, issue, type KeyKind, pkcs12Of } from '../support/pki.ts';
import { RevocationAuthority } from '../support/revocation-authority.ts';
import { startService } from '../support/service.ts';
import { TimeStampAuthority } from '../support/time-stamp-authority.ts';
import { fetchMustang, validateInvoices } from './mustang.ts';
import { fetchSignatureTools, verifyWithDss, verifyWithPdfsig, verifyWithPyHanko } from './signature-tools.ts';
import { fetchVeraPdf, validateWithVeraPdf } from './vera-pdf.ts';

const HTML =
  '<!doctype html><html lang="en"><title>Contract</title><h1>Contract</h1><p>All is <a href="https://example.com/">agreed</a>.<table><tr><th>a<td>b</table><div data-signature-field="ada" aria-label="Signature of Ada" style="height: 2cm"></div>';
const BOTH = ['PDF/A-3a', 'PDF/UA-1'];
const FIELD = { page: -1, x: '20mm', y: '40mm', width: '60mm', height: '20mm' };
const DRAWN = { ...FIELD, html: '<b>Ada</b> <i style="opacity: .5; color: #c00">Müller</i>' };
const OPTIONS: Record<string, object> = {
  plain: {},
  packed: { compress: true, tagged: true, watermark: { text: 'DRAFT' } },
  archive: { conformance: 'PDF/A-2b' },
  newer: { conformance: ['PDF/A-4', 'PDF/UA-2'] },
  both: {
    conformance: BOTH,
    attachments: [{ name: 'a.txt', type: 'text/plain', content: 'YQ==' }],
    invoice: { xml: invoiceXml(SALES.plain as Sale, 'EN 16931'), profile: 'EN 16931' },
  },
};
/** The number of time stamps by signature level. */
const STAMPS: Record<string, number> = { B: 0, T: 1, LT: 1, LTA: 2 };
const FIELDS: Record<string, object | undefined> = { hidden: undefined, shown: FIELD, drawn: DRAWN, placed: { name: 'ada' } };

/** The paths of the signed files. */
const files: string[] = [];
const folder = await makeFolder('signatures');
const issuer = await issue('Test CA', { isAuthority: true });
const revocation = await RevocationAuthority.start().then(closeAfterAll);
revocation.issuer = issuer;
const authority = await TimeStampAuthority.start(issuer, { crlUrl: revocation.at('/list') }).then(closeAfterAll);
const settings = { PLATEN_TSA_URL: authority.url, PLATEN_OUTBOUND_ALLOW: new URL(revocation.origin).host };
const [service] = await Promise.all([
  startService(settings).then(closeAfterAll),
  fetchVeraPdf(),
  fetchMustang(),
  fetchSignatureTools(),
]);
const root = join(folder, 'root.pem');
const lines = issuer.der.toString('base64').match(/.{1,64}/g) ?? [];
await writeFile(root, `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`);
for (const kind of ['RSA', 'EC'] as const) await signAll(kind, issuer);

async function signAll(kind: KeyKind, issuer: IssuedCertificate): Promise<void> {
  const client = new Client(service.url, service.key);
  const own = await issue(`Ada ${kind}`, { kind, issuer, keyUsage: 0b1100_0000, ocspUrl: revocation.at('/ocsp') });
  const stored = await client.send('POST', '/v1/certificates', {
    name: kind,
    pkcs12: pkcs12Of(own, [issuer], 'x'),
    password: 'x',
  });
  const { certificate_id: certificate } = (await stored.json()) as { certificate_id: string };
  for (const level of ['B-B', 'B-T', 'B-LT', 'B-LTA'])
    for (const [option, options] of Object.entries(OPTIONS))
      for (const [appearance, field] of Object.entries(FIELDS)) {
        const signature = { certificate, level, reason: 'Agreed', location: 'Zürich', ...(field && { field }) };
        const response = await succeeded(
          client.pdf({ html: HTML, options: { ...options, signature, forms: appearance === 'placed' } }),
        );
        const file = join(folder, `${kind} ${level} ${option} ${appearance}.pdf`);
        await writeFile(file, await bytesOf(response));
        files.push(file);
      }
}

test('creates signatures whose level and integrity EU DSS confirms', async () => {
  const lines = await verifyWithDss(root, files);
  const wrong = lines.filter((line) => {
    const level = /^\w+ B-(\w+)/.exec(line)?.[1] ?? '';
    return ![`PAdES-BASELINE-${level}\tintact=true\tvalid=true`, `\tstamps=${STAMPS[level]}\t`].every((part) =>
      line.includes(part),
    );
  });
  expect(wrong).toEqual([]);
  expect(lines).toHaveLength(files.length);
});

test('creates signed files whose profiles veraPDF confirms', async () => {
  const claiming = files.filter((file) => / (?:archive|both|newer) /.test(file));
  const verdicts = await validateWithVeraPdf(claiming);
  const errors = claiming.flatMap((file) =>
    Object.entries(verdicts.get(basename(file)) ?? { unknown: ['nothing'] }).flatMap(([profile, rules]) =>
      rules.map((rule) => `${basename(file)}: ${profile} ${rule}`),
    ),
  );
  expect(errors).toEqual([]);
  for (const level of ['B-T', 'B-LTA'])
    expect(Object.keys(verdicts.get(`EC ${level} both drawn.pdf`) ?? {}).sort()).toEqual(['PDF/A-3A', 'PDF/UA-1']);
});

test('embeds invoices that Mustang accepts in signed files that are also PDF/A-3a and PDF/UA-1', async () => {
  const names = ['RSA B-B both hidden', 'EC B-T both drawn', 'EC B-LTA both placed'].map((name) => join(folder, `${name}.pdf`));
  expect(await validateInvoices(names)).toEqual(new Map(names.map((name) => [name, []])));
});

test.each([
  'RSA B-B plain hidden',
  'RSA B-T both shown',
  'EC B-T packed drawn',
  'RSA B-LT both shown',
  'EC B-LTA packed drawn',
  'EC B-T both placed',
])('creates signatures that pyHanko and pdfsig accept (%s)', async (name) => {
  const file = join(folder, `${name}.pdf`);
  expect(await verifyWithPyHanko(root, file)).toBe('The signature is judged VALID.');
  const output = await verifyWithPdfsig(file);
  expect(output).toContain('Signature is Valid');
  // A signature does not cover what is appended after it. At level B-LTA, the time stamp covers it.
  expect(output).toContain(name.includes('B-LT ') ? 'Not total document signed' : 'Total document signed');
  expect(output).toContain('ETSI.CAdES.detached');
});
