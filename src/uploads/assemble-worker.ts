/** The process that assembles PDFs: parts and steps in; PDFs, or what is wrong with the request, out. */

import { type FieldError, ServiceError } from '../errors.ts';
import { type Assembled, type AssemblyOrder, assemble } from '../pdf/assemble/assemble.ts';
import { limitDecoding } from '../pdf/decoding-limit.ts';
import type { SignatureField, ValidationUpdate } from '../pdf/finish-settings.ts';
import type { PrintTexts, WidgetText } from '../pdf/forms/widget-texts.ts';
import { type Refusal, toRefusal } from '../pdf/refusal.ts';
import { SignatureRefusedError, type WithPlaceholder, withSignatureField } from '../pdf/security/further-signature.ts';
import { withValidationData } from '../pdf/security/validation-update.ts';
import { ask, serveTasks } from '../queue/serve-tasks.ts';
import { limitEmptyWords, throwIfStuck } from './patch-text-decoder.ts';
import { requireStreamEnds } from './require-stream-ends.ts';

/** What a process is to do. */
export type AssemblyTask = { order: AssemblyOrder } | { sign: SigningTask } | { extend: ExtendTask };

export interface SigningTask {
  content: Uint8Array;
  field: SignatureField;
}

export interface ExtendTask {
  content: Uint8Array;
  update: ValidationUpdate;
}

/** What the process asks: the content of a part, to keep bytes, to have all of them back, to print texts, and to note which step begins. */
export type AssemblyQuestion =
  | { part: number }
  | { keep: Uint8Array }
  | { takeBack: true }
  | { print: WidgetText[] }
  | { at: string };

export type AssemblyOutcome = Assembled | { faults: FieldError[] } | Refusal;
export type SigningOutcome = WithPlaceholder | { faults: FieldError[] } | Refusal;
export type ExtendOutcome = Awaited<ReturnType<typeof withValidationData>> | Refusal;

serveTasks(run);

/** `maxUnpackedBytes` is the maximum decompressed size of the objects of all parts together. */
function run({ maxUnpackedBytes, ...task }: AssemblyTask & { maxUnpackedBytes: number }): Promise<unknown> {
  const renew = () => limitDecoding(maxUnpackedBytes);
  renew();
  limitEmptyWords();
  return toRefusal<object>(() => {
    if ('sign' in task) return sign(task.sign);
    if ('extend' in task) return withValidationData(task.extend.content, task.extend.update);
    const print = task.order.prints ? printTexts : undefined;
    return assemble(task.order, { before: requireStreamEnds, after: throwIfStuck, renew, note, print, store });
  });
}

const note = (at: string) => ask({ at }) as Promise<void>;

const printTexts: PrintTexts = (texts) => ask({ print: texts }) as Promise<Uint8Array>;

const store = {
  readPart: (part: number) => ask({ part }) as Promise<Uint8Array>,
  keep: (bytes: Uint8Array) => ask({ keep: bytes }) as Promise<void>,
  takeBack: () => ask({ takeBack: true }) as Promise<Uint8Array>,
};

async function sign({ content, field }: SigningTask): Promise<WithPlaceholder | { faults: FieldError[] }> {
  try {
    requireStreamEnds(content);
    const signed = await withSignatureField(content, field);
    throwIfStuck();
    return signed;
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const why = error instanceof SignatureRefusedError ? error.message : 'is damaged, or is none';
    return { faults: [{ path: '', message: `cannot be carried out: the PDF ${why}` }] };
  }
}
