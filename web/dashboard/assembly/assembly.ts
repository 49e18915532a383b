/** The pages that are put together, and what is done with them. They stay in this page until the visitor signs out. */
import { computed, signal } from '@preact/signals';
import type { OpenPdf } from '../../shared/pdf-view/open-pdf.ts';
import { onSignOut } from '../session.ts';

/** A PDF of the visitor, or one that was made of a template. */
export interface Source {
  id: number;
  name: string;
  file: Blob;
  password: string | undefined;
  pdf: OpenPdf;
}

export interface Page {
  key: number;
  source: Source;
  /** From 1. */
  number: number;
  /** Clockwise. */
  turn: 0 | 90 | 180 | 270;
}

export const pages = signal<readonly Page[]>([]);
/** The keys of the pages that the buttons act on. */
export const selected = signal<ReadonlySet<number>>(new Set());
export const letterhead = signal<File | undefined>(undefined);

export const selectedPages = computed(() => pages.value.filter(({ key }) => selected.value.has(key)));

/** What the last PDF was made of. */
let assembled: readonly Page[] = [];
addEventListener('beforeunload', (event) => pages.peek().length && pages.peek() !== assembled && event.preventDefault());

export function markAssembled(made: readonly Page[]): void {
  assembled = made;
}

let ids = 0;
onSignOut(() => {
  const sources = new Set(pages.value.map(({ source }) => source));
  for (const { pdf } of sources) void pdf.close();
  pages.value = [];
  selected.value = new Set();
  letterhead.value = undefined;
});

/** Adds all pages of a PDF at the end. Throws a `PasswordException` if it does not open. */
export async function addPdf(name: string, file: Blob, password?: string): Promise<number> {
  const { openPdf } = await import('../../shared/pdf-view/open-pdf.ts');
  const pdf = await openPdf(new Uint8Array(await file.arrayBuffer()), password);
  const source = { id: ++ids, name, file, password, pdf };
  const added = pdf.sizes.map((_, index): Page => ({ key: ++ids, source, number: index + 1, turn: 0 }));
  pages.value = [...pages.value, ...added];
  return added.length;
}

export function toggle(key: number): void {
  const next = new Set(selected.value);
  if (!next.delete(key)) next.add(key);
  selected.value = next;
}

export function select(keys: readonly number[]): void {
  selected.value = new Set(keys);
}

/** Moves the selected pages together: by one place, or to an end. */
export function moveSelected(to: 'start' | 'earlier' | 'later' | 'end'): void {
  const first = pages.value.findIndex(({ key }) => selected.value.has(key));
  const before = pages.value.slice(0, first).length;
  const places = { start: 0, earlier: Math.max(0, before - 1), later: before + 1, end: pages.value.length };
  insertSelected(places[to]);
}

/** Moves the selected pages before another page. */
export function moveSelectedBefore(target: Page): void {
  const others = pages.value.filter(({ key }) => !selected.value.has(key) || key === target.key);
  if (!selected.value.has(target.key)) insertSelected(others.indexOf(target));
}

function insertSelected(at: number): void {
  const others = pages.value.filter(({ key }) => !selected.value.has(key));
  pages.value = [...others.slice(0, at), ...selectedPages.value, ...others.slice(at)];
}

export function turnSelected(): void {
  const turned = (page: Page): Page => ({ ...page, turn: ((page.turn + 90) % 360) as Page['turn'] });
  pages.value = pages.value.map((page) => (selected.value.has(page.key) ? turned(page) : page));
}

export function removeSelected(): void {
  pages.value = pages.value.filter(({ key }) => !selected.value.has(key));
  selected.value = new Set();
}

export interface AssemblyChoices {
  filename: string;
  store: boolean;
  dropSignatures: boolean;
}

/** The form that `POST /v1/pdf/assemble` takes. */
export function toForm({ filename, store, dropSignatures }: AssemblyChoices): FormData {
  const form = new FormData();
  const sources = new Set(pages.value.map(({ source }) => source));
  const request = {
    parts: toParts(pages.value),
    steps: [...toTurns(pages.value), ...(letterhead.value ? [{ letterhead: { file: 'letterhead.pdf' } }] : [])],
    store,
    ...(filename.trim() && { filename: filename.trim() }),
    ...(dropSignatures && { drop_signatures: true }),
  };
  form.append('request', JSON.stringify(request));
  for (const source of sources) form.append('files', source.file, fileName(source));
  if (letterhead.value) form.append('files', letterhead.value, 'letterhead.pdf');
  return form;
}

function fileName({ id }: Source): string {
  return `source-${id}.pdf`;
}

/** Pages of one source that follow each other are one part. A part has each page once. */
function toParts(all: readonly Page[]): object[] {
  const runs: Page[][] = [];
  for (const page of all) {
    const run = runs.at(-1);
    if (run?.[0]?.source === page.source) run.push(page);
    else runs.push([page]);
  }
  return runs.map((run) => {
    const { source } = run[0] as Page;
    const { name, password } = source;
    const chosen = toRanges(run.map(({ number }) => number));
    return { file: fileName(source), pages: chosen, title: name, ...(password !== undefined && { password }) };
  });
}

function toTurns(all: readonly Page[]): object[] {
  return ([90, 180, 270] as const).flatMap((angle) => {
    const turned = all.flatMap(({ turn }, index) => (turn === angle ? index + 1 : []));
    return turned.length ? [{ rotate: { angle, pages: toRanges(turned) } }] : [];
  });
}

/** `3, 5-7` */
function toRanges(numbers: readonly number[]): string {
  const ranges: Array<[first: number, last: number]> = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range && range[1] + 1 === number) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(', ');
}
