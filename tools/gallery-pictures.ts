/**
 * Draws the pictures of the gallery: starts the service, renders each template with its first data set, and writes the first page to
 * web/gallery/NAME/page.webp. Prints the pages and warnings of every data set.
 * Run: node tools/gallery-pictures.ts [name ...]. With PLATEN_LOOK=FOLDER, it writes the PDFs there, and no pictures.
 */
import { writeFile } from 'node:fs/promises';
import { Client, succeeded } from '../test/support/client.ts';
import { GALLERY, readGallery } from '../test/support/gallery.ts';
import { startService } from '../test/support/service.ts';

/** Twice the width at which it is shown. */
const WIDTH = 240;
const HEIGHT = 300;
const MAX_BYTES = 6_144;

const look = process.env.PLATEN_LOOK;
const wanted = process.argv.slice(2);
await using service = await startService();
const client = new Client(service.url, service.key);
for (const { folder, html, samples } of (await readGallery()).filter((each) => !wanted.length || wanted.includes(each.folder))) {
  const { template_id } = await client.template(html, { engine: 'liquid' });
  for (const [index, { name, data, options }] of samples.entries()) {
    const request = { template_id, data, options };
    const reply = await client.send('POST', '/v1/pdf', { ...request, store: true });
    if (!reply.ok) {
      process.stdout.write(`${folder} ${name}: ${await reply.text()}\n`);
      continue;
    }
    const { document_id, pages, report } = (await reply.json()) as { document_id: string; pages: number; report: object };
    process.stdout.write(`${folder} ${name}: ${pages} pages ${JSON.stringify(report)}\n`);
    if (look) await writeFile(`${look}/${folder}.${name}.pdf`, await download(`/v1/documents/${document_id}`));
    else if (index === 0) await writeFile(new URL(`${folder}/page.webp`, GALLERY), await drawPicture(document_id));
  }
}

async function download(path: string): Promise<Buffer> {
  return Buffer.from(await (await succeeded(client.get(path, { accept: 'application/pdf, image/png' }))).arrayBuffer());
}

/** Draws the upper part of the first page, in the best quality that is small enough. */
async function drawPicture(id: string): Promise<Buffer> {
  const png = (await download(`/v1/documents/${id}/pages/1.png?width=${2 * WIDTH}`)).toString('base64');
  const style =
    'body { margin: 0; display: flex; justify-content: center; align-items: center; height: 100vh; background: #eef0f4 }';
  const size = 'max-width: 100%; max-height: 100%';
  const html = `<!doctype html><style>${style}</style><img style="${size}" src="data:image/png;base64,${png}">`;
  for (let quality = 80; ; quality -= 10) {
    const options = { type: 'webp', quality, viewport: { width: WIDTH, height: HEIGHT }, deviceScaleFactor: 1 };
    const picture = Buffer.from(await (await succeeded(client.send('POST', '/v1/image', { html, options }))).arrayBuffer());
    if (picture.length <= MAX_BYTES || quality <= 20) return picture;
  }
}
