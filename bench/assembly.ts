/**
 * How much processor time do merging, selecting, splitting and drawing upon PDFs take beside qpdf, on the same files? Platen's side is a process
 * that is warm, as in the service, with what it takes to send the PDFs, and qpdf's a new process each time, as programs use it.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PDF } from '@libpdf/core';
import type { AssemblyOrder } from '../src/pdf/assemble/assemble.ts';
import { FILLING } from '../src/pdf/edit/embedded-page.ts';
import { UploadAssembly } from '../src/uploads/assemble-uploads.ts';
import { alternate, median, type Row, rowWithLimit } from './measure.ts';
import { processorMs } from './processes.ts';

const PAGES = 1_000;
const PARTS = 100;
const PER_PART = 10;
const LINES = 30;
const ROUNDS = 5;
const OVERLAY_MOST = 1.5;
const MAX_BYTES = 1_000_000_000;

const run = promisify(execFile);

export async function* measureAssembly(): AsyncGenerator<Row> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-bench-assembly-'));
  const uploads = new UploadAssembly({ maxPdfBytes: MAX_BYTES, timeoutMs: 600_000 });
  try {
    const [whole, mark] = [await textPdf(PAGES), await textPdf(1)];
    const contents: Uint8Array[] = [];
    while (contents.length < PARTS) contents.push(await textPdf(PER_PART, contents.length * PER_PART));
    const at = (name: string) => join(folder, name);
    for (const [name, content] of Object.entries({ whole, mark })) await writeFile(at(`${name}.pdf`), content);
    for (const [index, content] of contents.entries()) await writeFile(at(`${index}.pdf`), content);
    const ours = (order: Pick<AssemblyOrder, 'parts' | 'steps' | 'split'>) => () =>
      processorTime(() => uploads.assemble('bench', order));
    const qpdf =
      (...args: string[]) =>
      () =>
        processorTime(() => run('qpdf', ['--object-streams=generate', ...args]));
    const one = [toPart(whole)];
    const draw = {
      ...FILLING,
      source: mark,
      isForeign: true,
      sourcePages: [],
      pages: undefined,
      layer: 'over' as const,
      opacity: 1,
    };
    const parts = contents.map((_, index) => at(`${index}.pdf`));
    const ways = {
      merge: [ours({ parts: contents.map(toPart), steps: [] }), qpdf('--empty', '--pages', ...parts, '--', at('merged.pdf'))],
      select: [
        ours({ parts: one, steps: [{ number: 0, step: { select: { pages: 'odd' } } }] }),
        qpdf(at('whole.pdf'), '--pages', '.', '1-z:odd', '--', at('odd.pdf')),
      ],
      split: [
        ours({ parts: one, steps: [], split: { number: 0, step: { every: PER_PART } } }),
        qpdf(`--split-pages=${PER_PART}`, at('whole.pdf'), at('part-%d.pdf')),
      ],
      overlay: [
        ours({ parts: one, steps: [{ number: 0, step: { draw } }] }),
        qpdf(at('whole.pdf'), '--overlay', at('mark.pdf'), '--repeat=1', '--', at('drawn.pdf')),
      ],
    } as const;
    for (const [name, [platen, other]] of Object.entries(ways)) {
      const times = await alternate(ROUNDS, { platen, other }, { warmUp: 1 });
      const [platenMs, qpdfMs] = [median(times.platen), median(times.other)];
      yield rowWithLimit(
        `assembly: ${name} of ${PAGES} pages, processor time against qpdf`,
        `${(platenMs / qpdfMs).toFixed(2)} times (${platenMs.toFixed(0)} ms against ${qpdfMs.toFixed(0)} ms)`,
        { pages: PAGES, platenMs, qpdfMs },
        { limited: platenMs / qpdfMs, most: name === 'overlay' ? OVERLAY_MOST : 1, unit: ' times' },
      );
    }
  } finally {
    uploads.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns milliseconds of this process and all that it starts. */
async function processorTime(work: () => Promise<unknown>): Promise<number> {
  const before = processorMs(process.pid);
  await work();
  return processorMs(process.pid) - before;
}

function toPart(content: Uint8Array): AssemblyOrder['parts'][number] {
  return { content, title: undefined, pages: undefined, password: undefined, isOwn: false, dropsSignatures: false };
}

async function textPdf(pages: number, first = 0): Promise<Uint8Array> {
  const pdf = PDF.create();
  for (let page = first; page < first + pages; page++) {
    const drawn = pdf.addPage({ width: 595, height: 842 });
    for (let line = 0; line < LINES; line++)
      drawn.drawText(`Page ${page}, line ${line} of a document that is put together`, { x: 50, y: 800 - 20 * line, size: 11 });
  }
  return pdf.save();
}
