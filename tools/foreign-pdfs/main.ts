/**
 * Sends the PDFs of a folder through the steps of an assembly, and compares each result with its source, with qpdf and poppler:
 * `node tools/foreign-pdfs/main.ts FOLDER [PREFIX]`; `programs/make.sh` makes such a folder. The names of the PDFs up to the first `-` are those of the programs that made them;
 * `PREFIX` chooses some. Prints each difference, and tables in Markdown of all.
 */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ServiceError } from '../../src/errors.ts';
import type { Assembled } from '../../src/pdf/assemble/assemble.ts';
import { UploadAssembly } from '../../src/uploads/assemble-uploads.ts';
import { differences } from './differences.ts';
import { Reading } from './reading.ts';
import { type Source, type Trial, trialsOf } from './trials.ts';

interface Count {
  files: number;
  equal: number;
  /** Something is missing, and the report says so. */
  reported: number;
  refused: number;
  different: number;
}

const AT_ONCE = 2;
/** On a busy machine, a step may take longer than the service allows. */
const LIMIT_MS = 300_000;
const MAX_PDF_BYTES = 100_000_000;
const SHORT = 300;
const DAMAGED = 'damaged-';
const NOTHING: Assembled = { files: [], places: [], dropped: [], cut: [] };

interface Outcome {
  outcome: keyof Count;
  wrong?: string;
}

const { log } = console;
const assembly = new UploadAssembly({ maxPdfBytes: MAX_PDF_BYTES, timeoutMs: LIMIT_MS, waitMs: LIMIT_MS });

/** Throws `ServiceError`. */
async function carryOut(trial: Trial, source: Source, reading: Reading): Promise<Outcome> {
  const assembled = trial.order ? await assembly.assemble('foreign', trial.order) : NOTHING;
  const contents = trial.order ? assembled.files.map(({ content }) => content) : [source.content];
  const files = await Promise.all(contents.map((content) => trial.finish?.(content) ?? content));
  const wrong = await differences(files, source, trial, reading);
  wrong.push(...((await trial.check?.(assembled, files[0] ?? new Uint8Array())) ?? []));
  if (!wrong.length) return { outcome: 'equal' };

  const isReported = trial.mayDrop && assembled.dropped.length > 0;
  return isReported ? { outcome: 'reported' } : { outcome: 'different', wrong: wrong.join('; ') };
}

/** A damaged PDF is refused, or becomes one without faults. */
async function refuseDamaged(content: Uint8Array): Promise<Outcome> {
  await using reading = await Reading.open();
  try {
    const part = { content, title: undefined, pages: '1-', password: undefined, isOwn: false, dropsSignatures: true };
    const { files } = await assembly.assemble('foreign', { parts: [part], steps: [] });
    const { faults } = await reading.read((files[0] as Assembled['files'][number]).content);
    return faults ? { outcome: 'different', wrong: faults } : { outcome: 'equal' };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { outcome: 'refused' };
  }
}

async function tryFile(path: string, reading: Reading, tell: (step: string, outcome: Outcome) => void): Promise<void> {
  const content = await readFile(path);
  if (basename(path).startsWith(DAMAGED)) return tell('refused', await refuseDamaged(content));
  const source: Source = { content, ...(await reading.read(content)) };
  for (const [step, trial] of Object.entries(await trialsOf(source, assembly, reading)))
    try {
      tell(step, await carryOut(trial, source, reading));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      tell(step, trial.mayRefuse ? { outcome: 'refused' } : { outcome: 'different', wrong: `refused: ${error.message}` });
    }
}

function printTable(title: string, counts: ReadonlyMap<string, Count>): void {
  log(`\n| ${title} | PDFs | results | as expected | with a report | refused | different |`);
  log('| --- | --: | --: | --: | --: | --: | --: |');
  const sum = { files: 0, equal: 0, reported: 0, refused: 0, different: 0 };
  const print = (name: string, { files, equal, reported, refused, different }: Count) => {
    const all = equal + reported + refused + different;
    log(`| ${[name, files, all, equal, reported, refused, different].join(' | ')} |`);
  };
  for (const [name, count] of counts) {
    print(name, count);
    for (const each of Object.keys(sum) as Array<keyof Count>) sum[each] += count[each];
  }
  if (title === 'program') print('all', sum);
}

function countOf(counts: Map<string, Count>, name: string): Count {
  const count = counts.get(name) ?? { files: 0, equal: 0, reported: 0, refused: 0, different: 0 };
  counts.set(name, count);
  return count;
}

const [folder = '.', prefix = ''] = process.argv.slice(2);
const names = (await readdir(folder)).filter((name) => name.endsWith('.pdf') && name.startsWith(prefix)).sort();
const [programs, steps] = [new Map<string, Count>(), new Map<string, Count>()];
const waiting = [...names];

async function work(): Promise<void> {
  await using reading = await Reading.open();
  for (let name = waiting.shift(); name; name = waiting.shift()) {
    const program = countOf(programs, name.split('-')[0] as string);
    program.files++;
    await tryFile(join(folder, name), reading, (step, { outcome, wrong }) => {
      program[outcome]++;
      const count = countOf(steps, step);
      count.files++;
      count[outcome]++;
      if (wrong) log(`${name}, ${step}: ${wrong.slice(0, SHORT)}`);
    });
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, work));
printTable('program', programs);
printTable('step', steps);
await assembly.close();
