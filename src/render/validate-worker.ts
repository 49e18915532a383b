/** The process that validates PDFs from outside: a file and the profiles in, the rules that it breaks out, or why it cannot be read. */

import type { Profile } from '../pdf/conformance/profiles.ts';
import { limitDecoding } from '../pdf/decoding-limit.ts';
import { type Validated, validatePdf } from '../pdf/validate/validate.ts';
import { serveTasks } from '../queue/serve-tasks.ts';

export interface ValidationTask {
  content: Uint8Array;
  /** Undefined for those that the file claims. */
  profiles: Profile[] | undefined;
  /** What its streams may unpack to. */
  maxUnpackedBytes: number;
}

export type ValidationOutcome = Validated | 'unreadable';

serveTasks(validate);

async function validate({ content, profiles, maxUnpackedBytes }: ValidationTask): Promise<ValidationOutcome> {
  limitDecoding(maxUnpackedBytes);
  try {
    return await validatePdf(content, profiles);
  } catch {
    return 'unreadable';
  }
}
