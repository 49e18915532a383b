/**
 * How fast are documents with assets compared with the same files as `data:` URLs, and images compared with the PDF of the same
 * page? Renders use a warm key and alternate.
 */
import { randomBytes } from 'node:crypto';
import { invoice } from './documents.ts';
import { alternate, median, type Row, rowWithLimit, runClosedLoop } from './measure.ts';
import { type ServiceUnderTest, startService } from './service.ts';

const ROUNDS = 5;
const SECONDS = 4;
/** The minimum ratio for assets. Images have none: see docs/decisions/0058. */
const LEAST_WITH_FILES = 0.7;
/** The typical size of a logo. */
const PICTURE_BYTES = 20_000;

const FILES: Array<[path: string, type: string, content: string]> = [
  ['print.css', 'text/css', 'h1 { color: navy } td { font-size: 10pt }'],
  ['logo.svg', 'image/svg+xml', drawPicture()],
  ['chart.svg', 'image/svg+xml', drawPicture()],
];

export async function* measureAssets(): AsyncGenerator<Row> {
  await using service = await startService(1, { PLATEN_PLAYGROUND: 'off' });
  const inBase64 = (content: string) => Buffer.from(content).toString('base64');
  const contents = FILES.map(([path, type, content]) => [path, { type, content: inBase64(content) }]);
  const assets = { html: linkFiles(([path]) => path), assets: Object.fromEntries(contents) };
  const inline = { html: linkFiles(([, type, content]) => `data:${type};base64,${inBase64(content)}`) };
  const { ratio, ...rest } = await compare(service, ['/v1/pdf', assets], ['/v1/pdf', inline]);
  const measure = 'a document with three assets, against data: URLs';
  yield rowWithLimit(measure, rest.value, { ratio }, { limited: ratio, least: LEAST_WITH_FILES });
  const html = invoice(20);
  for (const type of ['png', 'jpeg']) {
    const { value, ratio } = await compare(service, ['/v1/image', { html, options: { type } }], ['/v1/pdf', { html }]);
    yield { measure: `${type} of a page, against its PDF`, value, figures: { ratio } };
  }
}

/** Returns a circle as an SVG with the size of a logo. */
function drawPicture(): string {
  const comment = randomBytes(PICTURE_BYTES / 2).toString('hex');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><!--${comment}--><circle cx="45" cy="45" r="40"/></svg>`;
}

function linkFiles(urlOf: (file: (typeof FILES)[number]) => string): string {
  const [style = '', ...pictures] = FILES.map(urlOf);
  const links = [`<link rel="stylesheet" href="${style}">`, ...pictures.map((url) => `<img src="${url}">`)];
  return invoice(20).replace('<h1>', `${links.join('')}<h1>`);
}

/** Compares the throughput of two requests. */
async function compare(service: ServiceUnderTest, ...requests: Array<[path: string, body: object]>) {
  const [one, other] = requests.map(([path, body]) => async () => {
    const { perSecond } = await runClosedLoop(1, SECONDS, () => service.render(body, undefined, path));
    return perSecond;
  }) as [() => Promise<number>, () => Promise<number>];
  const rates = await alternate(ROUNDS, { one, other }, { warmUp: 1 });
  const ratio = median(rates.one.map((rate, round) => rate / (rates.other[round] ?? 1)));
  const value = `${ratio.toFixed(2)} of the throughput (${median(rates.one).toFixed(1)} and ${median(rates.other).toFixed(1)} a second)`;
  return { ratio, value };
}
