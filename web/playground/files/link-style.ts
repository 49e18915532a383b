/** Adds the link to the style sheet: the text of a document in, the text with the link out. */
import { STYLE } from '../../shared/kept-drafts.ts';
import type { Mode } from '../draft.ts';

const LINK = `<link rel="stylesheet" href="${STYLE}">\n`;

/** The link is the last of the head, so that its rules win over those before it. */
export function linkStyle(source: string, mode: Mode): string {
  if (mode === 'markdown') return `${LINK}\n${source}`;
  const lower = source.toLowerCase();
  const end = lower.indexOf('</head');
  // Some capitals have a longer small letter, which moves what is behind them.
  const at = end >= 0 && lower.length === source.length ? end : endOfDoctype(source);
  return source.slice(0, at) + LINK + source.slice(at);
}

/** The document begins behind it. */
function endOfDoctype(source: string): number {
  const start = source.length - source.trimStart().length;
  if (source.slice(start, start + 9).toLowerCase() !== '<!doctype') return 0;
  const end = source.indexOf('>', start) + 1;
  return source[end] === '\n' ? end + 1 : end;
}
