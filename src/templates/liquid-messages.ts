/** The messages between the Liquid engine and its processes. Data is sent as JSON text, which is faster than many small objects. */

export interface FillTask {
  kind: 'fill';
  /** Identifies one version of one template. */
  key: string;
  html: string;
  dataJson: string;
  limitBytes: number;
  /** Rendering stops after this time and reports the line that it had reached. */
  fillTimeMs: number;
}

export type LiquidTask = { kind: 'parse'; html: string } | FillTask;

export type LiquidAnswer<T> = { value: T } | { fault: Fault };

export type Fault =
  | { kind: 'template'; message: string; line?: number; column?: number }
  /** `actual` is absent if the size was not counted to the end. */
  | { kind: 'size'; actual?: number };

export const OUT_OF_MEMORY = 'the template uses too much memory; send large pictures and fonts as assets, not in its data';
export const OUT_OF_TIME = 'the template takes too long to render';
