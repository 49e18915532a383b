/**
 * Reads the structure that a document states: its language, title, alternate texts, headings, links, tables and fields, in
 * document order. It is read before the print, in an isolated world, which scripts of the document cannot change. A document
 * without scripts is read in its main world, which exists already and is kept for the next document.
 */
import { Type } from 'typebox';
import type { Deadline } from '../../../deadline.ts';
import { ServiceError } from '../../../errors.ts';
import type { DocumentStructure, ElementLocation, TableCell } from '../../../tag-structure.ts';
import { DevToolsError, type Session, TOO_LARGE } from '../../devtools/connection.ts';
import { ANYTHING, evaluate, isUnanswered, type Question, type Shape, shape } from '../../devtools/evaluate.ts';
import type { Step } from '../../devtools/step.ts';
import { type AttributeChange, DRAWING_FUNCTIONS, RESTORE_ATTRIBUTES } from './drawing-roles.ts';
import { CHILD_FUNCTIONS, READING_ORDER_FUNCTIONS } from './reading-order.ts';
import { RASTERIZING_FUNCTIONS } from './shared-text.ts';

interface MaxCharacters {
  text: number;
  title: number;
  name: number;
  selector: number;
  target: number;
}

const WORLD = 'platen-structure';
const JSON_TEXT = shape(Type.String());
/** The maximum number of items of each kind. */
const MAX_EACH = 50_000;
/**
 * The time-out for structure that is only `wanted`. A document that takes longer is printed with the tags that Chromium writes.
 */
const MAX_WANTED_MS = 5_000;
/** The share of the remaining time that reading may take if the structure is only `wanted`. */
const SHARE_OF_WANTED = 1 / 4;
/** The maximum number of characters of each text. */
export const MAX_TEXT: MaxCharacters = { text: 8_000_000, title: 2_000, name: 300, selector: 200, target: 2_000 };

interface Reader {
  step: Step;
  deadline: Deadline;
  runsScripts: boolean;
}

/**
 * Without `frameId`, the document must have no scripts. If the structure cannot be read, returns undefined if it is only
 * `wanted`; if it is `demanded`, throws `print_failed`, or `resource_limit` if there is too much of it.
 */
export async function readDocumentStructure(
  session: Session,
  frameId: string | undefined,
  { step, deadline, runsScripts }: Reader,
  need: 'wanted' | 'demanded',
): Promise<DocumentStructure | undefined> {
  const isDemanded = need === 'demanded';
  const values = [MAX_EACH, MAX_TEXT, isDemanded].map((value) => JSON.stringify(value));
  // As JSON, which takes less time than to return the value.
  const expression = `(() => { const SIBLINGS = new Map(); const PARENTS = new Map(); ${FUNCTIONS.join('\n')}
    return JSON.stringify(documentStructure(${values})) })()`;
  const timeout = Math.min(MAX_WANTED_MS, Math.ceil(deadline.remainingMs * SHARE_OF_WANTED));
  const what = { expression, ...(!isDemanded && { timeout }) };
  const readApart = runsScripts ? readUnobserved : readInOwnWorld;
  const reading =
    frameId === undefined ? read(session, what, JSON_TEXT, step) : readApart(session, frameId, what, JSON_TEXT, step);
  const value = await reading.catch((error: unknown) => {
    if (!(error instanceof DevToolsError)) throw error;
    if (isDemanded) throw untold(error);
  });
  if (value !== undefined) return JSON.parse(value) as DocumentStructure;
  if (isDemanded) throw untold();
  return undefined;
}

/** Disables the document's scripts meanwhile, so that they cannot react to the attributes that are set and change the printed content. */
async function readUnobserved<T>(
  session: Session,
  frameId: string,
  what: Reading,
  expected: Shape<T>,
  step: Step,
): Promise<T | undefined> {
  const disableScripts = (value: boolean) => step(session.send('Emulation.setScriptExecutionDisabled', { value }));
  await disableScripts(true);
  try {
    return await readInOwnWorld(session, frameId, what, expected, step);
  } finally {
    await disableScripts(false);
  }
}

/**
 * Evaluates an expression in an isolated world, which scripts of the document cannot change. Returns undefined if the expression
 * throws.
 */
export async function readInOwnWorld<T>(
  session: Session,
  frameId: string,
  what: Reading,
  expected: Shape<T>,
  step: Step,
): Promise<T | undefined> {
  const { executionContextId } = await step(session.send('Page.createIsolatedWorld', { frameId, worldName: WORLD }));
  return read(session, { ...what, contextId: executionContextId }, expected, step);
}

type Reading = Pick<Question, 'expression' | 'timeout'>;

async function read<T>(session: Session, what: Question, expected: Shape<T>, step: Step): Promise<T | undefined> {
  try {
    return await step(evaluate(session, { ...what, awaitPromise: false }, expected));
  } catch (error) {
    if (!isUnanswered(error)) throw error;
    await step(evaluate(session, { ...what, expression: RESTORE_ATTRIBUTES, awaitPromise: false }, ANYTHING, () => undefined));
    if (error instanceof DevToolsError) throw error;
    return undefined;
  }
}

function untold(error?: DevToolsError): ServiceError {
  if (error?.reason === TOO_LARGE)
    return new ServiceError('resource_limit', '{option}: the document has more structure than can be checked', {
      about: 'conformance',
    });
  return new ServiceError('print_failed', '{option}: the structure of the document could not be read', {
    about: 'conformance',
    cause: error,
  });
}

/** The functions that compute the accessible name and the place of an element. */
export const NAMING_FUNCTIONS = [
  builtIn,
  isShown,
  hasSize,
  nameOf,
  labelledName,
  ownName,
  controlName,
  roleOf,
  fieldRole,
  controlRole,
  svgTitle,
  textOf,
  labelOrText,
  contentText,
  ...CHILD_FUNCTIONS,
  labelsOf,
  placeOf,
  stepTo,
  countSiblings,
];

const FUNCTIONS = [
  ...NAMING_FUNCTIONS,
  ...RASTERIZING_FUNCTIONS,
  ...READING_ORDER_FUNCTIONS,
  ...DRAWING_FUNCTIONS,
  documentStructure,
  tagDrawings,
  tagWrappers,
  hasBackground,
  onlyDrawing,
  isDrawingShown,
  isPlain,
  ofRoot,
  visibleText,
  languageOf,
  isDrawing,
  mayCount,
  makeTagged,
  readLanguage,
  isInLine,
  addElement,
  addShown,
  isDecoration,
  isHidden,
  isWithin,
  parentOf,
  isPartOfImage,
  isPrinted,
  headingText,
  levelOf,
  imageKind,
  isEmbedded,
  saysSomething,
  isBlank,
  isWrapper,
  isTextTagged,
  nodesIn,
  isOnePicture,
  linkOf,
  isTable,
  rowsOf,
  isEmpty,
  rowSpanOf,
  showsTagged,
  hasTagged,
  isLanguage,
];

// Typed loosely: this project's code runs in Node and has no DOM types.
// biome-ignore lint/suspicious/noExplicitAny: as above
type PageElement = any;
declare const document: PageElement;
declare const HTMLFormElement: new () => object;
declare const Document: new () => object;
declare const roleChange: (drawing: PageElement) => AttributeChange;
declare const wrapperChanges: (wrapper: PageElement, drawing: PageElement, label: string) => AttributeChange[];
declare const setForPrint: (changes: AttributeChange[], roots: PageElement[]) => boolean;
declare const childNodesOf: (node: PageElement) => PageElement[];
declare const elementsOf: (roots: PageElement[]) => Iterable<PageElement>;
declare const isRasterized: (element: PageElement) => boolean;
declare const isPartOfDrawing: (element: PageElement) => boolean;
/** The number of children of a parent by element name, and the index of each child among those with its name. */
interface Siblings {
  counts: Map<string, number>;
  places: Map<PageElement, number>;
}
declare const SIBLINGS: Map<PageElement, Siblings>;
/** The parents of elements in shadow roots and slots, whose `parentElement` is another or none. */
declare const PARENTS: Map<PageElement, PageElement>;
declare function getComputedStyle(element: PageElement, part?: string): PageElement;
declare const scrollX: number;
declare const scrollY: number;
declare const CSS: { escape(name: string): string };

/**
 * Returns a node whose built-in members cannot be hidden: forms and documents have named elements as members, which hide their
 * own methods and attributes.
 */
function builtIn(node: PageElement): PageElement {
  const name = node?.localName; // of another type only where it is hidden, and in nodes that are no elements
  if (typeof name === 'string' && name !== 'form') return node; // much faster than `instanceof`
  if (!(node instanceof HTMLFormElement || node instanceof Document)) return node;
  const get = (_: object, name: string | symbol) => {
    const value = Reflect.get(Reflect.getPrototypeOf(node) as object, name, node);
    return typeof value === 'function' ? value.bind(node) : value;
  };
  return new Proxy({}, { get });
}

function documentStructure(maxEach: number, max: MaxCharacters, tagsAllDrawings: boolean): DocumentStructure {
  const root = builtIn(document).documentElement;
  const structure = ofRoot(root, max);
  const add = <T>(list: T[], item: T) => list.length < maxEach && list.push(item);
  const roots: PageElement[] = [];
  const images = new Map<PageElement, ImageStructure>();
  const elements = elementsOf(roots);
  structure.text = visibleText(roots).slice(0, max.text);
  for (const element of elements) {
    if (element !== root) readLanguage(element, structure, add, max);
    if (builtIn(element).localName === 'caption') makeTagged(element);
    const image = addElement(element, structure, add, max);
    if (image) images.set(element, image);
  }
  const canBeTagged = (element: PageElement) => isDrawing(element) && (tagsAllDrawings || isOnePicture(element, max));
  tagDrawings(
    [...images].filter(([element]) => canBeTagged(element)),
    roots,
  );
  const isNamed = ({ kind, name }: ImageStructure) => kind === 'wrapper' && name !== '' && name.length < max.name;
  tagWrappers(
    [...images].filter(([, image]) => isNamed(image)),
    roots,
  );
  // After that, because cells with these images are not empty.
  for (const element of elements) if (isTable(element)) add(structure.tables, { ...placeOf(element, max), ...rowsOf(element) });
  delete (globalThis as PageElement).restoreAttributes;
  return structure;
}

function tagDrawings(drawings: Array<[element: PageElement, image: ImageStructure]>, roots: PageElement[]): void {
  const changes = drawings.map(([element]) => roleChange(element));
  if (!setForPrint(changes, roots)) for (const [, image] of drawings) image.kind = 'wrapper';
}

/** Tags the drawings in other elements with the role `img`, such as icons. */
function tagWrappers(wrappers: Array<[element: PageElement, image: ImageStructure]>, roots: PageElement[]): void {
  const found = wrappers.flatMap(([element, image]) => {
    const drawing = onlyDrawing(element);
    return drawing ? [{ image, changes: wrapperChanges(element, drawing, image.name) }] : [];
  });
  const changes = found.flatMap((each) => each.changes);
  if (setForPrint(changes, roots)) for (const { image } of found) image.kind = 'picture';
}

/** Whether an element has a background, which Chromium tags in an image. */
function hasBackground(element: PageElement): boolean {
  const { backgroundImage, backgroundColor } = getComputedStyle(element);
  return backgroundImage !== 'none' || !/[,/] 0\)$/.test(backgroundColor);
}

/** The drawing that is all that an element shows, if it can be tagged in its place, and nothing else would get a tag by that. */
function onlyDrawing(wrapper: PageElement): PageElement | undefined {
  const inside = nodesIn(wrapper).filter((node) => builtIn(node).nodeType === 1 && !isPartOfDrawing(node));
  const others = inside.filter((node) => !isDrawing(node));
  if (!isPlain(wrapper) || !others.every((node) => isPlain(node) && /^(?:none|presentation)?$/.test(roleOf(node))))
    return undefined;
  const [drawing, ...rest] = inside.filter((node) => isDrawing(node) && isDrawingShown(node));
  const isAlone = drawing && !rest.length && !isHidden(parentOf(drawing));
  return isAlone ? drawing : undefined;
}

function isDrawingShown(drawing: PageElement): boolean {
  return isShown(drawing) && hasSize(drawing) && !isBlank(drawing);
}

/** Whether only the content of an element counts: it is no link, control, heading, list or table. */
function isPlain(element: PageElement): boolean {
  return /^(?:span|i|b|em|strong|p|div|slot|br|style|script|link|template)$|-/.test(builtIn(element).localName);
}

function ofRoot(root: PageElement, max: MaxCharacters): DocumentStructure {
  return {
    language: languageOf(root),
    bodyLanguage: languageOf(builtIn(document).body),
    title: (builtIn(document).title ?? '').slice(0, max.title),
    text: '',
    ...{ invalidLanguages: [], images: [], headings: [], links: [], tables: [], fields: [], embedded: [], rasterized: [] },
  };
}

/** The text of the document and of each shadow tree, which is not in that of its host. */
function visibleText([root, ...shadows]: PageElement[]): string {
  const tops = [builtIn(root).body ?? builtIn(root).documentElement, ...shadows.flatMap((shadow) => [...shadow.children])];
  // biome-ignore lint/performance/useDomNodeTextContent: it tells which white space is shown, and separates blocks
  return tops.map((top) => builtIn(top).innerText ?? builtIn(top).textContent).join('\n');
}

/** `xml:lang` has no effect in HTML. */
function languageOf(element: PageElement): string {
  const isXml = builtIn(document).contentType !== 'text/html';
  const language = builtIn(element)?.getAttribute('lang') ?? (isXml ? builtIn(element)?.getAttribute('xml:lang') : '');
  return (language ?? '').trim().slice(0, 100);
}

function isDrawing(element: PageElement): boolean {
  return builtIn(element).localName === 'svg';
}

/**
 * Makes Chromium tag an element that it would leave out, such as a caption with blocks in it: it tags what can be clicked, and neither
 * CSS nor scripts of the document see the listener.
 */
function makeTagged(element: PageElement): void {
  builtIn(element).addEventListener('click', () => {});
}

/** Chromium does not tag an inline element for its language alone. */
function readLanguage(element: PageElement, structure: DocumentStructure, add: Add, max: MaxCharacters): void {
  const language = builtIn(element).getAttribute('lang');
  if (!language) return;
  if (!isLanguage(language) && isShown(element)) add(structure.invalidLanguages, placeOf(element, max));
  if (isInLine(element)) makeTagged(element);
}

function isInLine(element: PageElement): boolean {
  return getComputedStyle(element).display === 'inline' && builtIn(element).closest('svg') === null;
}

/** Whether an element may be part of the structure. This avoids slower queries for most elements. */
function mayCount(element: PageElement): boolean {
  const { localName } = builtIn(element);
  const isNamed = /^(?:a|area|h[1-6]|svg|img|canvas|figure|input|textarea|button|table|i?frame|object|embed|video|audio)$/.test(
    localName,
  );
  return isNamed || builtIn(element).hasAttribute('role');
}

type ImageStructure = DocumentStructure['images'][number];
type Add = <T>(list: T[], item: T) => unknown;

/** Returns the image, if it is one. */
function addElement(
  element: PageElement,
  structure: DocumentStructure,
  add: Add,
  max: MaxCharacters,
): ImageStructure | undefined {
  if (isRasterized(element) && isShown(element) && saysSomething(element)) add(structure.rasterized, placeOf(element, max));
  return mayCount(element) && isShown(element) ? addShown(element, structure, add, max) : undefined;
}

function addShown(element: PageElement, structure: DocumentStructure, add: Add, max: MaxCharacters): ImageStructure | undefined {
  const target = linkOf(element);
  if (target && isPrinted(element))
    add(structure.links, { target: target.slice(0, max.target), name: nameOf(element, max), isHidden: isHidden(element) });
  if (isDecoration(element)) return undefined;
  const named = () => ({ ...placeOf(element, max), name: nameOf(element, max) });
  const level = levelOf(element);
  const kind = imageKind(element);
  const role = fieldRole(element);
  if (level) add(structure.headings, { ...named(), level, text: headingText(element, max) });
  const image = kind ? { ...named(), kind } : undefined;
  if (image) add(structure.images, image);
  if (role && !target && isPrinted(element)) add(structure.fields, { ...named(), role });
  if (isEmbedded(element)) add(structure.embedded, placeOf(element, max));
  return image;
}

function headingText(heading: PageElement, max: MaxCharacters): string {
  return contentText(heading)
    .replace(/\u00ad/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, max.title);
}

function isShown(element: PageElement): boolean {
  return builtIn(element).checkVisibility({ visibilityProperty: true, opacityProperty: true });
}

/** Whether the document hides the element from assistive technology, or declares it as presentational. */
function isDecoration(element: PageElement): boolean {
  if (/^(?:presentation|none)$/.test(roleOf(element))) return true;
  return builtIn(element).matches('img[alt=""]:not([aria-label], [role])') || isHidden(element);
}

function isHidden(element: PageElement): boolean {
  return isWithin(element, '[aria-hidden="true" i], [inert]');
}

/** Whether the element or one around it matches a selector, also around shadow roots and slots. */
function isWithin(element: PageElement, selector: string): boolean {
  if (!element) return false;
  if (builtIn(element).closest(selector)) return true;
  let at = PARENTS.size ? element : null;
  while (at && !PARENTS.has(at)) at = builtIn(at).parentElement;
  return at !== null && isWithin(PARENTS.get(at), selector);
}

/** The element around a node as it is laid out. */
function parentOf(node: PageElement): PageElement {
  return PARENTS.get(node) ?? builtIn(node).parentElement;
}

/** Whether something of a link or a field that is shown can be on a page: it is not empty, clipped, left of the pages or above them. */
function isPrinted(element: PageElement): boolean {
  const { clip, clipPath } = getComputedStyle(element);
  if (/^rect\(([01])px, \1px, \1px, \1px\)$/.test(clip) || /^inset\((?:50|100)%\)$/.test(clipPath)) return false;
  if (!hasSize(element)) return builtIn(element).hasChildNodes();
  const { right, bottom } = builtIn(element).getBoundingClientRect();
  return right + scrollX > 0 && bottom + scrollY > 0;
}

function hasSize(element: PageElement): boolean {
  const { width, height } = builtIn(element).getBoundingClientRect();
  return width > 0 && height > 0;
}

/** Computes the accessible name, as far as these elements need it. */
function nameOf(element: PageElement, max: MaxCharacters): string {
  const candidates = [
    labelledName(element),
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

/** The names of the elements that label an element. They may be hidden. */
function labelledName(element: PageElement): string {
  const ids = (builtIn(element).getAttribute('aria-labelledby') ?? '').split(/\s+/).filter(Boolean);
  const labels = ids.map((id: string) => builtIn(builtIn(element).getRootNode()).getElementById(id)).filter(Boolean);
  return labels.map(labelOrText).join(' ');
}

function ownName(element: PageElement): string {
  const { localName: name, type } = builtIn(element);
  if (/^(?:img|area)$/.test(name) || type === 'image') return builtIn(element).getAttribute('alt') ?? '';
  if (/^(?:canvas|object|figure|svg)$/.test(name) || roleOf(element) === 'img') return svgTitle(element);
  if (/^(?:input|textarea|select)$/.test(name)) return controlName(element);
  return fieldRole(element) === 'tv' ? '' : contentText(element); // the text of a text field is its value
}

function controlName(element: PageElement): string {
  const { localName: name, type, value } = builtIn(element);
  if (name !== 'input' || !/^(?:submit|reset|button)$/.test(type))
    return labelsOf(element) || (builtIn(element).getAttribute('placeholder') ?? '');
  return value || labelsOf(element) || (type === 'button' ? '' : type);
}

/** The first role of an element. What can be focused is never presentational (WAI-ARIA 1.2, 7.4). */
function roleOf(element: PageElement): string {
  const [role] = (builtIn(element).getAttribute('role') ?? '').trim().toLowerCase().split(/\s+/);
  const isNone = role === 'none' || role === 'presentation';
  if (isNone && builtIn(element).matches(':is(button, input, select, textarea):enabled, [tabindex]')) return '';
  return role === 'image' ? 'img' : role; // synonyms (WAI-ARIA 1.3)
}

/** The title of an svg element; empty for other elements. */
function svgTitle(element: PageElement): string {
  return builtIn(element).localName === 'svg' ? (builtIn(element).querySelector(':scope > title')?.textContent ?? '') : '';
}

/** The text of a node as it is read out, so that of blocks is set apart by spaces; empty if it is hidden. */
function textOf(node: PageElement): string {
  if (builtIn(node).nodeType === 3) return builtIn(node).data;
  const unread = '[aria-hidden="true" i], [inert], script, style, template, noscript, select, datalist, textarea';
  if (builtIn(node).nodeType !== 1 || builtIn(node).matches(unread)) return '';
  const { display } = getComputedStyle(node);
  if (display === 'none') return '';
  const text = labelOrText(node);
  return /^(?:inline|contents|ruby)/.test(display) ? text : ` ${text} `;
}

function labelOrText(element: PageElement): string {
  const label = builtIn(element).getAttribute('aria-label') ?? '';
  return /\S/.test(label) ? label : contentText(element);
}

/** The text in an element, or the alternate text of an image, even if the element is hidden. */
function contentText(element: PageElement): string {
  const { localName: name } = builtIn(element);
  if (name === 'img') return builtIn(element).getAttribute('alt') ?? '';
  if (name === 'svg') return svgTitle(element);
  return name === 'br' ? ' ' : childNodesOf(element).map(textOf).join('');
}

function labelsOf(element: PageElement): string {
  return [...(builtIn(element).labels ?? [])].map(contentText).join(' ');
}

function placeOf(element: PageElement, max: MaxCharacters): ElementLocation {
  const steps: string[] = [];
  const outside = (at: PageElement) => builtIn(at).parentElement ?? builtIn(builtIn(at).getRootNode()).host;
  for (let at = element; builtIn(at)?.localName && steps.length < 6; at = outside(at)) {
    steps.unshift(stepTo(at));
    if (builtIn(at).id) break;
  }
  const text = (builtIn(element).textContent ?? '').replace(/\s+/g, ' ').trim().slice(0, 60);
  const selector = steps.join(' > ').slice(0, max.selector);
  const shell = builtIn(element).cloneNode(false);
  if (builtIn(element).type === 'password') shell.removeAttribute('value');
  const markup = shell.outerHTML.slice(0, 160);
  const end = `</${shell.localName}>`;
  const isWhole = markup.endsWith(end); // elements such as img have no end tag, and long markup is cut
  return { selector, snippet: isWhole ? `${markup.slice(0, -end.length)}${text}${end}` : `${markup} ${text}`.trim() };
}

function stepTo(element: PageElement): string {
  const { localName: name, id, parentElement: parent } = builtIn(element);
  if (id) return `#${CSS.escape(id)}`;
  if (!parent) return name;
  const siblings = SIBLINGS.get(parent) ?? countSiblings(parent);
  return (siblings.counts.get(name) ?? 0) > 1 ? `${name}:nth-of-type(${siblings.places.get(element)})` : name;
}

/** Counts once for each parent, so that thousands of siblings do not take quadratic time. */
function countSiblings(parent: PageElement): Siblings {
  const siblings: Siblings = { counts: new Map(), places: new Map() };
  for (const child of builtIn(parent).children) {
    const place = (siblings.counts.get(builtIn(child).localName) ?? 0) + 1;
    siblings.counts.set(builtIn(child).localName, place);
    siblings.places.set(child, place);
  }
  SIBLINGS.set(parent, siblings);
  return siblings;
}

/** The level of a heading; 0 for other elements. */
function levelOf(element: PageElement): number {
  const role = roleOf(element);
  const level = Number(builtIn(element).getAttribute('aria-level')) || 0;
  const own = /^h([1-6])$/.exec(builtIn(element).localName)?.[1];
  if (role === 'heading') return level || Number(own) || 2;
  return own && !role ? level || Number(own) : 0;
}

/** The kind of an image: a single image for assistive technology, or a group or wrapper around one; empty for other elements. */
function imageKind(element: PageElement): 'picture' | 'group' | 'role' | 'wrapper' | '' {
  const { localName: name } = builtIn(element);
  const isRole = roleOf(element) === 'img';
  if (!isRole && !/^(?:svg|img|canvas|figure)$/.test(name)) return '';
  if (isPartOfImage(element)) return '';
  if (/^(?:svg|img|canvas)$/.test(name)) return hasSize(element) && !isBlank(element) ? 'picture' : '';
  if (isRole) return isWrapper(element) ? 'wrapper' : 'role';
  return 'group';
}

function isPartOfImage(element: PageElement): boolean {
  return isWithin(parentOf(element), 'svg, [role="img" i], [role="image" i]');
}

/** Whether a drawing can be tagged as a single image without losing text. */
function isOnePicture(drawing: PageElement, max: MaxCharacters): boolean {
  return nameOf(drawing, max) !== '' || builtIn(drawing).querySelector('text, foreignObject') === null;
}

/** Whether an svg element has no content of its own: at most definitions, which other drawings can use. */
function isBlank(element: PageElement): boolean {
  const drawn = ':scope > :not(defs, symbol, style, script, title, desc, metadata)';
  return builtIn(element).localName === 'svg' && builtIn(element).querySelector(drawn) === null;
}

/** Whether Chromium tags nothing of an element with the role `img`: it has no background, no text, and no images but drawings. */
function isWrapper(element: PageElement): boolean {
  const inside = nodesIn(element);
  const isText = (node: PageElement) => builtIn(node).nodeType === 3 && isTextTagged(node);
  const isPicture = (node: PageElement) => /^(?:img|canvas)$/.test(builtIn(node).localName) && !isDecoration(node);
  if (hasBackground(element) || inside.some((node) => isText(node) || isPicture(node))) return false;
  return [element, ...inside].some((node) => builtIn(node).nodeType === 1 && hasSize(node) && isShown(node)); // it may float
}

function isTextTagged(text: PageElement): boolean {
  const around = parentOf(text); // none directly in a shadow root
  return /\S/.test(builtIn(text).data) && (!around || (isShown(around) && isPrinted(around) && !isHidden(around)));
}

/** All nodes in an element, as they are laid out, except those that are never shown. */
function nodesIn(element: PageElement): PageElement[] {
  if (/^(?:style|script|template|title|desc|metadata)$/.test(builtIn(element).localName)) return [];
  return childNodesOf(element).flatMap((node) => [node, ...nodesIn(node)]);
}

function isEmbedded(element: PageElement): boolean {
  return /^(?:i?frame|object|embed|video|audio)$/.test(builtIn(element).localName) && hasSize(element);
}

function saysSomething(element: PageElement): boolean {
  if (isDecoration(element)) return false;
  if (isPartOfDrawing(element)) return true;
  const drawn = 'img:not([alt=""]), svg, canvas, input, textarea, select';
  return builtIn(element).matches(drawn) || builtIn(element).querySelector(drawn) !== null || /\S/.test(textOf(element));
}

function linkOf(element: PageElement): string {
  if (!/^(?:a|area)$/.test(builtIn(element).localName)) return '';
  const given = builtIn(element).getAttribute('href') ?? builtIn(element).getAttribute('xlink:href');
  if (given === null) return '';
  if (given.startsWith('#')) return builtIn(element).hash || given; // encoded, as in the PDF
  const { href } = builtIn(element);
  const target = typeof href === 'string' ? href : given;
  const [before, fragment] = target.split('#');
  return fragment !== undefined && before === builtIn(document).baseURI.split('#')[0] ? `#${fragment}` : target;
}

function isTable(element: PageElement): boolean {
  return builtIn(element).localName === 'table' && isShown(element) && !isDecoration(element);
}

/** The rows that are laid out and have cells. Cells that are only invisible have their place in the table. */
function rowsOf(table: PageElement): { head: number; foot: number; rows: TableCell[][] } {
  const isLaidOut = (element: PageElement) => builtIn(element).checkVisibility();
  const isRow = (row: PageElement) =>
    row.cells.length > 0 && (isShown(row) || (isLaidOut(row) && getComputedStyle(row).visibility !== 'collapse'));
  const groups = Map.groupBy([...builtIn(table).rows].filter(isRow), (row) => row.parentElement);
  const cellsOf = (row: PageElement, left: number) =>
    [...row.cells].filter(isLaidOut).map((cell): TableCell => [isEmpty(cell), cell.colSpan, rowSpanOf(cell, left)]);
  const rows = [...groups.values()].flatMap((group) => group.map((row, at) => cellsOf(row, group.length - at)));
  const { tHead, tFoot } = builtIn(table);
  return { head: groups.get(tHead)?.length ?? 0, foot: groups.get(tFoot)?.length ?? 0, rows };
}

function isEmpty(cell: PageElement): boolean {
  return !isShown(cell) || isDecoration(cell) || !hasTagged(cell);
}

/** A cell ends with the last row of its group, whatever it says, and 0 says to. */
function rowSpanOf({ rowSpan }: PageElement, left: number): number {
  return Math.min(rowSpan || left, left);
}

/** Whether any content of a node gets a tag; borders and decoration do not. */
function showsTagged(node: PageElement): boolean {
  if (builtIn(node).nodeType === 3) return /[^ \t\n\r\f]/.test(builtIn(node).data);
  if (builtIn(node).nodeType !== 1 || !isShown(node) || isDecoration(node)) return false;
  const isTagged = /^(?:img|svg|canvas|input|select|textarea|button|progress|meter|hr|math)$/.test(builtIn(node).localName);
  return isTagged || hasTagged(node) || (roleOf(node) === 'img' && hasBackground(node) && hasSize(node));
}

function hasTagged(element: PageElement): boolean {
  if (builtIn(element).localName === 'slot') return childNodesOf(element).some(showsTagged);
  let child = (builtIn(element).shadowRoot ?? builtIn(element)).firstChild; // faster than a list
  while (child && !showsTagged(child)) child = builtIn(child).nextSibling;
  return child !== null;
}

function fieldRole(element: PageElement): string {
  const role = roleOf(element);
  if (role === 'button') return 'pb';
  if (role === 'radio') return 'rb';
  if (role === 'checkbox' || role === 'switch') return 'cb';
  if (role === 'textbox' || role === 'searchbox') return 'tv';
  return !role || role === 'combobox' || role === 'spinbutton' ? controlRole(element) : '';
}

function controlRole(element: PageElement): string {
  const { localName: name, type } = builtIn(element);
  if (name === 'textarea') return 'tv';
  if (name === 'button') return 'pb';
  if (name !== 'input' || type === 'hidden') return '';
  if (type === 'checkbox') return 'cb';
  if (type === 'radio') return 'rb';
  if (/^(?:submit|reset|button|image)$/.test(type)) return 'pb';
  // Chromium tags no field there, or names each part of it.
  return /^(?:range|file|color|date|time|month|week|datetime-local)$/.test(type) ? '' : 'tv';
}

function isLanguage(tag: string): boolean {
  return /^[a-z]{2,8}(?:[-_][a-z0-9]{1,8})*$/i.test(tag.trim());
}
