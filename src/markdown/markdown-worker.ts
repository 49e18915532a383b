/** Runs in child processes: converts Markdown to a whole HTML document, or reports that it is too large. */
import { readFileSync } from 'node:fs';
import type { Token } from 'markdown-it';
import { serveTasks } from '../queue/serve-tasks.ts';
import { createParser } from './parser.ts';

export interface ConvertTask {
  markdown: string;
  /** Replaces the default style sheet. */
  stylesheet: string | undefined;
  /** Whether to return only the content of the body, without document and style sheet. */
  isFragment?: boolean;
  limitBytes: number;
}

/** `tooLarge` is the size of the HTML in bytes if it could be determined. `tooMany` is the maximum number of tokens. */
export type Converted = { html: string } | { tooLarge: number | undefined } | { tooMany: number };

const DEFAULT_STYLE = readFileSync(new URL('./default-style.css', import.meta.url), 'utf8');
const PARSER = createParser();
/** 5 MB of text with much markup have a million tokens. More could exceed the memory of the process. */
const MAX_TOKENS = 1_200_000;
const BYTE_ORDER_MARK = /^\uFEFF/;

class TooManyTokensError extends Error {
  override name = 'TooManyTokensError';
}

let tokensLeft = 0;

function countToken(): void {
  if (tokensLeft-- === 0) throw new TooManyTokensError();
}

PARSER.block.State = class extends PARSER.block.State {
  override push(...token: Parameters<InstanceType<typeof PARSER.block.State>['push']>): Token {
    countToken();
    return super.push(...token);
  }
};
PARSER.inline.State = class extends PARSER.inline.State {
  override push(...token: Parameters<InstanceType<typeof PARSER.inline.State>['push']>): Token {
    countToken();
    return super.push(...token);
  }
};

serveTasks(convert);

function convert({ markdown, stylesheet = DEFAULT_STYLE, isFragment, limitBytes }: ConvertTask): Converted {
  tokensLeft = MAX_TOKENS;
  try {
    const footnotes = {}; // from parsing to rendering
    const tokens = PARSER.parse(markdown.replace(BYTE_ORDER_MARK, ''), footnotes);
    const body = PARSER.renderer.render(tokens, PARSER.options, footnotes);
    if (body.length > limitBytes) return { tooLarge: undefined };
    const html = isFragment ? body : toDocument(findTitle(tokens), stylesheet, body);
    const bytes = Buffer.byteLength(html);
    return bytes > limitBytes ? { tooLarge: bytes } : { html };
  } catch (error) {
    if (error instanceof TooManyTokensError) return { tooMany: MAX_TOKENS };
    if (error instanceof RangeError) return { tooLarge: undefined }; // the HTML would exceed the maximum length of a string
    throw error;
  }
}

function toDocument(title: string, stylesheet: string, body: string): string {
  const style = stylesheet.replace(/<\/(?=style)/gi, '<\\/'); // a style sheet must not end its element early
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<title>${PARSER.utils.escapeHtml(title)}</title>
<style>
${style}
</style>
</head>
<body>
${body}</body>
</html>
`;
}

/** Returns the text of the first heading. */
function findTitle(tokens: Token[]): string {
  const heading = tokens.findIndex(({ type }) => type === 'heading_open');
  const parts = heading < 0 ? [] : (tokens[heading + 1]?.children ?? []);
  return parts
    .filter(({ type }) => type === 'text' || type === 'code_inline')
    .map(({ content }) => content)
    .join('')
    .slice(0, 500);
}
