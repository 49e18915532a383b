/** Makes PDFs with libraries of JavaScript, which are installed in `FOLDER/.programs`, and the picture there: `node javascript.ts FOLDER COUNT`. */
import { createWriteStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';

const [folder = '.', count = '18'] = process.argv.slice(2);
const load = createRequire(resolve(folder, '.programs', 'package.json'));
const WORDS = 'the quick brown fox jumps over a lazy dog while naïve façade writers sip their café'.split(' ');
const PICTURE = await readFile(join(folder, '.programs', 'picture.png'));

let seed = 1;

function words(length: number): string {
  return Array.from({ length }, () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return WORDS[seed % WORDS.length];
  }).join(' ');
}

async function pdfkit(path: string, number: number): Promise<void> {
  const PdfDocument = load('pdfkit');
  const pdf = new PdfDocument({ compress: number % 2 === 0, tagged: number % 3 === 0, pdfVersion: '1.7', lang: 'en' });
  const file = pdf.pipe(createWriteStream(path));
  for (let page = 0; page <= number % 3; page++) {
    if (page) pdf.addPage();
    pdf.fontSize(14).text(words(80));
    pdf.image(PICTURE, 100, 400, { width: 50 });
    pdf.rect(50, 500, 100, 50).fillOpacity(0.5).fill('red');
    pdf.fillOpacity(1).fill('black').text('link', 50, 600, { link: 'https://example.com' });
    pdf.outline.addItem(`p${page}`);
  }
  pdf.end();
  await finished(file);
}

async function jsPdf(path: string, number: number): Promise<void> {
  const { jsPDF: JsPdf } = load('jspdf');
  const pdf = new JsPdf({ orientation: number % 2 ? 'l' : 'p', compress: number % 2 === 0 });
  for (let page = 0; page <= number % 3; page++) {
    if (page) pdf.addPage();
    pdf.text(pdf.splitTextToSize(words(60), 150), 20, 20);
    pdf.addImage(new Uint8Array(PICTURE), 'PNG', 20, 100, 20, 20);
    pdf.rect(20, 140, 30, 20);
  }
  await writeFile(path, Buffer.from(pdf.output('arraybuffer')));
}

async function pdfLib(path: string, number: number): Promise<void> {
  const { PDFDocument, StandardFonts, degrees } = load('pdf-lib');
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  const image = await pdf.embedPng(PICTURE);
  for (let page = 0; page <= number % 3; page++) {
    const drawn = pdf.addPage([300 + 100 * page, 400]);
    if (number % 2) drawn.setRotation(degrees(90));
    drawn.drawText(words(8), { x: 20, y: 300, size: 12, font });
    drawn.drawImage(image, { x: 20, y: 100, width: 60, height: 60 });
    const field = pdf.getForm().createTextField(`t${page}`);
    field.setText('value');
    field.addToPage(drawn, { x: 100, y: 100, width: 100, height: 20 });
  }
  await writeFile(path, await pdf.save({ useObjectStreams: number % 2 === 0 }));
}

for (const [name, make] of Object.entries({ pdfkit, jspdf: jsPdf, pdflib: pdfLib }))
  for (let number = 0; number < Number(count); number++) await make(join(folder, `${name}-${number}.pdf`), number);
