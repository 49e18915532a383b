/** Waits for what a document loads, and reads what it states of itself, with one question where it can be asked. */
import { Type } from 'typebox';
import { MAX_ERROR_CHARACTERS, MAX_ERRORS } from '../../in-page/contract/limits.ts';
import type { AssetOptions, LoadedParts, PagedMentions } from '../../in-page/contract/questions.ts';
import { ask, BOOLEAN, DONE } from '../devtools/ask.ts';
import { answerOr, isUnanswered, shape } from '../devtools/evaluate.ts';
import type { GlyphCandidates } from '../glyphs/glyph-candidates.ts';
import { readSeenText } from '../glyphs/missing-glyphs.ts';
import { overridingRule, pageHeight, pageRule } from '../print/print-options.ts';
import { untilTrue } from './content-waits.ts';
import type { HtmlClass } from './html/classify-html.ts';
import { type DocumentMetadata, parseDocumentMetadata, STATED_METADATA } from './html/document-metadata.ts';
import type { LoadContext } from './load-job.ts';

/** What a document states of itself. */
export interface AwaitedParts {
  consoleErrors: string[];
  /** Metadata that the document states. */
  metadata: DocumentMetadata;
  /** Sizes that readable `@page` rules name. Undefined if the document was not asked. */
  pageSizes: readonly string[] | undefined;
  /** Whether it may lose links, or content of closed elements. */
  mayLoseContent: boolean;
  /** The height of an active document with many elements in CSS pixels, or 0. */
  heightPx: number;
  /** What an active document has that may depend on its pages. Of others it is not known. */
  mentions: PagedMentions;
  /** The characters and fonts that an active document shows, if it answers. */
  seen: GlyphCandidates | undefined;
}

/** The parts of an answer, each of which is read by itself, so that a document that spoils one does not spoil the others. */
const LOADED_PARTS = shape(
  Type.Object({
    errors: Type.Unknown(),
    seen: Type.Unknown(),
    sizes: Type.Unknown(),
    metadata: Type.Unknown(),
    mayLoseContent: Type.Unknown(),
    heightPx: Type.Unknown(),
    mentions: Type.Unknown(),
  }),
);
const ERROR_MESSAGES = shape(Type.Array(Type.String({ maxLength: MAX_ERROR_CHARACTERS }), { maxItems: MAX_ERRORS }));
/** A style sheet may name more sizes than were to be read. */
const PAGE_SIZES = shape(Type.Array(Type.String()));
const COUNT = shape(Type.Integer());
const MENTIONS = shape(Type.Object({ tables: Type.Boolean(), lastBlock: Type.Boolean(), risks: Type.Boolean() }));
const ANY_MENTIONS: PagedMentions = { tables: true, lastBlock: true, risks: true };
const HEIGHT = shape(Type.Number({ minimum: 0 }));
/** The answer of a document that gives none, of which the worst is assumed. */
const NO_PARTS: Record<keyof LoadedParts, unknown> = {
  errors: [],
  seen: null,
  sizes: [],
  metadata: null,
  mayLoseContent: true,
  heightPx: 0,
  mentions: null,
};
/** `mayLeave` tells whether the document is navigating to another, so that it may not answer. */
export async function awaitAssets(context: LoadContext, htmlClass: HtmlClass, mayLeave: () => boolean): Promise<AwaitedParts> {
  const { load } = context.job;
  const { step } = context.attempt;
  const { session, frameId, console } = context.parts;
  const nothing: AwaitedParts = {
    consoleErrors: [],
    metadata: {},
    pageSizes: undefined,
    seen: undefined,
    mayLoseContent: true,
    heightPx: 0,
    mentions: ANY_MENTIONS,
  };
  const waits = htmlClass.loadsLate && load.waitUntil !== 'domcontentloaded';
  const finishesAnimations = htmlClass.mayBeAnimated && load.finishesAnimations;
  const { mentionsMetadata: readsMetadata, declaresShadows } = htmlClass;
  const active = htmlClass.isStatic
    ? null
    : { rule: await overridePageRules(context), pageHeightPx: pageHeight(context.job.print) };
  if (htmlClass.isStatic && !(waits || finishesAnimations || readsMetadata)) return nothing;
  const options = { waits, finishesAnimations, readsMetadata, declaresShadows, active };
  if (!load.device.javascript) return { ...nothing, metadata: await awaitAssetsWithoutScript(context, options) };
  const answer = ask(session, 'awaitAssets', [options], LOADED_PARTS).catch((error: unknown) => {
    if (mayLeave() || !isUnanswered(error)) throw error;
    return NO_PARTS;
  });
  const { errors, metadata: stated, mayLoseContent: mayLose, ...rest } = await step(answer);
  const mayLoseContent = BOOLEAN.read(mayLose) ?? true;
  const metadata = parseDocumentMetadata(STATED_METADATA.read(stated) ?? []);
  const consoleErrors = await step(console.explain(ERROR_MESSAGES.read(errors) ?? [], htmlClass, frameId));
  if (htmlClass.isStatic) return { ...nothing, metadata, consoleErrors, mayLoseContent };
  return { metadata, consoleErrors, mayLoseContent, ...readActiveParts(rest) };
}

function readActiveParts({ seen, sizes, heightPx, mentions }: Record<'seen' | 'sizes' | 'heightPx' | 'mentions', unknown>) {
  return {
    pageSizes: PAGE_SIZES.read(sizes) ?? [],
    seen: readSeenText(seen),
    heightPx: HEIGHT.read(heightPx) ?? 0,
    mentions: MENTIONS.read(mentions) ?? ANY_MENTIONS,
  };
}

/** Without scripts no listener is called, so that the state is polled. */
async function awaitAssetsWithoutScript(
  { parts, attempt }: LoadContext,
  { waits, finishesAnimations, declaresShadows }: AssetOptions,
): Promise<DocumentMetadata> {
  const { session } = parts;
  const { step } = attempt;
  if (waits) await untilTrue(() => ask(session, 'haveAssetsLoaded', [declaresShadows], BOOLEAN), step);
  if (finishesAnimations) await step(answerOr(ask(session, 'finishAnimations', [declaresShadows], COUNT), 0));
  return parseDocumentMetadata(await step(answerOr(ask(session, 'readMetadata', [], STATED_METADATA), [])));
}

/**
 * Inserts the caller's choices as a rule. Otherwise it returns the rule to suggest to the document. A single page gets its rule
 * when its height is known.
 */
async function overridePageRules({ parts, job, attempt }: LoadContext): Promise<string> {
  const { print } = job;
  if (!print || print.singlePage) return '';
  const rule = pageRule(print);
  const overruling = overridingRule(print);
  if (!overruling) return rule;
  await attempt.step(ask(parts.session, 'addRule', [rule, overruling], DONE));
  return '';
}
