/** What does a letterhead add to the processor time of invoices, alone and in a batch? */
import { runBatch } from './batches.ts';
import { invoice } from './documents.ts';
import { alternate, median, type Row, rowWithLimit } from './measure.ts';
import { processorMs } from './processes.ts';
import { startService } from './service.ts';

const INVOICES = 500;
/** Invoices of a round. Rounds with and without a letterhead alternate. */
const PER_ROUND = 100;
const ROWS = 20;
const MOST = 1.05;
const LETTERHEAD = `<!doctype html><title>Letterhead</title><style>@page { size: A4; margin: 0 } body { margin: 0; font: 10pt sans-serif }
div { height: 30mm; padding: 10mm; color: #024; border-bottom: 2px solid #024 } p { position: fixed; bottom: 5mm; margin: 0 10mm; font-size: 7pt }</style>
<div><svg width="60" height="60"><circle cx="30" cy="30" r="28" fill="#024"/></svg> ACME Ltd, 1 High Street, London</div>
<div style="break-before: page; height: 10mm">ACME Ltd</div><p>Registered in England, number 4711. Bank: 12-34-56, account 12345678`;

export async function* measureLetterhead(): AsyncGenerator<Row> {
  await using service = await startService(1, { PLATEN_PLAYGROUND: 'off' });
  const [key = ''] = service.keys;
  const { bytes } = await service.request(key, 'POST', '/v1/pdf', { html: LETTERHEAD, store: true });
  const { document_id } = JSON.parse(bytes.toString()) as { document_id: string };
  const html = (n: number) => invoice(ROWS).replace('Invoice 42', `Invoice ${n}`);
  const ways = {
    alone: async (options: object) => {
      for (let n = 0; n < PER_ROUND; n++) await service.render({ html: html(n), options });
    },
    'in a batch': (options: object) => runBatch(service, html, undefined, PER_ROUND, { options }),
  };
  for (const [name, render] of Object.entries(ways)) {
    const measured = (options: object) => async () => {
      const before = processorMs(service.pid);
      await render(options);
      return (processorMs(service.pid) - before) / PER_ROUND;
    };
    const both = { plain: measured({}), on: measured({ letterhead: { document_id } }) };
    const times = await alternate(INVOICES / PER_ROUND, both, { warmUp: 1 });
    const [plainMs, onMs] = [median(times.plain), median(times.on)];
    yield rowWithLimit(
      `letterhead: ${INVOICES} invoices ${name}, processor time with a letterhead against without`,
      `${(onMs / plainMs).toFixed(3)} times (${onMs.toFixed(1)} ms against ${plainMs.toFixed(1)} ms an invoice)`,
      { invoices: INVOICES, plainMs, onMs },
      { limited: onMs / plainMs, most: MOST, unit: ' times' },
    );
  }
}
