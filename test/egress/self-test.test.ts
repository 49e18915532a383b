/** The service does not start with a browser that lacks isolation. */
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { locateBrowser } from '../../src/chromium/browser/locate-browser.ts';
import { loadConfig } from '../../src/config.ts';
import { Client } from '../support/client.ts';
import { makeFolder } from '../support/close-after-all.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { failedStart, startService } from '../support/service.ts';
import { BROWSER_SETTINGS } from '../support/test-browser.ts';

const folder = await makeFolder('wrapper');

/** Writes a browser that drops all switches with these prefixes and adds others. */
async function browserWithout(dropped: string[], added: string[] = []): Promise<string> {
  const { path, env } = await locateBrowser(loadConfig(BROWSER_SETTINGS).engine.location);
  const exports = Object.entries(env).map(([name, value]) => `export ${name}='${value}'`);
  const patterns = dropped.map((start) => `${start}*`).join(' | ');
  const wrapper = join(folder, `browser-${Math.random()}`);
  await writeFile(
    wrapper,
    `#!/bin/sh
${exports.join('\n')}
for argument do
  shift
  ${patterns ? `case "$argument" in ${patterns}) continue ;; esac` : ''}
  set -- "$@" "$argument"
done
exec '${path}' "$@" ${added.join(' ')}
`,
  );
  await chmod(wrapper, 0o755);
  return wrapper;
}

const refusalOf = (browserPath: string) => failedStart({ PLATEN_BROWSER_PATH: browserPath });

test('starts and renders with every setting', async () => {
  await using service = await startService({ PLATEN_BROWSER_PATH: await browserWithout([]) });
  const { pages } = await readPdfReply(await new Client(service.url, service.key).pdf({ html: '<p>x' }));
  expect(pages).toEqual(['x']);
});

describe('refuses to start', () => {
  const WEBRTC = ['--force-webrtc-ip-handling-policy', '--webrtc-ip-handling-policy'];

  test.each<[name: string, dropped: string[], added: string[], says: RegExp]>([
    ['without the switches of WebRTC', WEBRTC, [], /reached a UDP port/],
    ['with files open to documents', [], ['--disable-web-security', '--allow-file-access-from-files'], /read a file|reached/],
  ])('%s', async (_name, dropped, added, says) => {
    const refusal = await refusalOf(await browserWithout(dropped, added));
    expect(refusal).toMatch(/^the service ended with [1-9]/);
    expect(refusal).toMatch(says);
    expect(refusal).toContain('the browser failed its self-test');
  });
});
