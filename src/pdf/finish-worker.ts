/** The worker thread that finishes PDFs: a PDF as Chromium printed it in, the finished PDF out, one at a time. */
import { setPriority } from 'node:os';
import { move } from 'piscina';
import { conform } from './conformance/conform.ts';
import { UnpacksToTooMuch } from './conformance/streams.ts';
import type { Violation } from './conformance/violations.ts';
import { attach } from './edit/attachments.ts';
import { type Merged, type MergeTask, merge as mergeAll } from './edit/merge.ts';
import { describe } from './edit/metadata.ts';
import { normalizeInfoDictionary } from './edit/normalize-info-dictionary.ts';
import { stampPages } from './edit/stamp.ts';
import type { FinishSettings } from './finish-settings.ts';
import { EditablePdf } from './objects/editable-pdf.ts';
import { writeWithObjectStreams } from './objects/object-streams.ts';
import { type Parts, writePlain } from './objects/write.ts';
import { DeterministicRandom, digestOf } from './security/deterministic-random.ts';
import { encrypt } from './security/encrypt.ts';

export interface FinishTask {
  pieces: Uint8Array[];
  settings: FinishSettings;
  secret: Uint8Array;
}

const FINISHING_NICENESS = 5;
const ID_BYTES = 16;

yieldToOthers();

/** A finished PDF, or why it cannot be what was asked for. */
export type Finished = Uint8Array<ArrayBuffer> | { violations: Violation[] } | { unpacksBeyond: number };

/** Finishes a PDF. The same task gives the same bytes, which are transferred and not copied. Encryption must be the last change. */
export async function finish(task: FinishTask): Promise<Finished> {
  try {
    return await finishDraft(task);
  } catch (error) {
    if (error instanceof UnpacksToTooMuch) return { unpacksBeyond: error.limit };
    throw error;
  }
}

async function finishDraft(task: FinishTask): Promise<Finished> {
  const { input, settings, secret } = received(task);
  const draft = await EditablePdf.read(input);
  describe(draft, settings.metadata, settings.conformance);
  await stampPages(draft, settings.watermark);
  attach(draft, settings.attachments);
  const violations = conform(draft, settings.conformance);
  if (violations.length) return { violations };
  if (settings.conformance) draft.id = digestOf(input, settings).subarray(0, ID_BYTES);
  const finished = write(draft, input, settings, secret).join();
  return move(finished) as unknown as typeof finished;
}

/** Merges PDFs. The bytes are transferred and not copied. */
export async function merge(task: MergeTask): Promise<Merged> {
  const merged = await mergeAll(task);
  return merged instanceof Uint8Array ? (move(merged) as unknown as typeof merged) : merged;
}

/** Lowers the CPU priority of this thread below that of the main thread. On Linux, `setPriority` with id 0 applies to the calling thread. */
function yieldToOthers(): void {
  try {
    setPriority(FINISHING_NICENESS);
  } catch {
    // The system does not allow it. Finishing works without it.
  }
}

/** Does nothing. Calling it starts a thread, which is then ready to finish a PDF. */
export function prepare(): void {}

/** Threads receive plain bytes. The time of printing is removed first, so that the result does not depend on it. */
function received({ pieces, settings, secret }: FinishTask): { input: Buffer; settings: FinishSettings; secret: Uint8Array } {
  const { watermark } = settings;
  const input = settled(pieces);
  if (!watermark) return { input, settings, secret };
  return { input, settings: { ...settings, watermark: { ...watermark, stamp: [settled(watermark.stamp)] } }, secret };
}

function settled(pieces: Uint8Array[]): Buffer {
  const whole = Buffer.concat(pieces);
  normalizeInfoDictionary([whole]);
  return whole;
}

function write(draft: EditablePdf, input: Buffer, settings: FinishSettings, secret: Uint8Array): Parts {
  if (settings.password) {
    const random = new DeterministicRandom(secret, digestOf(input, settings));
    return writeWithObjectStreams(draft, encrypt(draft.catalog, settings.password, random));
  }
  return settings.compress ? writeWithObjectStreams(draft) : writePlain(draft);
}
