/** Joins the bookmarks of windows, which Chromium makes of headings: those of each window in, one outline out. */
import type { PrintedPages } from '../edit/printed-pages.ts';
import { maskStrings } from '../objects/raw-file.ts';
import type { Element, JoinedRange, NewObjects, Node, TaggedPage } from './window-tags.ts';

interface Bookmark {
  /** That of its heading. */
  level: number;
  /** As Chromium wrote it. */
  title: string;
  /** The index of its page in the document. */
  page: number;
  /** The left and top of the place that it leads to. */
  place: string;
  heading: Element;
}

interface Item {
  id: number;
  bookmark: Bookmark | undefined;
  kids: Item[];
}

const TITLE = /^<<\/Title (\((?:[^\\()]|\\[\s\S])*\)|<[\dA-F]*>)/;
const PLACE = /\n\/Dest \[(\d+) 0 R \/XYZ (-?[\d.]+ -?[\d.]+) 0\]/;
const LEVEL = /^\/Type \/StructElem\n\/S \/H(\d)/;

export class JoinedOutline {
  readonly #bookmarks: Bookmark[] = [];

  /** `nodes` are the elements of the window by their object numbers. */
  add(file: PrintedPages, { lead, count, page }: JoinedRange, nodes: ReadonlyMap<number, Node>): void {
    const indexes = new Map(file.pages.map((id, index) => [id, index]));
    const root = reference(file.catalog, 'Outlines');
    for (const text of listItems(file, root === undefined ? undefined : reference(file.text(root), 'First'))) {
      const [, id, place = ''] = PLACE.exec(text) ?? [];
      const index = (indexes.get(Number(id)) ?? -1) - lead;
      const heading = nodes.get(reference(text, 'SE') ?? 0)?.element;
      if (heading && index >= 0 && index < count) this.#bookmarks.push(toBookmark(text, heading, { page: page + index, place }));
    }
  }

  /** Returns the number of the outline, or undefined if no bookmark leads to one of the pages. */
  write(pages: ReadonlyMap<number, TaggedPage>, ids: ReadonlyMap<Element, number>, objects: NewObjects): number | undefined {
    const root: Item = { id: objects.newId(), bookmark: undefined, kids: [] };
    const path = [root];
    for (const bookmark of this.#bookmarks) {
      if (!pages.has(bookmark.page)) continue;
      while ((path.at(-1)?.bookmark?.level ?? 0) >= bookmark.level) path.pop();
      const item = { id: objects.newId(), bookmark, kids: [] };
      path.at(-1)?.kids.push(item);
      path.push(item);
    }
    if (!root.kids.length) return undefined;
    const write = (item: Item, place: string): number => {
      const { bookmark, kids, id } = item;
      const counts = kids.map((kid, index) => write(kid, neighbours(id, kids[index - 1], kids[index + 1])));
      const count = counts.reduce((sum, below) => sum + below + 1, 0);
      const [first, last] = [kids[0], kids.at(-1)];
      const below = first && last ? `\n/First ${first.id} 0 R\n/Last ${last.id} 0 R\n/Count ${count}` : '';
      objects.put(id, `<<${bookmark ? entriesOf(bookmark, pages, ids) : '/Type /Outlines'}${place}${below}>>`);
      return count;
    };
    write(root, '');
    return root.id;
  }
}

function toBookmark(text: string, heading: Element, target: Pick<Bookmark, 'page' | 'place'>): Bookmark {
  const [, level = '1'] = LEVEL.exec(heading.entries) ?? [];
  const [, title = '()'] = TITLE.exec(text) ?? [];
  return { level: Number(level), title, heading, ...target };
}

/** The dictionaries of the bookmark with this number, of those below it and of those after it. */
function* listItems(file: PrintedPages, first: number | undefined): Generator<string> {
  for (let id = first; id !== undefined; ) {
    const text = file.text(id);
    yield text;
    yield* listItems(file, reference(text, 'First'));
    id = reference(text, 'Next');
  }
}

function reference(text: string, entry: 'First' | 'Next' | 'SE' | 'Outlines'): number | undefined {
  const [, id] = new RegExp(`/${entry} (\\d+) 0 R`).exec(maskStrings(text)) ?? [];
  return id === undefined ? undefined : Number(id);
}

function neighbours(parent: number, previous: Item | undefined, next: Item | undefined): string {
  return `\n/Parent ${parent} 0 R${previous ? `\n/Prev ${previous.id} 0 R` : ''}${next ? `\n/Next ${next.id} 0 R` : ''}`;
}

function entriesOf(bookmark: Bookmark, pages: ReadonlyMap<number, TaggedPage>, ids: ReadonlyMap<Element, number>): string {
  const { title, page, place, heading } = bookmark;
  const element = ids.get(heading);
  const SE = element === undefined ? '' : `\n/SE ${element} 0 R`;
  return `/Title ${title}\n/Dest [${pages.get(page)?.id} 0 R /XYZ ${place} 0]${SE}`;
}
