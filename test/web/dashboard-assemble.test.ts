/** Assembling PDFs in the dashboard: files and templates in, pages in another order out. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { Client, type DocumentRecord, type List } from '../support/client.ts';
import { goTo, openDashboards } from '../support/dashboard.ts';
import { openPdf } from '../support/open-pdf.ts';
import { asksBeforeClosing, expectSound } from '../support/page-checks.ts';
import { readPdf } from '../support/read-pdf.ts';
import { IN_FIREFOX, NARROW, SEES_DOWNLOADS } from '../support/web-page.ts';

const { service, signIn, newClient } = await openDashboards();
const ada = new Client(service.url, service.key);

const pagesOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => `<p style="break-before: page">${name} ${n + 1}`).join('');
const toFile = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/pdf', buffer });

const terms = toFile('terms.pdf', await ada.rendered({ html: pagesOf('terms', 3) }));
const offer = toFile('offer.pdf', await ada.rendered({ html: pagesOf('offer', 1) }));
const sealed = toFile('sealed.pdf', await ada.rendered({ html: pagesOf('sealed', 1), options: { password: 'sesame' } }));

const cardsIn = (page: Page) => page.getByRole('list', { name: 'Pages of the new PDF' }).getByRole('button');
const tool = (page: Page, name: string) =>
  page.getByRole('toolbar', { name: 'Selected pages' }).getByRole('button', { name, exact: true });

async function add(page: Page, files: Array<ReturnType<typeof toFile>>): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Add PDFs' }).press('Enter');
  await (await chooser).setFiles(files);
}

async function drop(page: Page, { name, mimeType, buffer }: ReturnType<typeof toFile>): Promise<void> {
  const dropped = await page.evaluateHandle(
    `(() => {
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob(${JSON.stringify(buffer.toString('base64'))}), (letter) => letter.charCodeAt(0));
      data.items.add(new File([bytes], ${JSON.stringify(name)}, { type: ${JSON.stringify(mimeType)} }));
      return data;
    })()`,
  );
  await page.getByRole('heading', { name: 'Assemble' }).dispatchEvent('drop', { dataTransfer: dropped });
}

/** Dragging does not begin in a Firefox that Playwright drives. */
async function dragPage(page: Page, from: number, to: number): Promise<void> {
  const [card, other] = [cardsIn(page).nth(from), cardsIn(page).nth(to)];
  if (!IN_FIREFOX) return card.dragTo(other);
  const dataTransfer = await page.evaluateHandle('new DataTransfer()');
  await card.dispatchEvent('dragstart', { dataTransfer });
  await other.dispatchEvent('drop', { dataTransfer });
}

async function download(page: Page): Promise<Buffer> {
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).press('Enter');
  return readFile(await (await downloading).path());
}

const assembled = (page: Page) => page.getByRole('region', { name: 'The new PDF' });

test.runIf(SEES_DOWNLOADS)('orders, turns and drops pages with the keyboard alone, and stores nothing', async () => {
  const client = await newClient();
  const page = await signIn(client.key, '/assemble');
  await add(page, [terms, offer]);
  await page.getByText('4 pages, 0 selected').waitFor();
  await cardsIn(page).nth(3).press('Enter');
  await tool(page, 'To the start').press('Enter');
  await cardsIn(page).nth(0).press('Space');
  await cardsIn(page).nth(2).press('Enter');
  await tool(page, 'Remove').press('Enter');
  await cardsIn(page).nth(2).press('Enter');
  await tool(page, 'Turn').press('Enter');
  await tool(page, 'Earlier').press('Enter');
  expect(await cardsIn(page).allTextContents()).toEqual([
    '1: page 1 of offer.pdf',
    '2: page 3 of terms.pdf, turned by 90°',
    '3: page 1 of terms.pdf',
  ]);
  await page.getByRole('button', { name: 'Assemble', exact: true }).press('Enter');
  await assembled(page).getByText('offer 1').waitFor();
  const made = await download(page);
  expect((await readPdf(made)).pages).toEqual(['offer 1', 'terms 3', 'terms 1']);
  await using opened = await openPdf(made);
  const turns = [1, 2, 3].map(async (number) => (await opened.document.getPage(number)).rotate);
  expect(await Promise.all(turns)).toEqual([0, 90, 0]);
  expect((await client.json<List<DocumentRecord>>('/v1/documents')).data).toEqual([]);
  await tool(page, 'Turn').press('Enter');
  await page.getByText('Outdated. Assemble it again.').waitFor();
  expect(await page.getByRole('button', { name: 'Download' }).isDisabled()).toBe(true);
});

test('puts a template on a letterhead, and stores the result on request', async () => {
  const client = await newClient();
  await client.template('<p>Dear {{name}}</p>', { name: 'Greeting' });
  const page = await signIn(client.key, '/assemble');
  await page.getByLabel('Template').selectOption('Greeting');
  await page.getByRole('button', { name: 'Add the template' }).click();
  await page.getByText('1 page, 0 selected').waitFor();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Add a letterhead' }).click();
  await (await chooser).setFiles([offer]);
  await page.getByRole('button', { name: 'Remove the letterhead offer.pdf' }).waitFor();
  await page.getByLabel('File name').fill('letter.pdf');
  await page.getByLabel('Store the result').check();
  await page.getByRole('button', { name: 'Assemble', exact: true }).click();
  await assembled(page).getByText('Dear').waitFor();
  await page.getByRole('link', { name: 'Open the stored document' }).click();
  await page.getByRole('heading', { name: 'letter.pdf' }).waitFor();
  const [stored] = (await client.json<List<DocumentRecord>>('/v1/documents')).data;
  const { pages } = await readPdf(await (await client.get(`/v1/documents/${stored?.document_id}`)).arrayBuffer());
  expect(pages[0]).toContain('Dear name');
  expect(pages[0]).toContain('offer 1');
  await goTo(page, '/assemble');
  await page.getByText('1 page, 0 selected').waitFor(); // the pages are still there
});

test('asks for the password of a protected file, and takes files and pages that are dragged', async () => {
  const page = await signIn((await newClient()).key, '/assemble');
  await drop(page, terms);
  await page.getByText('3 pages, 0 selected').waitFor();
  await dragPage(page, 2, 0);
  expect(await cardsIn(page).nth(0).textContent()).toBe('1: page 3 of terms.pdf');
  await add(page, [sealed]);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Password').fill('wrong');
  await dialog.getByRole('button', { name: 'Show the PDF' }).click();
  await dialog.getByText('does not open with this password').waitFor();
  await dialog.getByLabel('Password').fill('sesame');
  await dialog.getByLabel('Password').press('Enter');
  await page.getByText('4 pages, 1 selected').waitFor();
  await page.getByRole('button', { name: 'Assemble', exact: true }).click();
  await assembled(page).getByText('terms 3').waitFor();
  if (SEES_DOWNLOADS) {
    const { pages } = await readPdf(await download(page));
    expect(pages).toEqual(['terms 3', 'terms 1', 'terms 2', 'sealed 1']);
  }
  await drop(page, toFile('no.pdf', Buffer.from('no PDF')));
  await page.getByRole('alert').getByText('no.pdf cannot be read as a PDF').waitFor();
});

// A Firefox that is driven asks nothing.
test.skipIf(IN_FIREFOX).each([
  ['asks before pages are lost that are not assembled', false],
  ['asks nothing at the end of a tab whose pages are assembled', true],
])('%s', async (_, isAssembled) => {
  const page = await signIn((await newClient()).key, '/assemble');
  await add(page, [terms]);
  await page.getByText('3 pages, 0 selected').waitFor();
  if (isAssembled) {
    await page.getByRole('button', { name: 'Assemble', exact: true }).click();
    await assembled(page).getByText('terms 1').waitFor();
  }
  expect(await asksBeforeClosing(page)).toBe(!isAssembled);
});

test('forgets the pages when the visitor signs out', async () => {
  const page = await signIn((await newClient()).key, '/assemble');
  await add(page, [offer]);
  await page.getByText('1 page, 0 selected').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').fill((await newClient()).key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Assemble' }).waitFor();
  expect(await cardsIn(page).count()).toBe(0);
});

test.each(['light', 'dark'] as const)('is accessible and fits narrow windows (%s)', async (colorScheme) => {
  const page = await signIn((await newClient()).key, '/assemble');
  await page.emulateMedia({ colorScheme });
  await expectSound(page);
  await add(page, [terms, sealed]);
  await page.getByRole('dialog').waitFor();
  await expectSound(page);
  await page.getByRole('button', { name: 'Leave the file out' }).click();
  await cardsIn(page).nth(1).click();
  await page.getByRole('button', { name: 'Assemble', exact: true }).click();
  await assembled(page).getByText('terms 1').waitFor();
  await expectSound(page);
  await page.setViewportSize(NARROW);
  await expectSound(page);
});
