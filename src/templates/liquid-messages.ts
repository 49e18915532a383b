/** What the Liquid engine and its processes tell each other. Texts cross faster than many small objects, so data is JSON. */

interface ParseTask {
  kind: 'parse';
  html: string;
  /** A task that is still at work then ends its process, should nobody be left to do so. */
  timeoutMs: number;
}

export interface FillTask {
  kind: 'fill';
  /** Names one version of one template. */
  key: string;
  html: string;
  dataJson: string;
  limitBytes: number;
  /** Filling ends by itself after this time, and says where it was. */
  fillTimeMs: number;
  timeoutMs: number;
}

export type LiquidTask = ParseTask | FillTask;

export type Answer<T> = { value: T } | { fault: Fault };

export type Fault =
  | { kind: 'template'; message: string; line?: number; column?: number }
  /** `actual` is left out where nobody counted to the end. */
  | { kind: 'size'; actual?: number };

export const OUT_OF_MEMORY = 'the template uses more memory than it may';
export const OUT_OF_TIME = 'the template takes too long to render';
