/** Writes the results of the bench: as a table for people, and as JSON for machines. */
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';

export interface Row {
  measure: string;
  value: string;
  /** Absent if the figure is only shown. */
  target?: string;
  met?: boolean;
  figures: Record<string, unknown>;
}

const RESULTS = new URL('results/', import.meta.url);

export function printRow({ measure, value, target, met }: Row): void {
  const verdict = met === undefined ? '     ' : met ? 'met  ' : 'MISS ';
  process.stdout.write(`${verdict} ${measure}\n        ${value}${target ? `\n        target: ${target}` : ''}\n`);
}

/** Prints the JSON and saves it in `bench/results/`. */
export async function writeResults(product: string, rows: Row[]): Promise<void> {
  const machine = { cores: availableParallelism(), model: cpus()[0]?.model, node: process.version, browser: product };
  const json = JSON.stringify({
    machine,
    rows: rows.map(({ measure, target, met, figures }) => ({ measure, target, met, ...figures })),
  });
  await mkdir(RESULTS, { recursive: true });
  await writeFile(new URL('latest.json', RESULTS), json);
  process.stdout.write(`\n${json}\n`);
}
