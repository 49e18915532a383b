/** The examples of the README and the guides succeed against a running service, with the described results. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readDocument, readDocuments } from '../../tools/docs/documents.ts';
import { Client } from '../support/client.ts';
import { makeFolder } from '../support/close-after-all.ts';
import { readPdf } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';
import { pathWithCurlAndJq } from '../support/shell-path.ts';

const commands = readDocument('README.md').blocks.filter(({ language }) => language === 'sh');
/** Without the key, which the test sets itself. */
const variables = commands.find(({ text }) => text.startsWith('KEY='))?.text.replace(/^KEY=.*/, '') ?? '';
const examples = commands.filter(({ text }) => text.includes('$API/'));
const STARTS: Record<string, string> = { pdf: '%PDF-', zip: 'PK' };

const guides = (await readDocuments()).filter(({ path }) => path.startsWith('docs/guide/'));
/** Request bodies that need nothing from the network and are not shortened. */
const bodies = guides.flatMap(({ path, blocks }) =>
  blocks
    .filter(({ language, text }) => language === 'json' && /^\{\s*"html"/.test(text) && !/\.\.\.|https:/.test(text))
    .map(({ line, text }) => [`${path}:${line}`, text] as const),
);

const [service, folder] = await Promise.all([sharedService(), makeFolder('readme')]);
/** The document that earlier examples stored. */
const stored = (await new Client(service.url, service.key).store({ html: 'x' })).document_id;

/** Runs a command as a reader does, after the commands that set the variables. */
async function paste(text: string): Promise<string> {
  const address = variables.replace(/http:\/\/127\.0\.0\.1:\d+/, service.url);
  const env = { PATH: await pathWithCurlAndJq(folder), KEY: service.key, DOCUMENT: stored };
  const script = `set -e -o pipefail\n${address}\n${text}`;
  return (await promisify(execFile)('bash', ['-c', script], { cwd: folder, env })).stdout;
}

test('has six examples', () => {
  expect(examples).toHaveLength(6);
});

test.each(examples.map((example) => [example.line, example.text] as const))(
  'the example at line %i works',
  async (_line, text) => {
    const printed = await paste(text);
    const files = [...text.matchAll(/ -o (\w+\.(\w+))/g)];
    for (const [, name = '', kind = ''] of files)
      expect(await readFile(join(folder, name), 'latin1')).toMatch(new RegExp(`^${STARTS[kind]}`));
    if (files.length) return;
    const headers = { authorization: `Bearer ${service.key}` }; // a link needs none, and ignores it
    expect(await (await fetch(JSON.parse(printed).url, { headers })).text()).toMatch(/^%PDF-/);
  },
);

test('the example of a template fills it', async () => {
  await paste(examples.find(({ text }) => text.includes('template_id'))?.text ?? '');
  expect((await readPdf(await readFile(join(folder, 'receipt.pdf')))).pages[0]).toContain('€19.90');
});

test('the example of an invoice works', async () => {
  const { blocks } = readDocument('docs/guide/invoices.md');
  const textOf = (language: string) => blocks.find((block) => block.language === language)?.text ?? '';
  await writeFile(join(folder, 'factur-x.xml'), textOf('xml'));
  await paste(textOf('sh'));
  expect((await readPdf(await readFile(join(folder, 'invoice.pdf')))).pages).toEqual(['Invoice R-1 119.00 €']);
});

test.each(bodies)('the request at %s is rendered', async (_place, text) => {
  const { status, headers } = await service.pdf(text);
  expect({ status, warnings: headers.get('platen-warnings') }).toEqual({ status: 200, warnings: '0' });
});
