/** A document to load, and the render for which it is loaded. */
import type { Deadline } from '../../deadline.ts';
import type { ServiceError } from '../../errors.ts';
import type { Step } from '../devtools/step.ts';
import type { PrintSettings } from '../print/print-options.ts';
import type { Content, LoadSettings } from './load-settings.ts';
import type { PageParts } from './page-parts.ts';

/** A document to load. */
export interface LoadJob {
  content: Content;
  load: LoadSettings;
  /** The owner whose pace applies when the document fetches assets again. */
  shareOf?: string;
  /** Undefined for images, which have no paper. */
  print?: PrintSettings | undefined;
  /** Whether it is printed in windows if it is long, so that it is not laid out as a whole before. */
  mayDivide?: boolean;
  /** The markup of headers and footers that become a part of the document when it is loaded. */
  headerMarkup?: string;
  /** The result of `hanLanguages`. */
  hanLanguages?: string;
}

/** The render for which a document is loaded: its deadline, and the function that fails it. */
export interface Attempt {
  deadline: Deadline;
  step: Step;
  fail(error: ServiceError): void;
}

/** What loading a document works with. */
export interface LoadContext {
  parts: PageParts;
  job: LoadJob;
  attempt: Attempt;
}

/** Whether canvases are drawn for paper: the caller has chosen no other device. */
export function isForPaper({ load, print }: LoadJob): boolean {
  return print !== undefined && !load.device.viewport;
}
