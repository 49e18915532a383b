/**
 * Decides which documents may be printed together: markup with the same head and settings, about whose text it is known that each
 * prints and is reported as it would be alone. The document itself is asked for the rest (`src/in-page/entries/print/combining`).
 */
import { DEFAULT_DEVICE } from '../../chromium/devtools/emulation.ts';
import { glyphCandidates } from '../../chromium/glyphs/glyph-candidates.ts';
import { classifyHtml } from '../../chromium/load/html/classify-html.ts';
import { DEFAULT_LOAD, type LoadSettings } from '../../chromium/load/load-settings.ts';
import { INSPECTED_CSS, PAGED_CSS } from '../../in-page/contract/relevant-css.ts';
import type { PrintOrder } from '../print-order.ts';

export interface Combinable {
  html: string;
  /** The document up to the start of its body, without a title. Documents with the same head have the same styles. */
  head: string;
  /** The families of fonts that it names. */
  families: Set<string>;
}

const DOCTYPE = /^\s*<!doctype html>/i;
const BODY = /<\/head>\s*<body\b[^<>]*>/i;
const TITLE = /<title>[^<]*<\/title>/i;
/** What the body may not mention: styles of its own, links by another attribute, and pages, which would change how it is loaded. */
const IN_BODY = /<style|xlink|@page/i;
/** The settings of a document that waits for nothing, adds nothing and fails for nothing. */
const PLAIN = { ...DEFAULT_LOAD, failsOn: undefined };
/** A longer document mostly has more than one page. */
const MAX_CHARACTERS = 30_000;

/** Returns undefined for a document that must be printed alone, such as one whose head is refused. */
export function toCombinable(
  { content, load, print, paged, finish, signing }: PrintOrder,
  isRefused: (head: string) => boolean,
): Combinable | undefined {
  const { tagged, outline, singlePage, fitsWidth, pageRanges, templates } = print;
  const isPaged = paged?.contents || paged?.header || paged?.footer || paged?.layout;
  const marksPages = isPaged || finish.watermark || finish.forms || signing || templates.header || templates.footer;
  if (marksPages || tagged || outline || singlePage || fitsWidth || pageRanges || !isPlainLoad(load)) return undefined;
  if (content.kind !== 'html' || content.baseUrl !== undefined || content.assets) return undefined;
  return content.html.length > MAX_CHARACTERS ? undefined : readDocument(content.html, isRefused);
}

function isPlainLoad({ failsOn, ...load }: LoadSettings): boolean {
  const isDefault = Object.entries(load).every(([name, value]) => isSame(value, PLAIN[name as keyof typeof load]));
  return isDefault && load.device === DEFAULT_DEVICE && !failsOn.resourceError && !failsOn.consoleError;
}

function isSame(value: unknown, other: unknown): boolean {
  return value === other || (Array.isArray(value) && value.length === 0);
}

function readDocument(html: string, isRefused: (head: string) => boolean): Combinable | undefined {
  const start = BODY.exec(html);
  if (!start || !DOCTYPE.test(html)) return undefined;
  const end = start.index + start[0].length;
  const head = html.slice(0, end).replace(TITLE, '');
  const body = html.slice(end);
  if (isRefused(head) || IN_BODY.test(body) || PAGED_CSS.test(head) || INSPECTED_CSS.test(body) || !isPlainMarkup(html))
    return undefined;
  const { characters, families } = glyphCandidates(html);
  return characters.size ? undefined : { html, head, families };
}

/** Whether nothing that is known of the markup could make its report differ from an empty one. */
function isPlainMarkup(html: string): boolean {
  const { isStatic, hasResources, mayClip, mayForceBreaks, mayPinBlock, mayLoseContent, mayPageTables, ...others } =
    classifyHtml(html);
  const { mayPlaceFixed, mayBeAnimated, mentionsMetadata, declaresShadows } = others;
  const lacks = hasResources || mayClip || mayLoseContent || mayPlaceFixed;
  return (
    isStatic && !(lacks || mayForceBreaks || mayPinBlock || mayPageTables || mayBeAnimated || mentionsMetadata || declaresShadows)
  );
}
