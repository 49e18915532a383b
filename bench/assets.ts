/**
 * How fast are documents with assets compared with the same files as `data:` URLs, and images compared with the PDF of the same
 * page? Renders use a warm key and alternate.
 */
import { randomBytes } from 'node:crypto';
import { invoice } from './documents.ts';
import { closedLoop, median } from './measure.ts';
import type { Row } from './report.ts';
import { type ServiceUnderTest, startService } from './service.ts';

const ROUNDS = 5;
const SECONDS = 4;
/** The minimum ratio for assets. Images have none: see docs/decisions/0058. */
const LEAST_WITH_FILES = 0.7;
/** The typical size of a logo. */
const PICTURE_BYTES = 20_000;

type Request = [path: string, body: object];

export async function assets(): Promise<Row[]> {
  const service = await startService(1, { PLATEN_PLAYGROUND: 'off' });
  try {
    const page = { html: invoice(20) };
    const pictureOf = (type: string): Request => ['/v1/image', { ...page, options: { type } }];
    return [
      await compare(service, 'a document with three assets, against data: URLs', filed(), inlined(), LEAST_WITH_FILES),
      await compare(service, 'PNG of a page, against its PDF', pictureOf('png'), ['/v1/pdf', page]),
      await compare(service, 'JPEG of a page, against its PDF', pictureOf('jpeg'), ['/v1/pdf', page]),
    ];
  } finally {
    await service.stop();
  }
}

const FILES: Array<[path: string, type: string, content: Buffer]> = [
  ['print.css', 'text/css', Buffer.from('h1 { color: navy } td { font-size: 10pt }')],
  ['logo.svg', 'image/svg+xml', picture()],
  ['chart.svg', 'image/svg+xml', picture()],
];

/** Returns a circle as an SVG with the size of a logo. */
function picture(): Buffer {
  const comment = randomBytes(PICTURE_BYTES / 2).toString('hex');
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><!--${comment}--><circle cx="45" cy="45" r="40"/></svg>`,
  );
}

function documentWith(addressOf: (file: (typeof FILES)[number]) => string): string {
  const [style = '', ...pictures] = FILES.map(addressOf);
  const links = [`<link rel="stylesheet" href="${style}">`, ...pictures.map((address) => `<img src="${address}">`)];
  return invoice(20).replace('<h1>', `${links.join('')}<h1>`);
}

function filed(): Request {
  const contents = FILES.map(([path, type, content]) => [path, { type, content: content.toString('base64') }]);
  return ['/v1/pdf', { html: documentWith(([path]) => path), assets: Object.fromEntries(contents) }];
}

function inlined(): Request {
  return ['/v1/pdf', { html: documentWith(([, type, content]) => `data:${type};base64,${content.toString('base64')}`) }];
}

/** Compares the throughput of two loops that run one after the other, several times. */
async function compare(service: ServiceUnderTest, measure: string, one: Request, other: Request, least?: number): Promise<Row> {
  const ratios: number[] = [];
  const rates: Array<[one: number, other: number]> = [];
  for (const request of [one, other]) await rate(service, request, 1);
  for (let round = 0; round < ROUNDS; round++) {
    const found: [number, number] = [await rate(service, one), await rate(service, other)];
    rates.push(found);
    ratios.push(found[0] / found[1]);
  }
  const [ofOne, ofOther] = [median(rates.map(([first]) => first)), median(rates.map(([, second]) => second))];
  return {
    measure,
    ...(least !== undefined && { target: `at least ${least}`, met: median(ratios) >= least }),
    value: `${median(ratios).toFixed(2)} of the throughput (${ofOne.toFixed(1)} and ${ofOther.toFixed(1)} a second)`,
    figures: { ratio: median(ratios), ratios, ofOne, ofOther },
  };
}

async function rate(service: ServiceUnderTest, [path, body]: Request, seconds = SECONDS): Promise<number> {
  const [key = ''] = service.keys;
  const { perSecond } = await closedLoop(
    1,
    seconds,
    async () => key,
    async () => {
      const { status, bytes } = await service.request(key, 'POST', path, body);
      if (status !== 200) throw new Error(`${status}: ${bytes}`);
    },
  );
  return perSecond;
}
