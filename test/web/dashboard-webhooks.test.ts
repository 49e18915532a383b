/** Webhooks in the dashboard: a test event, and an event that was given up and is sent again. */
import { expect, test } from 'vitest';
import { closeAfterAll } from '../support/close-after-all.ts';
import { openDashboards } from '../support/dashboard.ts';
import { accessibilityViolations } from '../support/page-checks.ts';
import { Receiver } from '../support/receiver.ts';
import { eventually } from '../support/service.ts';
import { NARROW } from '../support/web-page.ts';

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
