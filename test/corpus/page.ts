/** A document of the corpus in a few words: packages, markup and script in, HTML out. */

export interface CorpusDocument {
  name: string;
  html: string;
  /** The kinds of all warnings it has to come with. None unless said. */
  warnings?: string[];
  /** It prints the time or random numbers, so that no print is like another. */
  differs?: true;
  /** Where Chromium that waits is not what a reader wants: a style sheet that the reference alone has, and why. */
  reference?: { style: string; why: string };
  /** A known fault of the service, from `documents.ts`. */
  known?: string;
}

export interface Parts {
  /** Scripts and style sheets, by their path in `node_modules`. */
  uses?: string[];
  style?: string;
  body?: string;
  /** Runs after the body. */
  script?: string;
  /** Of modules, by their path in `node_modules`; the script is a module then. */
  imports?: Record<string, string>;
  lang?: string;
  /** As in `CorpusDocument`. */
  warnings?: string[];
}

/** Whole points and whole pixels: Chromium alone rounds A4 to them, and what is laid out for other paper is laid out otherwise. */
export const PAPER = '@page { size: 600pt 840pt; margin: 45pt }';

export function page({ uses = [], style = '', body = '', script = '', imports, lang = 'en' }: Parts): string {
  const map = imports && Object.fromEntries(Object.entries(imports).map(([name, path]) => [name, npm(path)]));
  return `<!doctype html>
<html lang="${lang}">
<head><meta charset="utf-8"><title>Corpus</title>
${uses.map(load).join('\n')}
${map ? `<script type="importmap">${JSON.stringify({ imports: map })}</script>` : ''}
<style>${PAPER} ${style}</style></head>
<body>
${body}
${script && `<script${imports ? ' type="module"' : ''}>${script}</script>`}
</body></html>`;
}

export function npm(path: string): string {
  return `/npm/${path}`;
}

function load(path: string): string {
  return path.endsWith('.css') ? `<link rel="stylesheet" href="${npm(path)}">` : `<script src="${npm(path)}"></script>`;
}

/** Documents of one kind, named after it. */
export function family<Data>(
  kind: string,
  members: Record<string, Data>,
  partsOf: (data: Data) => Parts,
  more: Partial<CorpusDocument> = {},
): CorpusDocument[] {
  return Object.entries(members).map(([name, data]) => {
    const parts = partsOf(data);
    return { name: `${kind} ${name}`, html: page(parts), ...(parts.warnings && { warnings: parts.warnings }), ...more };
  });
}
