/** Only one pixel of a page is painted on the screen, but the page sees a full-sized window and prints the same. */
import { expect, test } from 'vitest';
import { setWindow } from '../../src/chromium/devtools/emulation.ts';
import { startBareBrowser } from '../support/bare-browser.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { Tab } from '../support/tab.ts';

const bare = await startBareBrowser().then(closeAfterAll);

const DOCUMENT = `<!doctype html><style>
  #tall { height: 5000px; width: 1500px; background: linear-gradient(red, blue) } #far { content-visibility: auto } @media (min-width: 801px) { p { color: red } }
</style><p>text<div id=near>near</div><div id=tall></div><div id=far>far</div><canvas id=canvas width=300 height=200></canvas>`;

/** A script that draws, scrolls and animates, and resolves to everything a document can find out about its window. */
const FACTS = `(async () => {
  const part = (element) => new Promise((resolve) => new IntersectionObserver(([{ intersectionRatio, rootBounds, boundingClientRect }]) =>
    resolve([intersectionRatio, rootBounds.toJSON(), boundingClientRect.toJSON()])).observe(element));
  const facts = { near: await part(near), tall: await part(tall), far: await part(far) };
  for (let n = 0; n < 10; n++) await new Promise(requestAnimationFrame);
  facts.window = [innerWidth, innerHeight, outerWidth, outerHeight, devicePixelRatio, screen.width, screen.height, screen.availWidth, screenX, screenY];
  facts.viewport = [visualViewport.width, visualViewport.height, visualViewport.scale, visualViewport.offsetLeft];
  facts.media = ['(min-width: 800px)', '(min-device-width: 800px)', '(resolution: 1dppx)', '(hover)', '(pointer: fine)', '(orientation: landscape)', '(update: none)'].map((query) => matchMedia(query).matches);
  facts.page = [document.visibilityState, document.hasFocus(), document.elementFromPoint(20, 300)?.id, document.scrollingElement.scrollWidth, document.documentElement.clientWidth];
  scrollTo(0, 3000);
  await new Promise(requestAnimationFrame);
  facts.scrolled = [scrollY, await part(tall)];
  facts.animation = (await near.animate([{ opacity: 0 }, { opacity: 1 }], 50).finished).playState;
  const brush = canvas.getContext('2d');
  brush.fillRect(0, 0, 300, 200);
  facts.canvas = canvas.toDataURL();
  scrollTo(0, 0);
  return JSON.stringify(facts);
})()`;

async function factsAndPdf(prepare: (tab: Tab) => Promise<unknown>): Promise<{ facts: Record<string, unknown>; pdf: string }> {
  await using tab = await Tab.open(bare.browser);
  await prepare(tab);
  await tab.load(DOCUMENT);
  const facts = JSON.parse(String(await tab.evaluate(FACTS)));
  const { data } = await tab.session.send('Page.printToPDF', { printBackground: true });
  const pdf = Buffer.from(data, 'base64').toString('latin1');
  return { facts, pdf: pdf.replace(/\(D:\d{14}[^)]*\)/g, '(date)') };
}

test('reports the default window to the document, and prints the same', async () => {
  const expected = await factsAndPdf(async () => {});
  const actual = await factsAndPdf(({ session }) => setWindow(session));
  expect(actual.facts).toEqual(expected.facts);
  expect(expected.facts.window).toEqual([800, 600, 800, 600, 1, 800, 600, 800, 0, 0]);
  expect(actual.pdf === expected.pdf, 'the same bytes').toBe(true);
});

test('reports a window of another size, and prints the same', async () => {
  const size = { width: 1024, height: 700, deviceScaleFactor: 2 };
  const expected = await factsAndPdf(({ session }) =>
    session.send('Emulation.setDeviceMetricsOverride', { ...size, mobile: false }),
  );
  const actual = await factsAndPdf(({ session }) => setWindow(session, size));
  expect(actual.facts).toEqual(expected.facts);
  expect(actual.facts.viewport).toEqual([1024, 700, 1, 0]);
  expect(actual.pdf === expected.pdf, 'the same bytes').toBe(true);
});
