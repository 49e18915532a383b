/** Webhooks in the dashboard: a test event, and an event that was given up and is sent again. */
import { expect, test } from 'vitest';
import { closeAfterAll } from '../support/close-after-all.ts';
import { goTo, openDashboards } from '../support/dashboard.ts';
import { accessibilityViolations, expectSound, horizontalOverflow } from '../support/page-checks.ts';
import { Receiver } from '../support/receiver.ts';
import { eventually } from '../support/service.ts';
import { NARROW, WIDE } from '../support/web-page.ts';

const { signIn, newClient } = await openDashboards();
const receiver = await Receiver.start().then(closeAfterAll);

test('sends a test event, and sends it again after it was given up', async () => {
  receiver.answer = (response) => response.writeHead(410).end();
  const page = await signIn((await newClient()).key, '/webhooks');
  await page.getByLabel('URL of your server').fill(receiver.url);
  await page.getByRole('button', { name: 'Send a test event' }).click();
  await eventually('it has arrived', () => receiver.received.length === 1);
  const again = page.getByRole('button', { name: 'Send again: webhook.test' });
  await eventually('it is given up', async () => {
    await page.getByRole('button', { name: 'Refresh' }).click();
    return again.isVisible();
  });
  expect(await accessibilityViolations(page)).toEqual([]);
  const size = page.viewportSize();
  await page.setViewportSize(NARROW);
  expect(await horizontalOverflow(page)).toBe(0);
  await page.setViewportSize(size ?? WIDE);
  receiver.answer = (response) => response.writeHead(204).end();
  await again.click();
  await eventually('it has arrived again', () => receiver.received.length === 2);
  await eventually('it is delivered', async () => {
    await page.getByRole('button', { name: 'Refresh' }).click();
    return page.getByText('Delivered').isVisible();
  });
});

test('says what is wrong with a URL, and shows the whole command on a narrow screen', async () => {
  const page = await signIn((await newClient()).key, '/webhooks', [403]);
  await page.setViewportSize(NARROW);
  await page.getByLabel('URL of your server').fill('http://10.0.0.1/hook');
  await page.getByRole('button', { name: 'Send a test event' }).click();
  await page.getByRole('alert').getByText('url: the network policy of this service does not allow this URL').waitFor();
  const command = page.getByRole('region', { name: 'Command' });
  await command.getByText('"webhook_url"').waitFor();
  expect(await command.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
});

test.each(['light', 'dark'] as const)('shows what was sent and answered, and sends it again (%s)', async (colorScheme) => {
  const before = receiver.received.length;
  receiver.answer = (response) => response.writeHead(410).end('<b>no such hook</b>');
  const client = await newClient();
  await client.send('POST', '/v1/webhooks/test', { url: receiver.url });
  const page = await signIn(client.key, '/webhooks');
  await page.emulateMedia({ colorScheme });
  await page.getByRole('link', { name: 'webhook.test' }).click();
  const attempts = page.getByRole('table', { name: 'Attempts, newest first' }).getByRole('row');
  await attempts.filter({ hasText: '410' }).getByText('<b>no such hook</b>').waitFor();
  await page.getByText('"type": "webhook.test"').waitFor();
  await expectSound(page);

  receiver.answer = (response) => response.writeHead(200).end('thanks');
  await page.getByRole('button', { name: 'Send again' }).press('Enter');
  await attempts.filter({ hasText: '200' }).getByText('thanks').waitFor();
  await page.getByText('Delivered').waitFor();
  expect(await attempts.count()).toBe(3);
  await page.setViewportSize(NARROW);
  await expectSound(page);
  await page.getByRole('button', { name: 'Send again' }).click();
  await eventually('it has arrived a third time', () => receiver.received.length === before + 3);
  expect(new Set(receiver.received.slice(before).map(({ body }) => body)).size).toBe(1);
  await page.getByRole('link', { name: 'All webhooks' }).click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
});

test('says that there is no such webhook', async () => {
  const page = await signIn((await newClient()).key, '/webhooks/msg_0123456789ABCDEFGHIJKL', [404]);
  await page.getByRole('heading', { name: 'There is no such webhook' }).waitFor();
});

test('keeps the URL of a test event until it is sent, and offers it again', async () => {
  const page = await signIn((await newClient()).key, '/webhooks');
  const field = page.getByLabel('URL of your server');
  await field.fill(receiver.url);
  await goTo(page, '/usage');
  await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
  await goTo(page, '/webhooks');
  await expect.poll(() => field.inputValue()).toBe(receiver.url);
  await page.reload();
  await expect.poll(() => field.inputValue()).toBe(receiver.url);
  await page.getByRole('button', { name: 'Send a test event' }).click();
  await page.getByText('The test event is on its way.').waitFor();
  await goTo(page, '/usage');
  await goTo(page, '/webhooks');
  await expect.poll(() => field.inputValue()).toBe(receiver.url);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').waitFor(); // nothing is unsaved that the sign-out would ask about
});
