/**
 * The questions that the service asks a document, as functions from JSON to JSON. Both sides are checked against this file. Documents
 * may replace every built-in function, so the service checks the shape of each answer on arrival.
 */

import type { ExceededLimit, PackedFields } from './fields.ts';
import type { Effect, EffectQuestion, LostContent, MissingPart, StyleSource } from './inspection.ts';
import type { LastBlock, LayoutLinks, PageRisk } from './layout.ts';
import type { OverlaySheet } from './overlay.ts';
import type { HeaderMargins } from './page-headers.ts';
import type { Naming, PageClass } from './page-selectors.ts';
import type {
  ContentsOrder,
  Crowding,
  FootnoteParts,
  MeasuredFootnotes,
  PagedElements,
  PagedFootnote,
  PagedRefusal,
  SidedBreak,
} from './paged.ts';
import type { FoundTables, PreparedTable, TableChange } from './paged-tables.ts';

export interface Questions {
  // Loading
  addElement(tag: AddedElement): Promise<null>;
  addRule(rule: string, elsewhere: string): null;
  growPages(bleedInches: number, named: Record<string, [width: number, height: number]>): boolean;
  awaitAssets(options: AssetOptions): Promise<LoadedParts>;
  haveAssetsLoaded(declaresShadows: boolean): boolean;
  finishAnimations(declaresShadows: boolean): number;
  readMarker(): string;
  readMetadata(): StatedMetadata;
  setPixelRatio(ratio: number): null;
  waitUntilFinished(options: FinishOptions): Promise<FinishState>;
  isSelector(selector: string): boolean;
  isInState(selector: string, state: ElementState): boolean;
  // Inspecting
  readStyleSheets(): StyleSource[];
  extendStyleSheets(rules: string[][]): null;
  loadPictures(urls: string[]): Promise<null>;
  findEffects(questions: EffectQuestion[]): Effect[];
  mayHaveLost(): boolean;
  findLostContent(): LostContent;
  findMissingParts(decodesImages: boolean): Promise<MissingPart[]>;
  findUnhyphenated(): string[];
  // Hyphenation
  listHyphenatedWords(): LanguageWords[];
  insertSoftHyphens(hyphenated: LanguageWords[]): boolean;
  // Tags and fields
  readStructure(tagsAllDrawings: boolean): string;
  restoreAttributes(): null;
  prepareFields(key: string): PackedFields | ExceededLimit;
  restoreFields(numbers: number[]): boolean;
  // Capturing
  boxOf(selector: string): Box | null | 'invalid';
  // Fonts
  appendCjkFonts(guesses: boolean): string[];
  findDrawnScripts(samples: Record<string, string>): Record<string, boolean>;
  inspectText(characters: string[], families: string[]): Promise<InspectedText>;
  // Headers and footers
  fillTemplate(markup: string, files: Record<string, EmbeddedFile>): FilledMarkup;
  measureTemplates(header: string, footer: string, widthInches: number): Promise<[header: number, footer: number]>;
  holdTemplateFonts(templates: string[]): null;
  findFailedFonts(): string[] | null;
  // Layout for paper
  hideInAllWindows(hides: boolean): null;
  removeCover(): null;
  measureHeight(): DocumentHeight;
  noteHeights(): null;
  fixHeights(): null;
  isVertical(): boolean;
  findClippedContent(): Clipped[];
  findWidest(): string;
  keepWidth(px: number): null;
  releaseSticky(): boolean;
  keepShortParagraphs(): boolean;
  findUnrepeatedRows(heightPx: number, isPage: boolean): UnrepeatedRows[];
  combineDocuments(documents: string[], key: string, heightPx: number): Array<string | null> | null;
  // Content that depends on pages
  readPagedContent(key: string, contents: ContentsOrder | null): PagedElements | PagedRefusal;
  showReferences(numbers: string[]): null;
  setMarginRules(css: string): null;
  hideDocument(key: string): null;
  showDocument(): null;
  takeFootnotes(key: string, isTagged: boolean): PagedFootnote[] | null;
  measureFootnotes(widths: number[], groups: number[][]): number[];
  numberFootnotes(numbers: number[]): null;
  distributeFootnotes(measured: MeasuredFootnotes, heightPx: number): FootnoteParts[] | Crowding;
  reserveFootnotes(heightsPx: Record<string, number>): null;
  spreadCalls(heightsPx: number[]): null;
  findFixedOutside(): boolean;
  takeFixedOutside(leftPx: number, rightPx: number): boolean;
  showOverlay(sheets: OverlaySheet[]): null;
  hidePageStyles(): null;
  showPageStyles(classes: PageClass[], pages: number[], heightsPx: number[]): Promise<boolean>;
  preparePageNames(): boolean;
  removePageNames(): null;
  namePages(classes: PageClass[], pages: number[]): Naming;
  findTables(): FoundTables;
  markAllRows(number: number): PreparedTable['marks'];
  hideTableRows(key: string, reserved: string[][][], mayPaintHeads: boolean): null;
  prepareTables(key: string): PreparedTable[];
  watchTableRows(): null;
  haveTableRowsChanged(): boolean;
  prepareHeaders(markup: string[]): null;
  measureHeaders(widthsPx: number[], waits: boolean): number[] | null;
  findMissingInHeaders(): MissingPart[];
  setHeaderMargins(margins: HeaderMargins): null;
  changeTables(changes: TableChange[]): null;
  readSidedBreaks(key: string): SidedBreak[];
  placeBlankPages(numbers: number[], hasRules: boolean): boolean;
  placeLayoutLinks(selectors: string[], key: string, isPaperWide: boolean): LayoutLinks;
  removeLayoutLinks(): null;
  prepareLastBlock(key: string): LastBlock | null;
  moveLastBlock(px: number, beginsPage: boolean): null;
  restoreLastBlock(): null;
  findPageEnds(key: string, heightPx: number): PageRisk[] | null;
  findPageRisks(key: string, heightPx: number): PageRisk[];
  removeRiskLinks(): null;
  // Long documents
  beginWindows(isTagged: boolean): LongDocument;
  findColumnWidths(): null;
  showWindow(order: WindowOrder): Promise<ShownWindow>;
  putBackContents(): null;
  endWindows(): Promise<null>;
}

export interface AddedElement {
  element: 'style' | 'script';
  from: { content: string } | { url: string };
  type: string;
}

/** Lengths in CSS pixels, from the top left corner of the document. */
export type Box = Record<'x' | 'y' | 'width' | 'height', number>;

export type ElementState = 'attached' | 'visible' | 'hidden';

interface WaitOptions {
  /** Whether to wait for images, fonts and frames, or else for the work of the document, and to run its timers. */
  waits: boolean;
  /** Whether to move animations to their end, and to run time forward. */
  finishesAnimations: boolean;
  /** Whether the markup may declare shadow roots. */
  declaresShadows: boolean;
}

export interface AssetOptions extends WaitOptions {
  /** Whether to read the metadata that the document states. */
  readsMetadata: boolean;
  /** Set for a document with scripts, whose text and page sizes are read. If it has `@page` rules, `rule` becomes the first. */
  active: ActiveOptions | null;
}

export interface ActiveOptions {
  rule: string;
  /** The height of a page between its margins in CSS pixels, or 0 for an image. */
  pageHeightPx: number;
}

/** What a document has that may depend on its pages. */
export interface PagedMentions {
  /** Tables whose head or foot may depend on their pages. */
  tables: boolean;
  /** A block at the bottom of the last page. */
  lastBlock: boolean;
  /** What may look wrong at the ends of pages. */
  risks: boolean;
}

/** Each part is read by itself, so that a document that spoils one does not spoil the others. */
export interface LoadedParts {
  errors: string[];
  seen: SeenText | null;
  sizes: string[];
  metadata: StatedMetadata | null;
  /** Whether there may be anything for `findLostContent`. */
  mayLoseContent: boolean;
  /** The height of an active document with many elements in CSS pixels, or 0. */
  heightPx: number;
  /** Null for a static document, and for one that does not tell. */
  mentions: PagedMentions | null;
}

/** The name and content of each `meta` element that names an author, a description or keywords. */
export type StatedMetadata = Array<[name: string, content: string]>;

/** What an active document shows. */
export interface SeenText {
  /** Distinct characters that not every font has. */
  characters: string;
  /** The first family of each list of fonts. */
  families: string[];
}

export interface FinishOptions extends WaitOptions {
  /** How long to wait for a document that signals that it is not ready. */
  readyMs: number;
  /** How long to wait for a document that keeps changing. */
  quietByMs: number;
}

/** What keeps a document from being finished: one of its own signals, changes that go on, pending work, or nothing. */
export type WaitsFor = '' | 'changes' | 'work' | ReadinessSignal;
export type ReadinessSignal = (typeof READINESS_SIGNALS)[number];
export const READINESS_SIGNALS = ['document.fonts', 'PagedPolyfill', 'MathJax.startup.promise', 'window.platenReady'] as const;

export interface FinishState {
  /** Whether everything that was due has run. If not, ask again when the pending requests have ended. */
  whole: boolean;
  waitsFor: WaitsFor;
  /** Number of messages that its windows have sent so far. */
  sent: number;
  /** Number of workers that its windows have started so far. */
  workers: number;
}

/** What a worker has done so far: started workers of its own, and sent messages to them. */
export type WorkerState = [workers: number, sent: number];

export interface InspectedText {
  /** Characters for which no font has a glyph, and how often they occur. */
  missing: Array<[character: string, count: number]>;
  /** Characters for which the system's fonts have a glyph. */
  covered: string[];
  /** Families that another font replaces, as the document writes them. */
  substituted: string[];
  installed: string[];
}

/** Words of a language with spaces between them. */
export type LanguageWords = [language: string, words: string];

/** A file as markup can hold it: a `data:` URL, or the text of a style sheet. */
export interface EmbeddedFile {
  url?: string;
  css?: string;
}

export interface FilledMarkup {
  /** Empty if it would be too large. */
  markup: string;
  /** Relative URLs, resolved against the folder of the document. */
  named: string[];
}

/** Lengths in CSS pixels. */
export interface DocumentHeight {
  height: number;
  /** Height that boxes hide, because they scroll or cut off their content. */
  hidden: number;
}

export const CLIPPED_SIDES = ['left', 'right', 'bottom'] as const;

/** Content that is cut off at one side of a box. */
export interface Clipped {
  side: (typeof CLIPPED_SIDES)[number];
  /** CSS pixels that the worst box hides. */
  pixels: number;
  /** The worst box, such as `div.main`. Empty if it is the page itself. */
  element: string;
  /** Number of boxes that hide something at this side. */
  count: number;
}

/** A header or footer of a table that is not on every page. */
export interface UnrepeatedRows {
  element: string;
  display: 'table-header-group' | 'table-footer-group';
}

/** A document that may be shown in parts, each of which consists of blocks. */
export interface LongDocument {
  blocks: number;
  /** A rough measure of the height, in characters. */
  weight: number;
  /** What forbids it. Empty if nothing does. */
  reason: string;
  /** Whether rows of tables are among the blocks. */
  hasRows: boolean;
  /** Whether its page margins show the number of pages. */
  countsPages: boolean;
  /** Whether pages depend on their side. */
  hasSides: boolean;
  /** Whether fonts may load when text is shown. */
  loadsFonts: boolean;
}

export interface WindowOrder {
  /** The number of the first block. */
  first: number;
  /** The number of the block after the last. If it is null, there are as many as have the weight, and they are marked. */
  end: number | null;
  weight: number;
  /** The page number with which the print begins, unless it is 0. */
  page: number;
  /** Whether to leave out the page margins, whose number of pages is not that of the document. */
  hidesMargins: boolean;
  /** Empty pages to print before and after. */
  emptyBefore: number;
  emptyAfter: number;
  /** With what the marks of blocks begin. */
  key: string;
}

/** A block with the name of the destination in the PDF at which it begins. */
export interface MarkedBlock {
  number: number;
  name: string;
  /** Whether a rule lets it begin a page. */
  isForced: boolean;
}

export interface ShownWindow {
  /** The number of the block after the last. */
  end: number;
  /** The first block, and those of the second half that may begin a page. */
  marks: MarkedBlock[];
  /** Whether the blocks are below each other, and some of them may begin a page. */
  isInFlow: boolean;
}
