/** The worker side of finishing: a PDF as Chromium printed it in, the finished one out. One at a time in a thread. */
import { setPriority } from 'node:os';
import { move } from 'piscina';
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

yieldToOthers();

/** The same task gives the same bytes, which are handed over and not copied. Encryption is the last change. */
export async function finish(task: FinishTask): Promise<Uint8Array> {
  const { input, settings, secret } = received(task);
  const draft = await EditablePdf.read(input);
  describe(draft, settings.metadata);
  await stampPages(draft, settings.watermark);
  attach(draft, settings.attachments);
  const finished = write(draft, input, settings, secret).join();
  return move(finished) as unknown as Uint8Array;
}

/** The bytes are handed over and not copied. */
export async function merge(task: MergeTask): Promise<Merged> {
  const merged = await mergeAll(task);
  return merged instanceof Uint8Array ? (move(merged) as unknown as typeof merged) : merged;
}

/** On Linux a process that names itself means the thread that asks: what serves requests comes before what finishes PDFs. */
function yieldToOthers(): void {
  try {
    setPriority(FINISHING_NICENESS);
  } catch {
    // The system does not let us: finishing works without.
  }
}

/** Does nothing, in a thread that can finish a PDF from then on. */
export function prepare(): void {}

/** Threads hand each other plain bytes. The moment of printing is taken out first: nothing may depend on it. */
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
