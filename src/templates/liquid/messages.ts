/** The messages between the Liquid engine and its processes. Data is sent as JSON text, which is faster than many small objects. */

/** A template that another one uses by its name, or why it cannot. `key` identifies one version of one template. */
export type LiquidPart = { name: string; key: string; html: string } | { name: string; problem: string };

/** The number of parts that a template may use, and how deep they may be nested. */
export const MAX_PARTS = 100;
export const MAX_DEPTH = 10;

export interface LiquidSource {
  /** Identifies one version of one template. */
  key: string;
  html: string;
  /** Shown in errors about its parts. Default: `template`. */
  name?: string;
  /** All templates that it uses, directly or through others. Default: none. */
  parts?: readonly LiquidPart[];
}

export interface FillTask extends LiquidSource {
  kind: 'fill';
  dataJson: string;
  limitBytes: number;
  /** Rendering stops after this time and reports the line that it had reached. */
  fillTimeMs: number;
}

/** With `parts`, the paths that they read are found, too. */
export type LiquidTask = ({ kind: 'parse' } & LiquidSource) | FillTask;

export type LiquidAnswer<T> = { value: T } | { fault: Fault };

export type Fault =
  /** `part` is the name of the part with the error; without it, the error is in the template itself. */
  | { kind: 'template'; message: string; line?: number; column?: number; part?: string }
  /** `actual` is absent if the size was not counted to the end. */
  | { kind: 'size'; actual?: number };

export const OUT_OF_MEMORY = 'the template uses too much memory; send large pictures and fonts as assets, not in its data';
export const OUT_OF_TIME = 'the template takes too long to render';
