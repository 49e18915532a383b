/**
 * The steps that change a PDF: what a step does is one function over an open document. They run in the order in which they are given.
 * Steps that need a browser have been printed before: a text or an image that is drawn on pages comes as a PDF.
 */
import { applyBookmarks, type BookmarksStep } from './bookmarks-step.ts';
import { withdrawClaims } from './claims.ts';
import { type ComposeStep, compose } from './compose.ts';
import { type DrawStep, drawOnPages, type LetterheadStep, putOnLetterhead } from './draw-on-pages.ts';
import { type AttachStep, attachFiles } from './files.ts';
import { type FillStep, type FlattenStep, fillFields, flatten } from './forms.ts';
import { changeMetadata, type MetadataStep } from './metadata-step.ts';
import type { OpenDocument } from './open-document.ts';
import { type OptimizeStep, optimize } from './optimize.ts';
import { type PageStep, rotatePages, selectStep } from './page-steps.ts';
import type { RedactStep } from './redact-step.ts';

export type Step =
  | { select: PageStep }
  | { rotate: PageStep & { angle: number } }
  | { draw: DrawStep }
  | { letterhead: LetterheadStep }
  | { bookmarks: BookmarksStep }
  | { metadata: MetadataStep }
  | { attach: AttachStep }
  | { fill: FillStep }
  | { flatten: FlattenStep }
  | { compose: ComposeStep }
  | { optimize: OptimizeStep }
  | { redact: RedactStep };

type StepName = Step extends infer Each ? (Each extends unknown ? keyof Each : never) : never;
type OptionsOf<Name extends StepName> = Extract<Step, Record<Name, unknown>>[Name];

const STEPS: { [Name in StepName]: (document: OpenDocument, options: OptionsOf<Name>) => unknown } = {
  select: selectStep,
  rotate: rotatePages,
  draw: drawOnPages,
  letterhead: putOnLetterhead,
  bookmarks: applyBookmarks,
  metadata: changeMetadata,
  attach: attachFiles,
  fill: fillFields,
  flatten,
  compose,
  optimize,
  redact: async (document, options) => (await import('./redact-step.ts')).redact(document, options), // loaded only if needed
};

/** The number of a step that options of the whole ask for, by the name of the step. */
export const OF_OPTIONS = -1;

/** Where a step is in the request. */
export function stepPath(number: number, step: { draw: Pick<DrawStep, 'layer'> } | object): string {
  const name = 'draw' in step ? (step.draw.layer === 'over' ? 'stamp' : 'watermark') : Object.keys(step)[0];
  return `${number === OF_OPTIONS ? 'options' : `steps[${number}]`}.${name}`;
}

/** An order, as far as it tells where the work on it begins. */
interface Begun {
  parts: readonly unknown[];
  steps: ReadonlyArray<{ number: number; step: Step }>;
  places?: readonly unknown[] | undefined;
}

/** Where in the request the work on an order begins: in the parts, or in the first step if the only part is the result of earlier steps. */
export function firstPlace({ parts, steps: [first], places }: Begun): string {
  if (places && first) return stepPath(first.number, first.step);
  return parts.length === 1 ? 'parts[0]' : 'parts';
}

/** Throws `StepError`. */
export async function runStep(document: OpenDocument, step: Step): Promise<void> {
  const [[name, options]] = Object.entries(step) as [[StepName, never]];
  await STEPS[name](document, options);
  withdrawClaims(document, name, 'draw' in step && step.draw.isForeign);
}
