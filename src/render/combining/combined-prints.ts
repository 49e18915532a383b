/**
 * Prints documents of one owner that differ only in their body as one document, as many as wait for a page, and splits the print. The
 * result of a document does not depend on the others: what does not print as it would alone is left to its own render. See
 * docs/decisions/0099-combined-prints.md.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Findings } from '../../chromium/load/document-load.ts';
import type { PrintedPdf } from '../../chromium/loaded-document.ts';
import type { Page } from '../../chromium/page.ts';
import type { Deadline } from '../../deadline.ts';
import type { Split } from '../../pdf/edit/split-documents.ts';
import type { PagePool } from '../../pool/pool.ts';
import { PX_PER_INCH } from '../../units.ts';
import type { PrintOrder } from '../print-order.ts';
import type { RenderOwner } from '../render-owner.ts';
import type { FinishQueue } from '../steps/finish-queue.ts';
import { NO_LOSSES } from '../steps/layout-losses.ts';
import type { PrintedDocument } from '../steps/printed-document.ts';
import { type Combinable, toCombinable } from './combinable.ts';

interface Engine {
  pool: PagePool<Page>;
  finishing: FinishQueue;
}

/** A document that waits to be printed. */
interface Member {
  document: Combinable;
  deadline: Deadline;
  /** Undefined if the document must be printed alone. */
  settle(printed: PrintedDocument | undefined): void;
}

/** Documents of one owner with the same head and settings. */
interface Line {
  key: string;
  order: PrintOrder;
  owner: RenderOwner;
  waiting: Member[];
}

interface Group extends Pick<Line, 'order' | 'owner'> {
  members: Member[];
}

/** What is known of the print of a group, which is the same for each of its documents. */
type Facts = Pick<PrintedDocument, 'settings' | 'sizes' | 'report'>;

interface GroupPrint extends PrintedPdf, Facts {
  titles: Array<string | null>;
  linkKey: string;
}

/** The print of a document; `alone` if it must be printed in a render of its own, `affected` if that depends on the others. */
type Result = PrintedDocument | Extract<Split[number], string>;

/** With more, a document hardly gets faster, and all wait for the last. */
const MAX_MEMBERS = 16;
const MAX_CHARACTERS = 1_000_000;
/** Heads that were refused are remembered, so that their documents are not tried again. */
const MAX_REFUSED = 1_000;

export class CombinedPrints {
  readonly #lines = new Map<string, Line>();
  readonly #refused = new Set<string>();

  /** Prints a document with others. Resolves to undefined if it must be printed alone. Throws only the error of its deadline. */
  async print(engine: Engine, order: PrintOrder, owner: RenderOwner, deadline: Deadline): Promise<PrintedDocument | undefined> {
    const document = toCombinable(order, (head) => this.#refused.has(head));
    if (!document) return undefined;
    const { promise, resolve: settle } = Promise.withResolvers<PrintedDocument | undefined>();
    const key = JSON.stringify([owner.boundary, owner.shareOf, order.print, document.head]);
    const member = { document, deadline, settle };
    const line = this.#lines.get(key);
    if (line) line.waiting.push(member);
    else void this.#serve(engine, { key, order, owner, waiting: [member] });
    return deadline.race(promise);
  }

  /** Prints one group after the other, so that more documents gather in the meantime. */
  async #serve(engine: Engine, line: Line): Promise<void> {
    this.#lines.set(line.key, line);
    for (let [first] = line.waiting; first; [first] = line.waiting) {
      const group: Group = { ...line, members: [] };
      const gather = () => {
        if (!group.members.length) group.members = takeGroup(line.waiting); // the work may be repeated on another page
      };
      const print = this.#printOnPage(engine, group, first.deadline, gather);
      await print.catch(() => {});
      if (!group.members.length) group.members = line.waiting.splice(0, 1); // it got no page
      void this.#settle(engine, group, print);
    }
    this.#lines.delete(line.key);
  }

  /** Settles all members. A document whose group did not print as expected is printed in a group of its own. */
  async #settle(engine: Engine, group: Group, print: Promise<GroupPrint | undefined>): Promise<void> {
    const results = await this.#split(engine, group, print).catch(() => []);
    for (const [number, member] of group.members.entries()) {
      const result = results[number] ?? 'affected';
      if (result !== 'affected') member.settle(result === 'alone' ? undefined : result);
      else if (group.members.length > 1) void this.#printSingle(engine, { ...group, members: [member] }, member.deadline);
      else member.settle(undefined);
      await setImmediate(); // calls need not wait until all have been stored
    }
  }

  async #printSingle(engine: Engine, group: Group, deadline: Deadline): Promise<void> {
    await this.#settle(engine, group, this.#printOnPage(engine, group, deadline));
  }

  async #split(engine: Engine, { owner, members }: Group, print: Promise<GroupPrint | undefined>): Promise<Result[]> {
    const printed = await print;
    const [first] = members;
    if (!printed || !first) return members.map(() => 'alone');
    const { chunks, titles, linkKey: key, ...facts } = printed;
    const task = { titles, key, scale: facts.settings.scale };
    const split = await engine.finishing.split(owner.shareOf, chunks, task, first.deadline);
    return split.map((bytes) => (typeof bytes === 'string' ? bytes : toPrinted(bytes, facts)));
  }

  #printOnPage(engine: Engine, group: Group, deadline: Deadline, gather = () => {}): Promise<GroupPrint | undefined> {
    const { boundary, shareOf } = group.owner;
    const suitable = { shareOf, suits: (page: Page) => page.suits({}) };
    const work = (page: Page) => {
      gather();
      return this.#print(page, group, deadline);
    };
    return engine.pool.use(boundary, deadline, work, suitable);
  }

  /** Returns undefined if no document can be printed in this way. Throws if the print has faults. */
  async #print(page: Page, { order, owner, members }: Group, deadline: Deadline): Promise<GroupPrint | undefined> {
    const [{ document: first } = {}] = members;
    if (!first) return undefined;
    for (const other of members) if (other.deadline !== deadline) other.deadline.enter('print');
    const { load, print } = order;
    const content = { kind: 'html' as const, html: `${first.head}</body></html>`, baseUrl: undefined };
    await using document = await page.load({ content, load, print, shareOf: owner.shareOf, hanLanguages: '' }, deadline);
    const linkKey = `platen-${randomUUID()}`;
    const all = members.map((member) => member.document);
    const heightPx = (print.paper.heightInches * PX_PER_INCH) / print.scale;
    const texts = all.map(({ html }) => html);
    const titles = await document.combine(texts, linkKey, heightPx);
    if (!titles) this.#refuse(first.head);
    if (!titles?.some((title) => title !== null)) return undefined;
    const substituted = await document.findSubstituted(new Set(all.flatMap(({ families }) => [...families])));
    const settings = document.settings ?? print;
    const printed = await document.print(settings);
    const findings = await document.findings();
    const network = document.endTraffic();
    if (substituted.length || hasFaults(findings) || network.requests) throw new Error('the print has faults');
    const report = { ...findings, ...NO_LOSSES, printedFields: [], network };
    return { ...printed, titles, linkKey, settings, sizes: document.possibleSizes(settings), report };
  }

  #refuse(head: string): void {
    if (this.#refused.size >= MAX_REFUSED) this.#refused.clear();
    this.#refused.add(head);
  }
}

function hasFaults({
  failures,
  unsupported,
  rasterized,
  lost,
  consoleErrors,
  unfinished,
  missingGlyphs,
  substituted,
}: Findings): boolean {
  const listed = [unsupported, lost.links, consoleErrors, missingGlyphs, substituted];
  return failures > 0 || listed.some(({ length }) => length > 0) || Boolean(rasterized ?? lost.closed ?? unfinished);
}

/** Takes the members of the next group out of those that wait. Those whose time is over are left out. */
function takeGroup(waiting: Member[]): Member[] {
  const members: Member[] = [];
  let characters = 0;
  for (let next = waiting[0]; next && members.length < MAX_MEMBERS; [next] = waiting) {
    characters += next.document.html.length;
    if (members.length && characters > MAX_CHARACTERS) break;
    waiting.shift();
    if (!next.deadline.error) members.push(next);
  }
  return members;
}

function toPrinted(bytes: Uint8Array<ArrayBuffer>, { settings, sizes, report }: Facts): PrintedDocument {
  return {
    ...{ chunks: [Buffer.from(bytes.buffer)], bytes: bytes.length, settings, sizes, scale: settings.scale },
    ...{ report: structuredClone(report), metadata: {}, structure: undefined, fields: [], assetOrigin: undefined },
    ...{ isHyphenated: false, printersMarks: undefined },
  };
}
