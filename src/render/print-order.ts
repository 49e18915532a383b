/** What a render prints: a document with the settings of its print and of its PDF. */
import type { PrintJob } from '../chromium/print-once.ts';
import type { Letterhead } from '../pdf/finish-settings.ts';
import type { FinishPlan } from './request/finish-options.ts';
import type { PagedPlan } from './request/paged-options.ts';
import type { Signing } from './steps/signing.ts';

export interface PrintOrder extends PrintJob {
  finish: FinishPlan;
  /** Set if the request has options about what depends on the pages. */
  paged?: PagedPlan | undefined;
  /** Set if `finish` requests one. */
  letterhead?: Letterhead | undefined;
  /** Set if `finish` requests a signature. */
  signing?: Signing | undefined;
}
