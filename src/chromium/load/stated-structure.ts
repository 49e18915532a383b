/**
 * What a document says about its own structure: its language, title, alternate texts, headings, links, tables and fields, in the
 * order of the document. It is asked before the print, in a world of its own, which scripts of the document cannot change.
 */
import { ServiceError } from '../../errors.ts';
import { DevToolsError, type Session, TOO_LARGE } from '../devtools/connection.ts';
import type { Step } from '../devtools/step.ts';

/** Where something is, for people who look for it. */
export interface Place {
  selector: string;
  snippet: string;
}

/** Something with the name that assistive technology reads out; empty where the document gives it none. */
export interface Named extends Place {
  name: string;
}

/** A cell of a table: whether it shows nothing that is tagged, and its spans. */
export type StatedCell = [isEmpty: boolean, across: number, down: number];

export interface StatedStructure {
  language: string;
  title: string;
  /** Elements whose `lang` is not a language tag. */
  strangeLanguages: Place[];
  /** Those that are not decoration, and `figure` elements, which are groups. Drawings in a `wrapper` get no tag. */
  images: Array<Named & { kind: 'picture' | 'group' | 'role' | 'wrapper' }>;
  /** `level` counts from 1. */
  headings: Array<Named & { level: number }>;
  /** `target` is an absolute address, or `#` with the name of a destination. */
  links: Array<{ target: string; name: string }>;
  /** With the number of rows of the head and of the foot, and the cells of each row. */
  tables: Array<Place & { head: number; foot: number; rows: StatedCell[][] }>;
  /** `role` is that of the attribute owner PrintField: `rb`, `cb`, `pb` or `tv`. */
  fields: Array<Named & { role: string }>;
  /** Frames and embedded objects, whose content Chromium does not tag. */
  embedded: Place[];
}

interface MaxCharacters {
  title: number;
  name: number;
  selector: number;
  target: number;
}

const WORLD = 'platen-structure';
/** Of one kind. */
const MAX_EACH = 50_000;
/** Characters of one. */
const MAX: MaxCharacters = { title: 2_000, name: 300, selector: 200, target: 2_000 };

/** Throws `print_failed` when the document does not tell, and `resource_limit` when it tells too much. */
export async function readStatedStructure(session: Session, frameId: string, step: Step): Promise<StatedStructure> {
  const { executionContextId } = await step(session.send('Page.createIsolatedWorld', { frameId, worldName: WORLD }));
  const expression = `(() => { ${FUNCTIONS.join('\n')}
    return statedStructure(${MAX_EACH}, ${JSON.stringify(MAX)}) })()`;
  const asked = session
    .send('Runtime.evaluate', { expression, contextId: executionContextId, returnByValue: true })
    .catch((error: unknown) => {
      throw error instanceof DevToolsError ? untold(error) : error;
    });
  const { result, exceptionDetails } = await step(asked);
  if (exceptionDetails) throw untold();
  return result.value as StatedStructure;
}

function untold(error?: DevToolsError): ServiceError {
  if (error?.reason === TOO_LARGE)
    return new ServiceError('resource_limit', 'options.conformance: the document has more structure than can be checked');
  return new ServiceError('print_failed', 'options.conformance: the structure of the document could not be read', {
    cause: error,
  });
}

const FUNCTIONS = [
  builtIn,
  statedStructure,
  addShown,
  elementsOf,
  isShown,
  isDecoration,
  hasSize,
  nameOf,
  ownName,
  svgTitle,
  textOf,
  isUnread,
  labelsOf,
  placeOf,
  stepTo,
  levelOf,
  imageKind,
  isEmbedded,
  isBlank,
  isWrapper,
  linkOf,
  rowsOf,
  showsTagged,
  fieldRole,
  isLanguage,
];

// Typed loosely: this project's code runs in Node and has no DOM types.
// biome-ignore lint/suspicious/noExplicitAny: as above
type PageElement = any;
declare const document: PageElement;
declare const Node: { prototype: object };
declare const CSS: { escape(name: string): string };

/** Without what forms and documents have under the names of elements in them, which hides methods and attributes of their own. */
function builtIn(node: PageElement): PageElement {
  const kind = node ? Reflect.get(Node.prototype, 'nodeName', node) : '';
  if (kind !== '#document' && !/form$/i.test(kind)) return node;
  const get = (_: object, name: string | symbol) => {
    const value = Reflect.get(Reflect.getPrototypeOf(node) as object, name, node);
    return typeof value === 'function' ? value.bind(node) : value;
  };
  return new Proxy({}, { get });
}

function statedStructure(maxEach: number, max: MaxCharacters): StatedStructure {
  const root = builtIn(document).documentElement;
  const stated: StatedStructure = {
    language: (builtIn(root)?.getAttribute('lang') ?? builtIn(root)?.getAttribute('xml:lang') ?? '').trim().slice(0, 100),
    title: (builtIn(document).title ?? '').slice(0, max.title),
    strangeLanguages: [],
    images: [],
    headings: [],
    links: [],
    tables: [],
    fields: [],
    embedded: [],
  };
  const add = <T>(list: T[], item: T) => list.length < maxEach && list.push(item);
  for (const element of elementsOf(document)) {
    if (element !== root && !isLanguage(builtIn(element).getAttribute('lang') || 'en'))
      add(stated.strangeLanguages, placeOf(element, max));
    if (isShown(element)) addShown(element, stated, add, max);
  }
  return stated;
}

type Add = <T>(list: T[], item: T) => unknown;

function addShown(element: PageElement, stated: StatedStructure, add: Add, max: MaxCharacters): void {
  const target = linkOf(element);
  if (target) add(stated.links, { target: target.slice(0, max.target), name: nameOf(element, max) });
  if (isDecoration(element)) return;
  const named = () => ({ ...placeOf(element, max), name: nameOf(element, max) });
  const level = levelOf(element);
  const kind = imageKind(element);
  const role = fieldRole(element);
  if (level) add(stated.headings, { ...named(), level });
  if (kind) add(stated.images, { ...named(), kind });
  if (role) add(stated.fields, { ...named(), role });
  if (builtIn(element).localName === 'table') add(stated.tables, { ...placeOf(element, max), ...rowsOf(element) });
  if (isEmbedded(element)) add(stated.embedded, placeOf(element, max));
  if (kind && builtIn(element).localName === 'svg') builtIn(element).setAttribute('role', 'img'); // Chromium would tag nothing but its text
}

/** In the order of the document, with those of open shadow trees. */
function elementsOf(root: PageElement): PageElement[] {
  const found: PageElement[] = [];
  for (const element of builtIn(root).querySelectorAll('*')) {
    found.push(element);
    if (builtIn(element).shadowRoot) found.push(...elementsOf(builtIn(element).shadowRoot));
  }
  return found;
}

function isShown(element: PageElement): boolean {
  return builtIn(element).checkVisibility({ visibilityProperty: true });
}

/** Whether the document hides it from assistive technology, or says that it means nothing. */
function isDecoration(element: PageElement): boolean {
  const role = (builtIn(element).getAttribute('role') ?? '').trim().split(/\s+/)[0];
  if (role === 'presentation' || role === 'none') return true;
  if (
    builtIn(element).localName === 'img' &&
    builtIn(element).getAttribute('alt') === '' &&
    !builtIn(element).hasAttribute('aria-label')
  )
    return true;
  return builtIn(element).closest('[aria-hidden="true" i]') !== null;
}

function hasSize(element: PageElement): boolean {
  const { width, height } = builtIn(element).getBoundingClientRect();
  return width > 0 && height > 0;
}

/** As much of the computation of accessible names as these elements need. */
function nameOf(element: PageElement, max: MaxCharacters): string {
  const ids = (builtIn(element).getAttribute('aria-labelledby') ?? '').split(/\s+/).filter(Boolean);
  const labelled = ids.map((id: string) => textOf(builtIn(builtIn(element).getRootNode()).getElementById(id))).join(' ');
  const candidates = [
    labelled,
    builtIn(element).getAttribute('aria-label'),
    ownName(element),
    builtIn(element).getAttribute('title'),
  ];
  for (const candidate of candidates) {
    const name = (candidate ?? '').replace(/\s+/g, ' ').trim();
    if (name) return name.slice(0, max.name);
  }
  return '';
}

function ownName(element: PageElement): string {
  const { localName: name, type } = builtIn(element);
  if (/^(?:canvas|object|figure)$/.test(name) || builtIn(element).getAttribute('role') === 'img') return svgTitle(element);
  if (/^(?:img|area)$/.test(name) || type === 'image') return builtIn(element).getAttribute('alt') ?? '';
  if (name === 'svg') return svgTitle(element);
  if (name === 'input' && /^(?:submit|reset|button)$/.test(type)) return builtIn(element).value || labelsOf(element) || type;
  if (/^(?:input|textarea|select)$/.test(name)) return labelsOf(element) || (builtIn(element).getAttribute('placeholder') ?? '');
  return textOf(element);
}

/** Empty for what is no drawing. */
function svgTitle(element: PageElement): string {
  return builtIn(element).localName === 'svg' ? (builtIn(element).querySelector(':scope > title')?.textContent ?? '') : '';
}

/** With the alternate texts of images, without what is hidden. */
function textOf(node: PageElement): string {
  if (builtIn(node)?.nodeType === 3) return builtIn(node).data;
  if (builtIn(node)?.nodeType !== 1 || isUnread(node)) return '';
  if (builtIn(node).localName === 'img')
    return builtIn(node).getAttribute('aria-label') ?? builtIn(node).getAttribute('alt') ?? '';
  if (builtIn(node).localName === 'svg') return builtIn(node).getAttribute('aria-label') ?? svgTitle(node);
  const text = [...(builtIn(node).shadowRoot ?? builtIn(node)).childNodes].map(textOf).join('');
  return /^(?:br|p|div|li|td|th)$/.test(builtIn(node).localName) ? ` ${text} ` : text;
}

function isUnread(element: PageElement): boolean {
  return (
    builtIn(element).getAttribute('aria-hidden') === 'true' ||
    /^(?:script|style|template|noscript)$/.test(builtIn(element).localName)
  );
}

function labelsOf(element: PageElement): string {
  return [...(builtIn(element).labels ?? [])].map(textOf).join(' ');
}

function placeOf(element: PageElement, max: MaxCharacters): Place {
  const steps: string[] = [];
  for (let at = element; builtIn(at)?.localName && steps.length < 6; at = builtIn(at).parentElement) {
    steps.unshift(stepTo(at));
    if (builtIn(at).id) break;
  }
  const text = (builtIn(element).textContent ?? '').replace(/\s+/g, ' ').trim().slice(0, 60);
  const selector = steps.join(' > ').slice(0, max.selector);
  return { selector, snippet: `${builtIn(element).cloneNode(false).outerHTML.slice(0, 160)} ${text}`.trim() };
}

function stepTo(element: PageElement): string {
  const { localName: name, id, parentElement: parent } = builtIn(element);
  if (id) return `#${CSS.escape(id)}`;
  const alike = [...(builtIn(parent)?.children ?? [])].filter((other: PageElement) => builtIn(other).localName === name);
  return alike.length > 1 ? `${name}:nth-of-type(${alike.indexOf(element) + 1})` : name;
}

/** Of a heading; 0 for all else. */
function levelOf(element: PageElement): number {
  const role = builtIn(element).getAttribute('role');
  const level = Number(builtIn(element).getAttribute('aria-level')) || 0;
  const own = /^h([1-6])$/.exec(builtIn(element).localName)?.[1];
  if (role === 'heading') return level || Number(own) || 2;
  return own && (!role || role === 'heading') ? level || Number(own) : 0;
}

/** What shows a picture that is one element for assistive technology, or groups others around one; empty for all else. */
function imageKind(element: PageElement): 'picture' | 'group' | 'role' | 'wrapper' | '' {
  const { localName: name, parentElement: parent } = builtIn(element);
  if (builtIn(parent)?.closest('svg, [role="img" i]')) return ''; // a part of one
  if (/^(?:svg|img|canvas)$/.test(name)) return hasSize(element) && !isBlank(element) ? 'picture' : '';
  if (builtIn(element).getAttribute('role') === 'img') return isWrapper(element) ? 'wrapper' : 'role';
  return name === 'figure' ? 'group' : '';
}

/** A drawing of nothing, such as one that only defines symbols. */
function isBlank(element: PageElement): boolean {
  return builtIn(element).localName === 'svg' && builtIn(element).childElementCount === 0;
}

/** Of an `svg`, which Chromium does not tag in an element with the role of an image. */
function isWrapper(element: PageElement): boolean {
  return (
    builtIn(element).querySelector('svg') !== null &&
    !builtIn(element).querySelector('img, canvas') &&
    !/\S/.test(builtIn(element).textContent ?? '')
  );
}

function isEmbedded(element: PageElement): boolean {
  return /^(?:i?frame|object|embed|video|audio)$/.test(builtIn(element).localName) && hasSize(element);
}

function linkOf(element: PageElement): string {
  if (!/^(?:a|area)$/.test(builtIn(element).localName)) return '';
  const given = builtIn(element).getAttribute('href') ?? builtIn(element).getAttribute('xlink:href');
  if (given === null) return '';
  if (given.startsWith('#')) return given;
  const { href } = builtIn(element);
  const target = typeof href === 'string' ? href : given;
  const [before, fragment] = target.split('#');
  return fragment !== undefined && before === builtIn(document).baseURI.split('#')[0] ? `#${fragment}` : target;
}

function rowsOf(table: PageElement): { head: number; foot: number; rows: StatedCell[][] } {
  const shown = (rows: Iterable<PageElement> | undefined) => [...(rows ?? [])].filter(isShown);
  const cellOf = (cell: PageElement): StatedCell => [!showsTagged(cell), cell.colSpan, cell.rowSpan];
  const rows = shown(builtIn(table).rows).map((row) => shown(row.cells).map(cellOf));
  return { head: shown(builtIn(table).tHead?.rows).length, foot: shown(builtIn(table).tFoot?.rows).length, rows };
}

/** Whether something in it has a tag, as opposed to borders and decoration. */
function showsTagged(node: PageElement): boolean {
  if (builtIn(node).nodeType === 3) return /[^ \t\n\r\f]/.test(builtIn(node).data);
  if (builtIn(node).nodeType !== 1 || !isShown(node) || isDecoration(node)) return false;
  return (
    /^(?:img|svg|canvas|input|select|textarea|button|progress|meter|hr|math)$/.test(builtIn(node).localName) ||
    [...(builtIn(node).shadowRoot ?? builtIn(node)).childNodes].some(showsTagged)
  );
}

function fieldRole(element: PageElement): string {
  const { localName: name, type } = builtIn(element);
  if (name === 'textarea') return 'tv';
  if (name === 'button') return 'pb';
  if (name !== 'input' || type === 'hidden') return '';
  if (type === 'checkbox') return 'cb';
  if (type === 'radio') return 'rb';
  if (/^(?:submit|reset|button|image|file|color)$/.test(type)) return 'pb';
  return type === 'range' ? '' : 'tv';
}

function isLanguage(tag: string): boolean {
  return /^[a-z]{2,8}(?:[-_][a-z0-9]{1,8})*$/i.test(tag.trim());
}
