/** Turns a document of the repository into an article: Markdown in; HTML with anchors, highlighted code, and sections for the search out. */
import { deflateRawSync } from 'node:zlib';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import css from 'highlight.js/lib/languages/css';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import xml from 'highlight.js/lib/languages/xml';
import MarkdownIt, { type Token } from 'markdown-it';

/** The text below a heading. */
export interface Section {
  title: string;
  /** With its `#`; empty at the beginning of the page. */
  anchor: string;
  text: string;
}

export interface SiteDocument {
  title: string;
  html: string;
  sections: Section[];
}

for (const [name, language] of Object.entries({ bash, css, javascript, json, php, python, xml }))
  hljs.registerLanguage(name, language);
const ALIASES: Record<string, string> = { sh: 'bash', html: 'xml', liquid: 'xml', ts: 'javascript', js: 'javascript' };
/** Longer links break in mails and chats, and the playground refuses them. */
const MAX_LINK = 100_000;

/** `toAddress` returns undefined for a link that leads to nothing on the site, which then is text. */
export function toDocument(text: string, toAddress: (link: string) => string | undefined): SiteDocument {
  const parser = new MarkdownIt({ html: false });
  const tokens = parser.parse(text, {});
  const sections = addAnchors(tokens);
  for (const { children } of tokens) if (children) changeLinks(children, toAddress);
  parser.renderer.rules.fence = (all, index) => toCode(all[index] as Token);
  parser.renderer.rules.table_open = () => '<div class="scrolled" tabindex="0" role="group" aria-label="Table"><table>\n';
  parser.renderer.rules.table_close = () => '</table></div>\n';
  return { title: sections[0]?.title ?? '', html: parser.renderer.render(tokens, parser.options, {}), sections };
}

/** Gives headings the anchors that GitHub gives them. */
function addAnchors(tokens: readonly Token[]): Section[] {
  const sections: Section[] = [];
  const known = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'inline') continue;
    const heading = tokens[index - 1];
    const section = sections.at(-1);
    if (heading?.type === 'heading_open') sections.push(addAnchor(heading, plainText(token), known));
    else if (section) section.text += ` ${plainText(token)}`;
  }
  return sections;
}

/** `known` counts the headings with the same name. */
function addAnchor(heading: Token, title: string, known: Map<string, number>): Section {
  const letters = title.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '');
  const name = letters.replaceAll(' ', '-');
  const count = known.get(name) ?? 0;
  known.set(name, count + 1);
  const id = count ? `${name}-${count}` : name;
  heading.attrSet('id', id);
  return { title, anchor: heading.tag === 'h1' ? '' : `#${id}`, text: '' };
}

function plainText({ children }: Token): string {
  return (children ?? []).map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');
}

function changeLinks(children: Token[], toAddress: (link: string) => string | undefined): void {
  let isDropped = false;
  for (const token of children) {
    if (token.type === 'link_open') {
      const address = toAddress(String(token.attrGet('href') ?? ''));
      isDropped = address === undefined;
      if (address !== undefined) token.attrSet('href', address);
    }
    if (isDropped && /^link_/.test(token.type)) Object.assign(token, { type: 'text', content: '', nesting: 0 });
  }
}

function toCode({ info, content }: Token): string {
  const [given = ''] = info.split(' ');
  const language = ALIASES[given] ?? given;
  const html = hljs.getLanguage(language) ? hljs.highlight(content, { language }).value : escapeHtml(content);
  const link = given === 'html' ? playgroundLink(content) : undefined;
  const open = link ? `<a class="open" href="${link}">Open in the playground</a>` : '';
  return `<div class="code"><pre tabindex="0"><code>${html}</code></pre>${open}</div>\n`;
}

/** As `share-link.ts` of the playground writes it. */
function playgroundLink(html: string): string | undefined {
  const link = `/#v1.${deflateRawSync(JSON.stringify({ mode: 'html', html, options: {} })).toString('base64url')}`;
  return link.length > MAX_LINK ? undefined : link;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
