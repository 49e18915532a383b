/** The playground while somebody types: renders in time, slow renders, outdated PDFs, and downloads that wait. */
import type { Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessibilityViolations } from '../support/page-checks.ts';
import type { PlaygroundPage } from '../support/playground-page.ts';
import { openPlaygrounds } from '../support/playgrounds.ts';
import { readPdf } from '../support/read-pdf.ts';
import { eventually } from '../support/service.ts';
import { SEES_BODIES } from '../support/web-page.ts';

const { open } = await openPlaygrounds();

/** The clock of the page stands still after this, and moves with `page.clock`. */
async function openWithClock(): Promise<PlaygroundPage> {
  const playground = await open();
  await playground.shows('Northlight Studio');
  await playground.page.clock.install();
  await playground.page.clock.pauseAt(Date.now() + 60_000);
  return playground;
}

interface Sent {
  html: string;
  isAborted: boolean;
  answer(): Promise<void>;
}

const NOTE_TIMES = `
  sentAt = [];
  const send = fetch;
  fetch = (...request) => {
    sentAt.push(Date.now());
    return send(...request);
  };`;

/** Holds the replies to all renders back until they are answered, and notes in the page when they began. */
async function holdReplies({ page }: PlaygroundPage): Promise<Sent[]> {
  const sent: Sent[] = [];
  page.on('requestfailed', (request) => {
    const found = sent.find(({ html }) => html === request.postDataJSON()?.html);
    if (found) found.isAborted = true;
  });
  await page.evaluate(NOTE_TIMES);
  await page.route('**/v1/playground/pdf', async (route: Route) => {
    const { html } = route.request().postDataJSON() as { html: string };
    sent.push({ html, isAborted: false, answer: () => route.continue() });
  });
  return sent;
}

/** Types at the end of the text, a key every 100 ms on the clock of the page, and returns the time of the first key. */
async function typeSteadily({ page }: PlaygroundPage, text: string): Promise<number> {
  const first = (await page.evaluate('Date.now()')) as number;
  for (const key of text) {
    await page.keyboard.insertText(key);
    await page.clock.runFor(100);
  }
  return first;
}

test.runIf(SEES_BODIES)('renders in time while typing does not pause, and shows the older of two renders under way', async () => {
  const playground = await openWithClock();
  const { page } = playground;
  const sent = await holdReplies(playground);
  await playground.editor('HTML').focus();
  await page.keyboard.press('Control+a');
  const begin = await typeSteadily(playground, 'twenty-four letters ok');
  await eventually('three renders began', () => sent.length === 3);
  const times = (await page.evaluate('sentAt')) as number[];
  for (const [index, at] of times.entries())
    expect(at - (times[index - 1] ?? begin), `${times} from ${begin}`).toBeLessThanOrEqual(700);
  await eventually(
    'the second was aborted for the third',
    () => sent.map(({ isAborted }) => isAborted).join() === 'false,true,false',
  );
  await page.clock.resume();
  await sent[0]?.answer();
  await playground.shows(sent[0]?.html ?? '');
  await sent[2]?.answer();
  await eventually('the last text is sent', () => sent.at(-1)?.html === 'twenty-four letters ok');
  await sent.at(-1)?.answer();
  await playground.shows('twenty-four letters ok');
});

test.runIf(SEES_BODIES).each(['light', 'dark'] as const)(
  'shows seconds and Cancel after a second, and dims the outdated PDF, in %s',
  async (colorScheme) => {
    const playground = await open({ colorScheme });
    await playground.shows('Northlight Studio');
    const { page, result } = playground;
    const sent = await holdReplies(playground);
    const cancel = result.getByRole('button', { name: 'Cancel' });
    await playground.write('HTML', '<p>Slow</p>');
    await eventually('it is sent', () => sent.length === 1);
    expect(await cancel.count()).toBe(0);
    await result.getByText('Rendering for 3 s').waitFor();
    await result.getByRole('status').getByText('Still rendering. The PDF that is shown is outdated.').waitFor();
    await page.getByText('Outdated. The new PDF is being rendered.').waitFor();
    await eventually('the PDF is dimmed', async () => (await opacity(playground)) === '0.5', 8_000);
    expect(await accessibilityViolations(page)).toEqual([]);
    await cancel.click();
    await eventually('it is aborted', () => sent[0]?.isAborted === true);
    await result.getByRole('status').getByText('Cancelled. The PDF that is shown is outdated.').waitFor();
    await page.keyboard.press('Enter'); // the focus is on Render
    await eventually('it is sent again', () => sent.length === 2);
    await sent[1]?.answer();
    await playground.shows('Slow');
    await eventually('the PDF is not dimmed', async () => (await opacity(playground)) === '1');
  },
);

function opacity({ page }: PlaygroundPage): Promise<string> {
  return page.evaluate("getComputedStyle(document.querySelector('.pdf-pages:not(.coming)')).opacity");
}

test.runIf(SEES_BODIES)('downloads the new PDF when it is rendered', async () => {
  const playground = await open();
  const { page } = playground;
  await playground.shows('Northlight Studio');
  const sent = await holdReplies(playground);
  await playground.write('HTML', '<p>Newest</p>');
  const download = page.getByRole('button', { name: 'Download' });
  const file = playground.download();
  await eventually('it waits', async () => (await download.getAttribute('aria-busy')) === 'true');
  await eventually('it is sent', () => sent.length === 1);
  await sent[0]?.answer();
  expect((await readPdf(await file)).pages).toEqual(['Newest']);
  expect(await download.getAttribute('aria-busy')).toBe('false');
});
