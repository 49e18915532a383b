/** What other pages can do in the browser of a visitor who is signed in to the dashboard: nothing. */
import type { Page, Request } from 'playwright-core';
import { expect, test } from 'vitest';
import type { List } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { openDashboards, signInAt } from '../support/dashboard.ts';
import { html, Site } from '../support/site.ts';

const { service, visit, newClient } = await openDashboards();
const client = await newClient();
const { document_id } = await client.store({ html: '<p>Secret', filename: 'secret.pdf' });
const picture = `${service.url}/v1/documents/${document_id}/pages/1.png`;
const site = await Site.start({ '/': html('<!doctype html><title>evil</title><body>') }).then(closeAfterAll);

/** Runs in the hostile page, and sends one request. Firefox says nothing when a frame is refused, so frames are not waited for. */
const ATTACKS: Record<string, string> = {
  'an image': `new Promise((resolve) => Object.assign(new Image(), { onload: resolve, onerror: resolve, src: '${picture}' }))`,
  'a request without CORS': `fetch('${service.url}/v1/batches', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' })`,
  'a sign-out': `fetch('${service.url}/v1/session', { method: 'DELETE', credentials: 'include' }).catch(() => {})`,
  'reading with CORS': `fetch('${service.url}/v1/session', { credentials: 'include' }).catch(() => {})`,
  'a form': `{
    const frame = Object.assign(document.createElement('iframe'), { name: 'target' });
    document.body.append(frame);
    const form = Object.assign(document.createElement('form'), {
      method: 'post', enctype: 'text/plain', target: 'target', action: '${service.url}/v1/templates',
    });
    form.append(Object.assign(document.createElement('input'), { name: '{"name":"evil","html":"', value: '"}' }));
    document.body.append(form);
    form.submit();
  }`,
  'a sandboxed frame': `new Promise((resolve) => {
    addEventListener('message', resolve);
    const script = "fetch('${service.url}/v1/session', { mode: 'no-cors', credentials: 'include' }).finally(() => parent.postMessage(1, '*'))";
    document.body.append(Object.assign(document.createElement('iframe'), {
      sandbox: 'allow-scripts', srcdoc: '<script>' + script + '<' + '/script>',
    }));
  })`,
  'a framed document': `document.body.append(Object.assign(document.createElement('iframe'), { src: '${picture}' }))`,
};

interface Answer {
  /** Null if the browser did not give it to the page. */
  status: number | null;
  hasCookie: boolean;
}

/** Returns the answers of the API to a page while `work` is done. */
async function answersTo(page: Page, work: () => Promise<unknown>): Promise<Answer[]> {
  const requests: Request[] = [];
  const isOfApi = (request: Request) => request.url().startsWith(`${service.url}/v1/`);
  const note = (request: Request) => void (isOfApi(request) && requests.push(request));
  page.on('request', note);
  await Promise.all([page.waitForRequest(isOfApi), work()]);
  page.off('request', note);
  return Promise.all(
    requests.map(async (request) => ({
      status: (await request.response())?.status() ?? null,
      hasCookie: 'cookie' in (await request.allHeaders()),
    })),
  );
}

test.each([
  ['another port of the host, which gets the cookie', site.origin, true],
  ['another site', site.as('localhost'), false],
])('a page of %s cannot use the session', async (_, origin, getsCookie) => {
  const visitor = await visit([401, 405, 'CORS', 'ERR_FAILED', 'ERR_BLOCKED', 'Refused to display']);
  const page = await signInAt(visitor, client.key);
  const evil = await visitor.context.newPage();
  await evil.goto(origin);
  for (const [name, script] of Object.entries(ATTACKS)) {
    const answers = await answersTo(evil, () => evil.evaluate(script));
    expect(answers.length, name).toBeGreaterThan(0);
    for (const { status } of answers) expect([401, 405, null], name).toContain(status);
    if (name === 'a form') expect(answers).toEqual([{ status: 401, hasCookie: getsCookie }]);
  }
  expect((await client.json<List<object>>('/v1/templates')).data).toEqual([]);
  expect((await client.json<List<object>>('/v1/batches')).data).toEqual([]);
  // The session goes on, and the same image is there for the page of the service.
  const own = await answersTo(page, () => page.evaluate(ATTACKS['an image'] ?? ''));
  expect(own).toEqual([{ status: 200, hasCookie: true }]);
});

test('no script of the page can read the cookie', async () => {
  const visitor = await visit();
  const page = await signInAt(visitor, client.key);
  expect(await page.evaluate('document.cookie')).toBe('');
  const [cookie] = await visitor.context.cookies();
  expect(cookie).toMatchObject({ name: 'platen-session', httpOnly: true, sameSite: 'Strict', path: '/', expires: -1 });
  expect(cookie?.value).not.toContain(client.key);
});
