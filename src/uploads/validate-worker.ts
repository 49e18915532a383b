/** The process that validates uploaded PDFs: a file and profiles in, the rules that it breaks out, or `unreadable`. */

import type { AnyProfile } from '../pdf/conformance/profiles.ts';
import { limitDecoding } from '../pdf/decoding-limit.ts';
import { type Validated, validatePdf } from '../pdf/validate/validate.ts';
import { serveTasks } from '../queue/serve-tasks.ts';
import { limitEmptyWords, throwIfStuck } from './patch-text-decoder.ts';
import { requireStreamEnds } from './require-stream-ends.ts';

export interface ValidationTask {
  content: Uint8Array;
  /** Undefined to check the profiles that the file claims. */
  profiles: AnyProfile[] | undefined;
  /** Maximum decompressed size of its streams together. */
  maxUnpackedBytes: number;
}

export type ValidationOutcome = Validated | 'unreadable';

serveTasks(validate);

async function validate({ content, profiles, maxUnpackedBytes }: ValidationTask): Promise<ValidationOutcome> {
  limitDecoding(maxUnpackedBytes);
  limitEmptyWords();
  try {
    requireStreamEnds(content);
    const validated = await validatePdf(content, profiles);
    throwIfStuck();
    return validated;
  } catch {
    return 'unreadable';
  }
}
