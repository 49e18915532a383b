/**
 * Finds out properties of an HTML document from its text. Each errs on the side of caution: a document that only
 * mentions `<script` in its prose counts as active, and merely renders more slowly.
 */

import { decodeHTMLAttribute } from 'entities';
import { INSPECTED_CSS } from '../../../in-page/contract/relevant-css.ts';
import { NAMES_METADATA } from './document-metadata.ts';
import { readTags, textInTags } from './html-tags.ts';
import { insertInHead } from './insert-into-head.ts';

export interface HtmlClass {
  /**
   * The document cannot run scripts, navigate, embed another document or leave anything in its window. The next
   * document may be written in its place. Tests compare the results byte by byte with those of a fresh page.
   */
  isStatic: boolean;
  /** The document may navigate to another. */
  mayNavigate: boolean;
  /** Something of it may outlast a replacement in the same process: a navigation, a policy, a worker. */
  mayOutlast: boolean;
  /** Fonts or images may still be loading after the `load` event. */
  loadsLate: boolean;
  /** Parts of it may load only for boxes that show them, or depend on the window when they load. */
  loadsForBoxes: boolean;
  /** The markup may contain `@page` rules. */
  hasPageRules: boolean;
  /** The document refers to resources, which may be missing. */
  hasResources: boolean;
  /** Boxes may hide a part of their content, or the page may cut off a right-to-left document at its left edge. */
  mayClip: boolean;
  /** Style sheets in the document or linked ones may contain CSS that Chromium ignores. */
  mayHaveUnsupportedCss: boolean;
  /** The document may lose links, or content of closed elements. */
  mayLoseContent: boolean;
  /** Tables may have rows that belong to every page. */
  mayRepeatRows: boolean;
  /** Tables may have heads and feet that depend on their pages. */
  mayPageTables: boolean;
  /** A block may belong at the bottom of the last page. */
  mayPinBlock: boolean;
  /** Page breaks may be forced. */
  mayForceBreaks: boolean;
  /** Pages may look wrong in a way that only a layout tells, also if there is only one: boxes are placed over text. */
  mayLookWrong: boolean;
  /** Pages may end badly: breaks are forced or avoided, or divide headings, pictures and boxes in lines. */
  mayEndBadly: boolean;
  /** There is so little text that it is probably on one page. No breaks are forced. */
  isShort: boolean;
  /** Boxes may have a place on every page. */
  mayPlaceFixed: boolean;
  /** Pages may be blank. */
  mayLeaveBlank: boolean;
  /** A script may still be active after the `load` event. */
  runsAfterLoad: boolean;
  /** Something may be animated. */
  mayBeAnimated: boolean;
  /** The document may state its author, description or keywords. */
  mentionsMetadata: boolean;
  /** A script may start workers. */
  hasWorkers: boolean;
  /** Scripts are loaded by URL. Their exceptions are hidden from the document if they have another origin. */
  loadsScripts: boolean;
  /** The markup may declare shadow roots, which are found only by checking every element. */
  declaresShadows: boolean;
  /** It may have 150 pages or more. Set only for a static document; of another, the height tells. */
  mayBeLong: boolean;
  /** Some of them may be closed, so that no script can find them. */
  declaresClosed: boolean;
}

/** The class of a document about which nothing is known. */
export const ACTIVE: HtmlClass = {
  isStatic: false,
  mayNavigate: true,
  mayOutlast: true,
  loadsLate: true,
  loadsForBoxes: true,
  hasPageRules: true,
  hasResources: true,
  mayClip: true,
  mayHaveUnsupportedCss: true,
  mayLoseContent: true,
  mayRepeatRows: true,
  mayPageTables: true,
  mayPinBlock: true,
  mayForceBreaks: true,
  mayLookWrong: true,
  mayEndBadly: true,
  isShort: false,
  mayPlaceFixed: true,
  mayLeaveBlank: true,
  runsAfterLoad: true,
  mayBeAnimated: true,
  mentionsMetadata: true,
  hasWorkers: true,
  loadsScripts: false, // most scripts of a document from a URL have its origin
  declaresShadows: true,
  mayBeLong: false,
  declaresClosed: false, // the markup of a document from a URL is not read
};

/** Elements that run, load or embed something, or change their window permanently. */
const ACTIVE_ELEMENT = /<(?:script|i?frame|frameset|object|embed|applet|portal|fencedframe|link|video|audio|canvas)/i;
/** The link colours of `<body>` stay with the window when another document is written into it. */
const LINK_COLOUR = /[\s"'/][va]?link\s*=/i;
const EVENT_HANDLER = /[\s"'/]on[a-z]+\s*=/i;
/**
 * `http-equiv` navigates, or sets a policy that stays with the window, as a referrer policy and a colour scheme do. `autofocus`
 * moves the focus.
 */
const ACTIVE_WORD = /http-equiv|referrer|color-scheme|javascript:|autofocus/i;
/**
 * Matches text that could spell these words in another way: a backslash in CSS, or a character reference in an attribute or in
 * SVG. The references that commonly escape text (quotes, angle brackets, spaces, typography) cannot spell such a word.
 */
const DISGUISE = /\\|&(?:commat|bsol|fjlig)|&#(?!(?:34|38|39|60|62|160|8\d{3}|x2[267]|x3[ce]|xa0|x20[0-9a-f]{2});)/i;
const LATE = /@font-face|@import|loading/i;
const FOR_BOXES =
  /url\(|image-set|@import|@font-face|loading|type\s*=\s*["']?image|background\s*=|<(?:image|feimage|use|source)\b|srcset|marquee/i;
const NAVIGATION = /http-equiv|location|navigat|submit|click/i;
const OUTLASTING = /referrer|policy|worker/i;
const PAGE_RULE = /@page|@import/i;
const PART = /src|url\(|image-set|@import|@font-face|fontface|background\s*=|poster|<(?:link|image|feimage|use|object|embed)/i;
/** Matches closed elements, and URLs that are not absolute, such as of a part of the document. */
const MAY_LOSE = /<details|href\s*=\s*["']?(?!["'\s>]|#["'\s>]|[a-z][-+.\w]{0,40}:)/i;
const CLIP = /overflow(?!-(?:wrap|anchor))|contain\s*:|content-visibility|<(?:textarea|iframe)|rtl|dir\s*=\s*["']?auto/i;
/** Matches rows that may be repeated on every page. */
const MAY_REPEAT = /<t(?:head|foot)\b|table-(?:header|footer)-group/i;
const MAY_PAGE_TABLES = /data-(?:carry|keep|on\s*=\s*["']?(?:not-)?(?:first|last))\b/i;
const FORCED_BREAK = /break-(?:before|after)\s*:\s*(?!a(?:void|uto))/i;
/** Match what may look wrong where a page ends. */
const ENDS_BADLY = [
  /<(?:h[2-6]|img|svg|canvas)\b/i,
  /break-(?:inside|after)\s*:\s*avoid/i,
  /inline-(?:block|flex|grid|table)/i,
  /role\s*=\s*["']?(?:img|graphics)/i,
];
const FIXED = /position\s*:\s*fixed/i;
/** A height that follows that of the window, which is lower while the document is hidden. */
const WINDOW_HIGH = /\d[dls]?v(?:b|h|max|min)\b/i;
const TALL = /height|vh\b/i;
/** These are separate expressions, because a single one would take ten times as long. */
const LINKED_STYLE = [/<link/i, /@import/i, /stylesheet/i];
/** Anything that happens later loads something, or uses a callback, a promise or a listener. */
const LATER_ELEMENT = /<(?:i?frame|frameset|object|embed|link)|[\s"'/]on[a-z]+\s*=|srcdoc/i;
/** Matches the text of a `script` tag. */
const LATER_SCRIPT = /\b(?:src|type\s*=\s*["']?(?:module|importmap))/i;
const LATER_WORDS = [
  /\b(?:then|await|async|import|eval|fetch|scheduler|toBlob|startViewTransition|MathJax|platenReady)\b/,
  /Timeout|Interval|Frame|Idle|Callback|Observer|Worker|[Mm]essage|Event|Socket|Request|Paged/,
  /\bnew\s+Function\b|\.(?:src|srcset|href|on[a-z]+)\s*=|\bon(?:load|error|message|hashchange|scroll|resize)\b|\\[ux]/,
];
const MOTION = /animat|transition|@starting-style|@import|<(?:link|set)\b/i;

/** What most pages have room for. */
const [SHORT_LINES, SHORT_TEXT, SHORT_MARKUP] = [32, 2_500, 50_000];
const LINE = /<(?:br|p|div|li|tr|dd|pre|h[1-6]|img|svg)\b/gi;
const NO_TEXT = /<style[^<]*|<[^<>]*>|\s{2,}/gi;
const BLOCK = /<(?:tr|p|div|li|h[1-6]|section|pre)\b/gi;
/** What 150 pages have at least: small rows, or full paragraphs. */
const [LONG_CHARACTERS, LONG_BLOCKS] = [100_000, 4_000];
const [LONG_PROSE_CHARACTERS, LONG_PROSE_BLOCKS] = [400_000, 150];

const ACTIVITY = [ACTIVE_ELEMENT, EVENT_HANDLER, LINK_COLOUR, ACTIVE_WORD, DISGUISE];

export function classifyHtml(html: string): HtmlClass {
  const declaresShadows = /shadowrootmode/i.test(html);
  const declaresClosed = declaresShadows && /shadowrootmode\s*=\s*(?:["']\s*)?closed/i.test(html);
  const isStatic = !(declaresClosed || titlesStyles(html) || ACTIVITY.some((mention) => mention.test(html)));
  const script = textInTags(html, 'script');
  const loadsStyles = mayLoadStyles(html, script);
  return {
    isStatic,
    ...(isStatic ? NOTHING_LEFT : leftOvers(html)),
    loadsLate: !isStatic || LATE.test(html),
    loadsForBoxes: !isStatic || FOR_BOXES.test(html),
    hasPageRules: !isStatic || PAGE_RULE.test(html),
    hasResources: PART.test(html),
    mayClip: loadsStyles || CLIP.test(html) || /value/i.test(textInTags(html, 'input')),
    mayHaveUnsupportedCss: loadsStyles || INSPECTED_CSS.test(html),
    ...printLosses(html, isStatic),
    runsAfterLoad: !isStatic && runsLater(html, script),
    mayBeAnimated: MOTION.test(html) || /src/i.test(script),
    mentionsMetadata: !isStatic || NAMES_METADATA.test(textInTags(html, 'meta')),
    loadsScripts: !isStatic && /\bsrc\s*=/i.test(script),
    declaresShadows,
    declaresClosed,
  };
}

type LeftOvers = Pick<HtmlClass, 'mayNavigate' | 'mayOutlast' | 'hasWorkers'>;

const NOTHING_LEFT: LeftOvers = { mayNavigate: false, mayOutlast: false, hasWorkers: false };

function leftOvers(html: string): LeftOvers {
  const mayNavigate = NAVIGATION.test(html);
  return { mayNavigate, mayOutlast: mayNavigate || OUTLASTING.test(html), hasWorkers: /Worker/.test(html) };
}

function mayBeLong(html: string): boolean {
  if (html.length < LONG_CHARACTERS) return false;
  const blocks = countMatches(html, BLOCK);
  return blocks >= LONG_BLOCKS || (blocks >= LONG_PROSE_BLOCKS && html.length >= LONG_PROSE_CHARACTERS && !/;base64,/.test(html));
}

function countMatches(text: string, pattern: RegExp): number {
  let count = 0;
  for (const _ of text.matchAll(pattern)) count++;
  return count;
}

/** The title of the first titled style sheet stays with the window, and disables those with other titles. */
function titlesStyles(html: string): boolean {
  return /title/i.test(textInTags(html, 'style'));
}

/** A script that is loaded may add styles, too. */
function mayLoadStyles(html: string, script: string): boolean {
  return /src/i.test(script) || LINKED_STYLE.some((mention) => mention.test(html));
}

function runsLater(html: string, script: string): boolean {
  return LATER_ELEMENT.test(html) || LATER_SCRIPT.test(script) || LATER_WORDS.some((words) => words.test(html));
}

function isShort(html: string): boolean {
  if (html.length > SHORT_MARKUP || countMatches(html, LINE) > SHORT_LINES) return false;
  return html.replaceAll(NO_TEXT, '').length <= SHORT_TEXT;
}

type PrintLosses =
  | 'mayLoseContent'
  | 'mayRepeatRows'
  | 'mayPageTables'
  | 'mayBeLong'
  | 'mayPinBlock'
  | 'mayForceBreaks'
  | 'mayLookWrong'
  | 'mayEndBadly'
  | 'isShort'
  | 'mayPlaceFixed'
  | 'mayLeaveBlank';

/** How pages may look wrong, if breaks may be forced or not. A box that is placed over others may cover text on a single page as well. */
function pageLooks(html: string, mayForceBreaks: boolean) {
  const mayEndBadly = mayForceBreaks || ENDS_BADLY.some((mention) => mention.test(html));
  const mayLookWrong = /absolute/i.test(html) || FIXED.test(html) || (mayEndBadly && WINDOW_HIGH.test(html));
  return { mayLookWrong, mayEndBadly, isShort: !mayForceBreaks && isShort(html) };
}

/** A script may add what the markup does not have. */
function printLosses(html: string, isStatic: boolean): Pick<HtmlClass, PrintLosses> {
  const mayForceBreaks = !isStatic || FORCED_BREAK.test(html);
  return {
    mayPinBlock: !isStatic || /data-last-page-bottom/i.test(html),
    mayForceBreaks,
    ...pageLooks(html, mayForceBreaks),
    mayPlaceFixed: !isStatic || FIXED.test(html),
    mayLeaveBlank: (mayForceBreaks || TALL.test(html)) && !/<svg/i.test(html), // whose rectangles are no backgrounds
    mayLoseContent: !isStatic || MAY_LOSE.test(html),
    mayRepeatRows: !isStatic || MAY_REPEAT.test(html),
    mayPageTables: !isStatic || MAY_PAGE_TABLES.test(html),
    mayBeLong: isStatic && mayBeLong(html),
  };
}

/** Matches a URL that is neither a namespace nor a comment in a script. */
const NETWORK = /https?:(?!\/\/www\.w3\.org\/[12]\d{3}\/)|(?<!https?:)\/\/(?! )|\\\\/i;

/** Whether the markup may load anything. Requests that it does not recognise are only not waited for. */
export function mentionsNetworkApis(html: string): boolean {
  return NETWORK.test(html);
}

/** Returns the markup with `baseUrl` as its base, unless it has a base of its own. A byte order mark is removed. */
export function withBase(given: string, baseUrl: string | undefined): string {
  const html = given.startsWith('\uFEFF') ? given.slice(1) : given;
  if (baseUrl === undefined) return html;
  const href = findBase(html);
  if (href !== undefined && URL.canParse(href)) return html;
  const start = href === undefined ? undefined : URL.parse(href, baseUrl)?.href; // its own base is relative to ours
  const escaped = (start ?? baseUrl).replace(/&/g, '&amp;').replace(/"/g, '&quot;');
  return insertInHead(html, `<base href="${escaped}">`);
}

/** The absolute base URL that the markup declares, if any. */
export function ownBase(html: string): string | undefined {
  return URL.parse(findBase(html) ?? '')?.href;
}

function findBase(html: string): string | undefined {
  if (!/<base/i.test(html)) return undefined;
  for (const { tag } of readTags(html)) {
    const [, href] = (tag.name === 'base' && tag.attributes.find(([name]) => name === 'href')) || [];
    if (href !== undefined) return decodeHTMLAttribute(href);
  }
  return undefined;
}
