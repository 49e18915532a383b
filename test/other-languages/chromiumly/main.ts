/** Converts a page with an additional file, takes a screenshot of it, and merges two PDFs, with chromiumly. */
import { writeFile } from 'node:fs/promises';
import { Chromiumly, HtmlConverter, HtmlScreenshot, PDFEngines } from 'chromiumly';

const { PLATEN_KEY: password = '', PLATEN_URL: endpoint = '' } = process.env;
Chromiumly.configure({ endpoint, username: 'anyone', password });

const html = Buffer.from('<link rel="stylesheet" href="a.css"><h1>From TypeScript</h1>');
await writeFile('a.css', "h1::after { content: ' with a file' }");
const page = await new HtmlConverter().convert({
  html,
  assets: [{ file: 'a.css', name: 'a.css' }],
  properties: { size: { width: 5.83, height: 8.27 } },
});
await writeFile('page.pdf', page);
await writeFile('page.png', await new HtmlScreenshot().capture({ html, properties: { format: 'png' } }));
await writeFile('merged.pdf', await PDFEngines.merge({ files: [page, page], metadata: { Title: 'Merged' }, flatten: true }));
