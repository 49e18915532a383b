/** A document to print is laid out for its paper before it is printed, so that scripts which measure the window draw for the paper. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { bytesOf, Client, succeeded } from '../support/client.ts';
import { readImageHeader } from '../support/read-image.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { sharedService } from '../support/shared-service.ts';
import { html as page, Site } from '../support/site.ts';

const service = await sharedService();

const WINDOW = '<p id=p></p><script>p.textContent = [innerWidth, innerHeight, devicePixelRatio].join()</script>';
const css = (text: string) => `<!doctype html><style>${text}</style>${WINDOW}`;

async function textOf(html: string, options: object = {}): Promise<string> {
  return (await readPdfReply(await service.pdf({ html, options }))).pages.join();
}

/** The numbers of pixels of the images in a PDF, side by side. */
function imageWidths(pdf: Buffer): number[] {
  return Array.from(pdf.toString('latin1').matchAll(/\/Subtype \/Image\s+\/Width (\d+)/g), ([, width]) => Number(width));
}

describe('the window', () => {
  test.each<[what: string, html: string, options: object, width: number]>([
    ['of A4', WINDOW, {}, 717],
    ['of A4 in landscape', WINDOW, { landscape: true }, 1046],
    ['of another format and margin', WINDOW, { format: 'A5', margin: 0 }, 559],
    ['of a label', WINDOW, { width: '80mm', height: '40mm', margin: '5mm' }, 265],
    ['of a single page', WINDOW, { width: '80mm', margin: '5mm', singlePage: true }, 265],
    ['at another scale', WINDOW, { scale: 0.5 }, 1434],
    ['of a size in the markup', css('@page { size: A5 landscape; margin: 1cm }'), {}, 718],
    ['of lengths in the markup', css('@page { size: 210mm 100mm; margin-left: 0 }'), {}, 755],
    ['of an orientation in the markup', css('@page { size: landscape }'), {}, 1046],
    ['of a size that only Platen knows', css('@page { size: A6; margin: 0 }'), {}, 397],
    ['of margins in percent', css('@page { margin: 10% 20mm 0 }'), {}, 643],
    ['of later rules', css('@page { margin: 1in } @media print { @page { margin: 0 3in 0 0 } }'), {}, 506],
    ['of an added style', WINDOW, { addStyleTag: { content: '@page { margin: 0 }' } }, 794],
    ['of rules for some pages only', css('@page :first { margin: 0 } @page wide { size: A3 }'), {}, 717],
    ['of rules for screens', css('@media screen { @page { margin: 0 } }'), {}, 717],
    ['of markup that the caller overrides', css('@page { size: A3; margin: 0 }'), { format: 'A4', margin: '1in' }, 602],
    ['of more than Chromium can have', css('@page { size: 1e9px 1in; margin: 0 }'), {}, 1_000_000],
    ['of broken styles', `<!doctype html>${'<style '.repeat(50)}></style>${WINDOW}`, {}, 717],
  ])('%s', async (_what, html, options, width) => {
    expect(await textOf(html, options)).toBe(`${width},600,2`);
  });

  test.each([
    ['<link rel="stylesheet" href="css/a%20b.css">', 483],
    ["<LINK href='/css/a&#32;b.css?v=1' rel=StyleSheet media=print>", 483],
    ['<link rel="stylesheet" href="css/a%20b.css"><style>@page { size: A4 }</style>', 717],
    ['<link rel="stylesheet" href="css/a%20b.css" media="screen">', 717],
    ['<link rel="alternate stylesheet" title="x" href="css/a%20b.css">', 717],
    ['<!-- <link rel="stylesheet" href="css/a%20b.css"> -->', 717],
    ['<link rel="stylesheet" href="none.css"><link rel="stylesheet" href="http://%">', 717],
  ])('is that of a linked sheet among the assets: %s', async (link, width) => {
    const assets = { 'css/a b.css': { content: Buffer.from('@page { size: A5 }').toString('base64') } };
    const pdf = await readPdfReply(await service.pdf({ html: `<!doctype html>${link}${WINDOW}`, assets }));
    expect(pdf.pages.join()).toBe(`${width},600,2`);
  });

  test('is as the caller says with viewport', async () => {
    expect(await textOf(WINDOW, { viewport: { width: 500, height: 400 } })).toBe('500,400,1');
    expect(await textOf(WINDOW, { viewport: { width: 500, height: 400, deviceScaleFactor: 3 } })).toBe('500,400,3');
    expect(await textOf(WINDOW)).toBe('717,600,2');
  });

  test('has 800 by 600 pixels for images, also after a print', async () => {
    await textOf(WINDOW, { format: 'A5' });
    const html = `<style>body { margin: 0 }</style><div style="height: 9px"></div><script>
      if (innerWidth !== 800 || devicePixelRatio !== 1) document.querySelector('div').style.height = '99px'</script>`;
    const response = await new Client(service.url, service.key).send('POST', '/v1/image', { html });
    expect(response.status).toBe(200);
    expect(readImageHeader(await bytesOf(response))).toMatchObject({ width: 800, height: 600 });
  });

  test('has the pixels of paper in frames, and in documents from a URL', async () => {
    const frame = '<iframe srcdoc="<body>in<script>document.body.append(devicePixelRatio)</script>"></iframe>';
    expect(await textOf(frame + WINDOW)).toContain('in2');
    const site = await Site.start({ '/': page(WINDOW) });
    const printed = await service.pdf({ url: site.origin }).finally(() => site.close());
    expect((await readPdfReply(printed)).pages).toEqual(['717,600,2']);
  });

  test('lets a document replace its pixel ratio', async () => {
    expect(await textOf(`<script>devicePixelRatio = 4</script>${WINDOW}`)).toBe('717,600,4');
  });
});

test('a chart is printed at full size, with 192 dpi', async () => {
  const path = createRequire(import.meta.url)
    .resolve('chart.js')
    .replace(/[^/]+$/, 'chart.umd.js');
  const assets = { 'chart.js': { content: (await readFile(path)).toString('base64') } };
  const html = `<!doctype html><style>body { margin: 8px }</style><script src=chart.js></script><div><canvas id=a></canvas></div>
    <div style="width: 300px"><canvas id=b></canvas></div><script>
    new Chart(a, { type: 'bar', data: { labels: ['North', 'South'], datasets: [{ label: 'Units', data: [12, 19] }] } });
    new Chart(b, { type: 'doughnut', data: { labels: ['A', 'B'], datasets: [{ data: [70, 30] }] } });
    </script>`;
  const response = await succeeded(
    service.pdf({ html, assets, options: { failOnWarning: ['content_shrunk'], compress: false } }),
  );
  const pdf = await bytesOf(response);
  expect(imageWidths(pdf)).toEqual(expect.arrayContaining([1402, 600]));
});

test('images are chosen as before, whatever scripts the document has', async () => {
  const picture = (side: number) => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}"/>`);
  const assets = {
    'one.svg': { content: picture(9).toString('base64') },
    'two.svg': { content: picture(18).toString('base64') },
  };
  const html = `<img id=i srcset="one.svg 1x, two.svg 2x"><p id=p></p><script>
    onload = () => { p.textContent = i.currentSrc.slice(-7) + devicePixelRatio }</script>`;
  expect((await readPdfReply(await service.pdf({ html, assets }))).pages).toEqual(['one.svg2']);
  const options = { viewport: { width: 800, height: 600, deviceScaleFactor: 2 } };
  expect((await readPdfReply(await service.pdf({ html, assets, options }))).pages).toEqual(['two.svg2']);
});
