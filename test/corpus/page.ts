/** Builds a document of the corpus from packages, markup and a script. */

export interface CorpusDocument {
  name: string;
  html: string;
  /** The kinds of warnings that it must have. Default: none. */
  warnings?: string[];
  /** Whether it prints the time or random numbers, so that no two prints are equal. */
  differs?: true;
  /** A style sheet for the reference only, if waiting in Chromium does not give what a reader wants, and why. */
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
  /** Modules by their path in `node_modules`. The script is then a module as well. */
  imports?: Record<string, string>;
  lang?: string;
  /** As in `CorpusDocument`. */
  warnings?: string[];
}

/** Whole points and pixels. Chromium by itself rounds A4 to them, and paper of another size changes the layout. */
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

/** Documents of one kind, with the kind as prefix of their names. */
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
