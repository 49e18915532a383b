/** The process that assembles PDFs: parts and steps in; PDFs, or what is wrong with the request, out. */

import { type Assembled, type AssemblyFault, type AssemblyOrder, assemble } from '../pdf/assemble/assemble.ts';
import { limitDecoding } from '../pdf/decoding-limit.ts';
import { type Refusal, toRefusal } from '../pdf/refusal.ts';
import { serveTasks } from '../queue/serve-tasks.ts';
import { limitEmptyWords, throwIfStuck } from './patch-text-decoder.ts';
import { requireStreamEnds } from './require-stream-ends.ts';

export interface AssemblyTask extends AssemblyOrder {
  /** Maximum decompressed size of the objects of all parts together. */
  maxUnpackedBytes: number;
}

export type AssemblyOutcome = Assembled | { fault: AssemblyFault } | Refusal;

serveTasks(run);

function run({ maxUnpackedBytes, ...order }: AssemblyTask): Promise<AssemblyOutcome> {
  const renew = () => limitDecoding(maxUnpackedBytes);
  renew();
  limitEmptyWords();
  return toRefusal(() => assemble(order, { before: requireStreamEnds, after: throwIfStuck, renew }));
}
