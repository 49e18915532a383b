/** Converts a page with an additional file, takes a screenshot of it, and changes PDFs in every way, with chromiumly. */
import { writeFile } from 'node:fs/promises';
import { Chromiumly, HtmlConverter, HtmlScreenshot, PDFEngines, PdfFormat } from 'chromiumly';

const { PLATEN_KEY: password = '', PLATEN_URL: endpoint = '' } = process.env;
Chromiumly.configure({ endpoint, username: 'anyone', password });

const html = Buffer.from('<link rel="stylesheet" href="a.css"><h1>From TypeScript</h1>');
await writeFile('a.css', "h1::after { content: ' with a file' }");
await writeFile('data.txt', 'attached');
const page = await new HtmlConverter().convert({
  html,
  assets: [{ file: 'a.css', name: 'a.css' }],
  properties: { size: { width: 5.83, height: 8.27 } },
});
await writeFile('page.pdf', page);
await writeFile('page.png', await new HtmlScreenshot().capture({ html, properties: { format: 'png' } }));
const merged = await PDFEngines.merge({ files: [page, page], metadata: { Title: 'Merged' }, flatten: true });
const described = await PDFEngines.writeMetadata({
  files: [page],
  metadata: { Title: 'Written', Author: 'Ada', Keywords: ['one', 'two'] },
});
const facts = await PDFEngines.writeBookmarks({ files: [described], bookmarks: [{ title: 'First', page: 1 }] });
const made = {
  merged,
  facts,
  split: await PDFEngines.split({ files: [merged], options: { mode: 'pages', span: '2-', unify: true } }),
  rotated: await PDFEngines.rotate({ files: [merged], angle: 90, pages: '2' }),
  watermark: await PDFEngines.watermark({
    files: [page],
    watermark: { source: 'text', expression: 'Below', options: { fontname: 'Helvetica', points: 24, fillcolor: '#FF0000' } },
  }),
  stamp: await PDFEngines.stamp({
    files: [merged],
    stamp: { source: 'pdf', expression: 'page.pdf', file: 'page.pdf', pages: '1' },
  }),
  encrypted: await PDFEngines.encrypt({ files: [page], options: { userPassword: 'open', ownerPassword: 'own' } }),
  embedded: await PDFEngines.embed({ files: [page], embeds: ['data.txt'] }),
  flattened: await PDFEngines.flatten([page]),
  archived: await PDFEngines.convert({ files: [page], pdfa: PdfFormat.A_2b }),
};
for (const [name, content] of Object.entries(made)) await writeFile(`${name}.pdf`, content);
const read = [await PDFEngines.readMetadata({ files: [facts] }), await PDFEngines.readBookmarks([facts])];
await writeFile('facts.json', JSON.stringify(read.map((json) => Object.values(JSON.parse(json.toString()))[0])));
