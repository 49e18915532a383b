/** Webhooks in the dashboard: a test event, and an event that was given up and is sent again. */
import { expect, test } from 'vitest';
import { closeAfterAll } from '../support/close-after-all.ts';
import { openDashboards } from '../support/dashboard.ts';
import { accessibilityViolations } from '../support/page-checks.ts';
import { Receiver } from '../support/receiver.ts';
import { eventually } from '../support/service.ts';

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
