/** What a render prints: a document with the settings of its print and of its PDF. */
import type { PrintJob } from '../chromium/print-once.ts';
import type { FinishPlan } from './request/finish-options.ts';
import type { Signing } from './steps/signing.ts';

export interface PrintOrder extends PrintJob {
  finish: FinishPlan;
  /** Set if `finish` requests a signature. */
  signing?: Signing | undefined;
}
