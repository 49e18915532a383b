/** The Markdown route: a page with actions such as `{{ toHTML "text.md" }}` and the files that they name in, HTML out. */
import { invalidField, ServiceError } from '../errors.ts';
import type { Markdown } from '../markdown/markdown.ts';
import { MAX_HTML_BYTES } from '../render/request/schemas/options-schema.ts';
import type { UploadedFile } from '../render/request/values/assets.ts';
import { decodeFile, MARKDOWN, NO_MARKDOWN, requireText } from './form.ts';
import type { GotenbergForm } from './sent-form.ts';

/** An action of a Go template. Gotenberg 6 also had `.DirPath`. */
const TO_HTML = /\{\{-?\s*toHTML\s+(?:\.DirPath\s+)?"([^"]*)"\s*-?\}\}/g;

const MAX_NAMED = 20;

/** Sets the page of the form. Owners take turns. Throws `invalid_request`, `content_too_large`, and the errors of `Markdown.toHtml`. */
export async function convertMarkdown(
  form: GotenbergForm,
  owner: string,
  markdown: Markdown,
  signal: AbortSignal,
): Promise<void> {
  const page = requireText(form, 'index.html');
  requireSmall(page.length);
  const files = new Map(form.files.filter(({ path }) => MARKDOWN.test(path)).map((file) => [file.path, file]));
  if (!files.size) throw invalidField('', NO_MARKDOWN);
  const named = [...page.matchAll(TO_HTML)].map(([, name = '']) => name);
  const missing = [...new Set(named)].filter((name) => !files.has(name)).map((name) => `'${name.slice(0, 100)}'`);
  if (missing.length) throw new ServiceError('invalid_request', `Markdown file(s) not found: ${shorten(missing).join('; ')}`);
  const converted = new Map<string, string>();
  for (const [name, file] of files) if (named.includes(name)) converted.set(name, await convert(file, owner, markdown, signal));
  // before the page is assembled, because it can include the same file many times
  requireSmall(named.reduce((sum, name) => sum + (converted.get(name)?.length ?? 0), page.length));
  form.files = form.files.filter(({ path }) => !files.has(path));
  form.html = page.replace(TO_HTML, (_action, name: string) => converted.get(name) ?? '');
}

async function convert(file: UploadedFile, owner: string, markdown: Markdown, signal: AbortSignal) {
  const task = { markdown: decodeFile(file), stylesheet: undefined, isFragment: true, limitBytes: MAX_HTML_BYTES };
  return markdown.toHtml(owner, task, signal);
}

function shorten(names: readonly string[]): string[] {
  const more = names.length - MAX_NAMED;
  return more > 0 ? [...names.slice(0, MAX_NAMED), `and ${more} more`] : [...names];
}

function requireSmall(length: number): void {
  if (length <= MAX_HTML_BYTES) return;
  throw new ServiceError('content_too_large', `the page has more than ${MAX_HTML_BYTES} bytes of HTML`, {
    members: { limit: MAX_HTML_BYTES },
  });
}
