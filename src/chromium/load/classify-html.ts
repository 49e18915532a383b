/**
 * Facts about an HTML document that can be told from its text. Each errs on the side of caution: a document that only
 * mentions `<script` in its prose counts as active and merely takes the slower way.
 */

import { afterComment, insertInHead } from './insert-into-head.ts';
import { STATES_METADATA } from './stated-metadata.ts';
import { MENTIONS } from './unsupported-css.ts';

export interface HtmlClass {
  /**
   * The document can run no script, navigate nowhere, embed no other document and leave nothing in its window. The next
   * document may be written in its place; tests compare the results byte by byte with those of a fresh page.
   */
  isStatic: boolean;
  /** The document speaks of going elsewhere. */
  mayNavigate: boolean;
  /** Fonts or images may still be missing when the `load` event has fired. */
  loadsLate: boolean;
  /** The markup may hold `@page` rules. */
  hasPageRules: boolean;
  /** Something that is to be loaded may be missing. */
  hasParts: boolean;
  /** Boxes may hide a part of their content. */
  mayClip: boolean;
  /** Style sheets, of the document or linked, may say what Chromium reads over. */
  mayBeReadOver: boolean;
  /** A script may still do something when the `load` event has fired. */
  runsOn: boolean;
  /** Something may be animated. */
  moves: boolean;
  /** It may say who wrote it, and what it is about. */
  statesMetadata: boolean;
}

/** Of a document of which nothing is known. */
export const ACTIVE: HtmlClass = {
  isStatic: false,
  mayNavigate: true,
  loadsLate: true,
  hasPageRules: true,
  hasParts: true,
  mayClip: true,
  mayBeReadOver: true,
  runsOn: true,
  moves: true,
  statesMetadata: true,
};

/** Elements that run, load or embed something, or change their window for good. */
const ACTIVE_ELEMENT = /<(?:script|i?frame|frameset|object|embed|applet|portal|fencedframe|base|link|video|audio|canvas)/i;
/** The link colours of `<body>` belong to the document and outlive what is written into it. */
const LINK_COLOUR = /[\s"'/][va]?link\s*=/i;
const EVENT_HANDLER = /[\s"'/]on[a-z]+\s*=/i;
/**
 * `http-equiv` refreshes, or sets a policy that outlives the document; so does a referrer policy; a colour scheme stays with
 * the window; focus may move.
 */
const ACTIVE_WORD = /http-equiv|referrer|color-scheme|javascript:|autofocus/i;
/**
 * What may spell any of these words another way: a backslash in CSS, a character reference in an attribute or in SVG. The
 * references that escape text as a matter of course (quotes, angle brackets, spaces, typography) spell no such word.
 */
const DISGUISE = /\\|&(?:commat|bsol|fjlig)|&#(?!(?:34|38|39|60|62|160|8\d{3}|x2[267]|x3[ce]|xa0|x20[0-9a-f]{2});)/i;
const LATE = /@font-face|@import|loading/i;
const NAVIGATION = /http-equiv|location|navigat|submit|click/i;
const PAGE_RULE = /@page|@import/i;
const PART = /src|url\(|image-set|@import|@font-face|fontface|background\s*=|poster|<(?:link|image|feimage|use|object|embed)/i;
const CLIP = /overflow(?!-(?:wrap|anchor))|contain\s*:|<textarea/i;
/** One by one: together they take ten times as long. */
const LINKED_STYLE = [/<link/i, /@import/i, /stylesheet/i];
/** What comes later comes from elsewhere, or is told to something: a callback, a promise, a listener. */
const LATER_ELEMENT =
  /<(?:i?frame|frameset|object|embed|link)|<script\b[^>]*\b(?:src|type\s*=\s*["']?(?:module|importmap))|[\s"'/]on[a-z]+\s*=|srcdoc/i;
const LATER_WORD =
  /\b(?:then|await|async|import|eval|new\s+Function|fetch|MathJax|platenReady)\b|Timeout|Interval|Frame|Idle|Callback|Observer|Worker|[Mm]essage|Event|Socket|Request|Paged|\.(?:src|srcset|href|on[a-z]+)\s*=|\bon(?:load|error|message|hashchange|scroll|resize)\b|\\[ux]/;
const MOTION = /animat|transition|@starting-style|@import|<(?:link|set)\b|<script[^>]*src/i;

export function classifyHtml(html: string): HtmlClass {
  const inert =
    !ACTIVE_ELEMENT.test(html) &&
    !EVENT_HANDLER.test(html) &&
    !LINK_COLOUR.test(html) &&
    !ACTIVE_WORD.test(html) &&
    !DISGUISE.test(html);
  const linksStyle = LINKED_STYLE.some((mention) => mention.test(html));
  return {
    isStatic: inert,
    mayNavigate: !inert && NAVIGATION.test(html),
    loadsLate: !inert || LATE.test(html),
    hasPageRules: !inert || PAGE_RULE.test(html),
    hasParts: PART.test(html),
    mayClip: linksStyle || CLIP.test(html),
    mayBeReadOver: linksStyle || MENTIONS.test(html),
    runsOn: !inert && (LATER_ELEMENT.test(html) || LATER_WORD.test(html)),
    moves: MOTION.test(html),
    statesMetadata: !inert || STATES_METADATA.test(html),
  };
}

/** An address that is neither the name of a namespace nor a comment in a script. */
const NETWORK = /https?:(?!\/\/www\.w3\.org\/[12]\d{3}\/)|(?<!https?:)\/\/(?! )|\\\\/i;

/** Whether the document may ask for something by its markup. What is written in yet another way is only not watched. */
export function speaksOfNetwork(html: string): boolean {
  return NETWORK.test(html);
}

/** Markup whose relative addresses start from `baseUrl`, unless it says itself from where. Without the byte order mark of a file. */
export function withBase(given: string, baseUrl: string | undefined): string {
  const html = given.startsWith('\uFEFF') ? given.slice(1) : given;
  if (baseUrl === undefined) return html;
  const [own, ...values] = BASE.exec(withoutComments(html)) ?? [];
  const href = values.find((value) => value !== undefined) ?? '';
  if (own && URL.canParse(href)) return html;
  const start = own ? URL.parse(href, baseUrl)?.href : undefined; // where it says so itself, from ours
  const escaped = (start ?? baseUrl).replace(/&/g, '&amp;').replace(/"/g, '&quot;');
  return insertInHead(html, `<base href="${escaped}">`);
}

function withoutComments(html: string): string {
  let text = '';
  let at = 0;
  for (let start = html.indexOf('<!--'); start >= 0; start = html.indexOf('<!--', at)) {
    text += html.slice(at, start);
    at = afterComment(html, start);
  }
  return text + html.slice(at);
}

const BASE = /<base\b[^<>]*?\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i;
