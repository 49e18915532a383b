/** The markdown route: a page with places such as `{{ toHTML "text.md" }}` and the files they name in, HTML out. */
import { invalidRequest, ServiceError } from '../../errors.ts';
import type { Markdown } from '../../markdown/markdown.ts';
import type { UploadedFile } from '../../render/assets.ts';
import { MAX_HTML_BYTES } from '../../render/options-schema.ts';
import { type GotenbergForm, requiredText } from './form.ts';

/** As Go's templates have it; `.DirPath` is from version 6. */
const PLACE = /\{\{-?\s*toHTML\s+(?:\.DirPath\s+)?"([^"]*)"\s*-?\}\}/g;
const MARKDOWN = /\.md$/i;

/** `owner` is whose turn it takes. Throws `invalid_request`, `content_too_large`, and what converting throws. */
export async function pageOfMarkdown(
  form: GotenbergForm,
  owner: string,
  markdown: Markdown,
  signal: AbortSignal,
): Promise<string> {
  const page = requiredText(form, 'index.html');
  const files = new Map(form.files.filter(({ path }) => MARKDOWN.test(path)).map((file) => [file.path, file]));
  if (!files.size) throw invalidRequest([{ path: '', message: 'no form file found for extensions: [.md]' }]);
  const named = [...page.matchAll(PLACE)].map(([, name = '']) => name);
  const converted = new Map<string, string>();
  for (const name of new Set(named)) converted.set(name, await convert(name, files.get(name), owner, markdown, signal));
  checkSize(page, named, converted);
  form.files = form.files.filter(({ path }) => !files.has(path));
  return page.replace(PLACE, (_place, name: string) => converted.get(name) ?? '');
}

async function convert(name: string, file: UploadedFile | undefined, owner: string, markdown: Markdown, signal: AbortSignal) {
  if (!file) throw invalidRequest([{ path: '', message: `Markdown file(s) not found: '${name.slice(0, 100)}'` }]);
  const task = { markdown: file.content.toString(), stylesheet: undefined, isFragment: true, limitBytes: MAX_HTML_BYTES };
  return markdown.toHtml(owner, task, signal);
}

/** Before it is put together: the same file may stand in many places. */
function checkSize(page: string, named: string[], converted: ReadonlyMap<string, string>): void {
  const length = named.reduce((sum, name) => sum + (converted.get(name)?.length ?? 0), page.length);
  if (length <= MAX_HTML_BYTES) return;
  throw new ServiceError('content_too_large', `the page has more than ${MAX_HTML_BYTES} bytes of HTML`, {
    members: { limit: MAX_HTML_BYTES },
  });
}
