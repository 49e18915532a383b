/** A browser that is started by a script is limited, measured and ended like any other, or refused if it is not a descendant. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../support/close-after-all.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import {
  browserProcesses,
  browserProcessesOfType,
  eventually,
  failedStart,
  runCli,
  type Service,
  startService,
} from '../support/service.ts';
import { AS_DEBIAN, writeWrapper } from '../support/wrapper-script.ts';

const folder = await makeFolder('wrapper');

const BUFFERS = '<script>const a = []; for (;;) a.push(new Uint8Array(2e7).fill(1))</script>';
const PLAIN = '<p>next';

const WRAPPERS: Array<[name: string, start: string]> = [
  ["a script like Debian's", AS_DEBIAN],
  ['a script that starts a new session', 'setsid --wait "$browser" "$@"'],
];

describe.each(WRAPPERS)('a browser started by %s', (name, start) => {
  let service: Service;
  beforeAll(async () => {
    const path = await writeWrapper(folder, name.replaceAll(' ', '-').replaceAll("'", ''), start);
    service = await startService({ PLATEN_BROWSER_PATH: path, PLATEN_RENDERER_MEMORY_MB: '700' });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const renders = async () => expect((await readPdfReply(await service.pdf({ html: PLAIN }))).pages).toEqual(['next']);

  test('is measured page by page', async () => {
    await renders();
    expect(await service.metric('platen_pages_warm')).toBeGreaterThan(0);
    expect(await service.metric('platen_renderer_memory_bytes')).toBeGreaterThan(10_000_000);
  });

  test('keeps running when a page exceeds its limit', async () => {
    const response = await service.pdf({ html: BUFFERS });
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 422,
      body: { code: 'resource_limit', limit: 700 * 1_048_576 },
    });
    await renders();
    expect(await service.metric('platen_browser_crashes_total')).toBe(0);
  });

  test('is ended together with the script if it never responds', async () => {
    const [before] = await realBrowsers(service);
    process.kill(before as number, 'SIGSTOP');
    const response = await service.pdf({ html: PLAIN, options: { timeout: 60_000 } });
    expect((await readPdfReply(response)).pages).toEqual(['next']);
    await eventually(
      'the browser that was stopped has ended',
      async () => !(await realBrowsers(service)).includes(before as number),
    );
  });

  test('is replaced when the script dies', async () => {
    const [before] = await realBrowsers(service);
    process.kill(await parentOf(before as number), 'SIGKILL');
    await eventually('the browser has ended', async () => !(await realBrowsers(service)).includes(before as number));
    await renders();
  });

  test('leaves no process or temporary file behind', async () => {
    const groups = await browserProcesses(service);
    expect(groups.length).toBeGreaterThan(2);
    expect(await service.stop()).toBe(0);
    await eventually('all processes have ended', async () => (await stillRunning(groups)).length === 0);
    expect(await readdir(service.tmp)).toEqual([]);
  });
});

const path = await writeWrapper(
  folder,
  'unseen',
  `( setsid "$browser" "$@" & echo $! > "$TMPDIR/pid" )
while kill -0 "$(cat "$TMPDIR/pid")" 2> /dev/null; do sleep 0.1; done`,
);

describe('a script whose browser is not its descendant', () => {
  test('fails to start, and the service says why', async () => {
    const failure = await failedStart({ PLATEN_BROWSER_PATH: path });
    expect(failure).toMatch(/^the service ended with [1-9]/);
    expect(failure).toContain('memory of pages could not be limited');
    expect(failure).toContain('exec');
  });

  test('is reported by platen doctor with a remedy', async () => {
    const { stdout, code } = await runCli(['doctor'], {
      ...(process.env as Record<string, string>),
      PLATEN_BROWSER_PATH: path,
      PLATEN_DATA_DIR: join(folder, 'data'),
      PLATEN_PORT: '0',
    }).then(
      ({ stdout }) => ({ stdout, code: 0 }),
      (error: { stdout: string; code: number }) => error,
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(/PROBLEM {2}browser: .*memory of pages could not be limited.*`exec`/);
  });
});

const realBrowsers = (service: Service) => browserProcessesOfType(service, 'browser');

async function parentOf(pid: number): Promise<number> {
  return Number((await statOf(pid))[1]);
}

async function stillRunning(pids: number[]): Promise<number[]> {
  const states = await Promise.all(pids.map(async (pid) => (await statOf(pid))[0] ?? 'X'));
  return pids.filter((_pid, index) => !'ZX'.includes(states[index] as string));
}

/** Returns the fields of `/proc/<pid>/stat` from the state on. The program name before them may contain spaces. */
async function statOf(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ') X');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
