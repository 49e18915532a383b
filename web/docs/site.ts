/** Makes the pages below `/docs` from the README, `docs/guide`, `docs/operate` and `docs/reference`: Markdown in, HTML and an index for searches out. */
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toDocument } from './document.ts';
import { type Entry, toSearchIndex } from './search-index.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const HOME = 'README.md';
const CHANGES = 'CHANGELOG.md';
const REPOSITORY_ONLY = 'Project';

interface Group {
  title: string;
  pages: Page[];
}

interface Page {
  /** The file in the project, such as `docs/guide/pages.md`. */
  path: string;
  /** As the README names it. */
  name: string;
}

/** The files to serve by their names, such as `docs/guide/pages.html`. `shell` is the page around each article. */
export function buildSite(shell: string): Map<string, string | Uint8Array> {
  const home = read(HOME);
  const groups = readGroups(home);
  const pages = [{ path: HOME, name: 'Overview' }, ...groups.flatMap(({ pages: ofGroup }) => ofGroup)];
  const files = new Map<string, string | Uint8Array>();
  const entries: Entry[] = [];
  for (const [index, page] of pages.entries()) {
    const text = page.path === HOME ? withoutPictures(home) : read(page.path);
    const document = toDocument(text, (link) => toAddress(link, page.path, pages));
    const frame = {
      title: escapeHtml(page.path === HOME ? 'Documentation' : document.title),
      navigation: toNavigation(groups, page),
      article: document.html,
      neighbours: toNeighbours(pages[index - 1], pages[index + 1]),
    };
    files.set(`${fileOf(page)}.html`, fill(shell, frame));
    files.set(`${fileOf(page)}.md`, text);
    for (const [, picture = ''] of text.matchAll(/!\[[^[\]]*\]\(([\w./-]+)\)/g)) {
      const path = join(dirname(page.path), picture);
      files.set(path, readFileSync(join(PROJECT, path)));
    }
    entries.push(
      ...document.sections.map((section) => ({ ...section, page: document.title, url: addressOf(page) + section.anchor })),
    );
  }
  const list = pages.map((page) => `- [${page.name}](${addressOf(page, 'index')}.md)`);
  files.set('docs/pages.md', `${list.join('\n')}\n`);
  files.set('shell.html', fill(shell, { navigation: toNavigation(groups, undefined), neighbours: '' }));
  files.set('docs/search.json', toSearchIndex(entries));
  return files;
}

function read(path: string): string {
  return readFileSync(join(PROJECT, path), 'utf8').replace(/^<!--[^>]*-->\s*/, '');
}

/** The groups of pages as the README lists them, with the changes. */
function readGroups(home: string): Group[] {
  const [, list = ''] = /^## Documentation\n([\s\S]*?)^## /m.exec(home) ?? [];
  const groups = [...list.matchAll(/^- \*\*(.*?)\*\*([\s\S]*?)(?=^- |$(?![\s\S]))/gm)].map(([, title = '', links = '']) => ({
    title,
    pages: [...links.matchAll(/\[([^[\]]+)\]\((docs\/(?:guide|operate|reference)\/[\w-]+\.md)\)/g)].map(
      ([, name = '', path = '']) => ({
        path,
        name: name.charAt(0).toUpperCase() + name.slice(1),
      }),
    ),
  }));
  const listed = groups.filter(({ title, pages }) => title !== REPOSITORY_ONLY && pages.length);
  listed.at(-1)?.pages.push({ path: CHANGES, name: 'Changes' });
  return listed;
}

function withoutPictures(text: string): string {
  return text.replace(/^!\[.*\n\n/gm, '');
}

/** `docs/guide/pages`, `docs/index` for the README. */
function fileOf({ path }: Page): string {
  if (path === HOME) return 'docs/index';
  return path === CHANGES ? 'docs/changes' : path.replace(/\.md$/, '');
}

function addressOf(page: Page, home = ''): string {
  return `/${page.path === HOME ? join('docs', home) : fileOf(page)}`;
}

/** The address of a linked page. Undefined for a file that is only in the repository. */
function toAddress(link: string, from: string, pages: readonly Page[]): string | undefined {
  if (/^[a-z]+:|^#/.test(link)) return link;
  const [file = '', anchor] = link.split('#');
  const path = normalize(join(dirname(from), file));
  const page = pages.find((each) => each.path === path);
  return page && addressOf(page) + (anchor === undefined ? '' : `#${anchor}`);
}

function toNavigation(groups: readonly Group[], current: Page | undefined): string {
  const link = (page: Page) =>
    `<li><a href="${addressOf(page)}"${page.path === current?.path ? ' aria-current="page"' : ''}>${escapeHtml(page.name)}</a></li>`;
  return groups
    .map(({ title, pages }) => `<p class="group">${escapeHtml(title)}</p><ul>${pages.map(link).join('')}</ul>`)
    .join('');
}

function toNeighbours(previous: Page | undefined, next: Page | undefined): string {
  const link = (page: Page | undefined, rel: string) =>
    page ? `<a rel="${rel}" href="${addressOf(page)}">${escapeHtml(page.name)}</a>` : '<span></span>';
  return `<nav class="neighbours" aria-label="Neighbouring pages">${link(previous, 'prev')}${link(next, 'next')}</nav>`;
}

function fill(shell: string, values: Record<string, string>): string {
  return shell.replace(/\{\{(\w+)\}\}/g, (field, name: string) => values[name] ?? field);
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
