/**
 * The recipe of an assembly: parts that are rendered, stored or sent in; one PDF, several in an archive, or what a PDF holds out. What
 * is drawn on pages is printed when its pages are known.
 */
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Principal } from '../../accounts/accounts.ts';
import { onlyLanguage } from '../../chromium/glyphs/han-fonts.ts';
import { type PrintJob, printOnce } from '../../chromium/print-once.ts';
import type { Deadline } from '../../deadline.ts';
import type { Documents } from '../../documents/documents.ts';
import { hasCode, invalidField } from '../../errors.ts';
import type { Assembled, AssemblyHelpers, AssemblyOrder } from '../../pdf/assemble/assemble.ts';
import type { DrawStep } from '../../pdf/assemble/draw-on-pages.ts';
import type { PagePlace } from '../../pdf/assemble/open-document.ts';
import { type AssemblyPart, LOST_PROTECTION } from '../../pdf/assemble/open-parts.ts';
import type { Step } from '../../pdf/assemble/steps.ts';
import { CLAIM_NAMES, toClaims } from '../../pdf/conformance/profiles.ts';
import type { WidgetText } from '../../pdf/forms/widget-texts.ts';
import type { Dropped } from '../../pdf/merge/merge-catalog.ts';
import { type LetterheadServices, printOnLetterhead } from '../letterhead.ts';
import { contentLanguages, type PrintEngine, type RenderedFile, type RenderedPdf } from '../pdf.ts';
import type { RenderOwner } from '../render-owner.ts';
import { fontWarnings } from '../report.ts';
import type { RenderReport, Warning } from '../report-schema.ts';
import type { RenderRequest } from '../request/render-request.ts';
import type { GivenFile } from '../request/values/given-file.ts';
import { resolveHeld, type SourceServices } from '../resolve-source.ts';
import type { SigningServices } from '../steps/signing.ts';
import { TEST_TEXT, TEST_WATERMARK } from '../steps/test-mark.ts';
import { archiveOf } from './archive.ts';
import type { AssemblyRequest, DrawPlan, PartPlan, StepPlan } from './assembly-request.ts';
import { fieldTextsJob, fieldTextsPage } from './field-texts.ts';
import { fillFields, hasFields, markJob } from './marks.ts';
import { inPart, inStep, namingLate } from './naming.ts';
import { type NumberedSigning, openSignings, type SignatureUpdates, signAll } from './signatures.ts';

export interface AssemblyServices extends SourceServices, Omit<LetterheadServices, 'documents'> {
  /** May be missing if `needsBrowser` is false for the request. */
  engine: PrintEngine | undefined;
  documents: Pick<Documents, 'find' | 'read'>;
  /** See `uploads/assemble-uploads.ts`. */
  uploadAssembly: SignatureUpdates & {
    assemble(
      owner: string,
      order: Omit<AssemblyOrder, 'maxBytes'>,
      deadline?: Deadline,
      helpers?: AssemblyHelpers,
    ): Promise<Assembled>;
  };
}

/** Whether something is rendered or drawn. */
export function needsBrowser({ parts, steps, signatures }: AssemblyRequest): boolean {
  const isDrawn = (step: StepPlan) => 'draw' in step && 'mark' in step.draw.from;
  const isShown = signatures.some(({ plan }) => plan.field !== undefined);
  return isShown || parts.some(({ from }) => 'request' in from) || steps.some(({ step }) => isDrawn(step) || mayNeedFont(step));
}

/** Whether a form may have no font for what a step writes into its fields. */
export function mayNeedFont(step: StepPlan): boolean {
  const values = 'fill' in step ? Object.values(step.fill.fields).flat() : [];
  return values.some((value) => typeof value === 'string' && [...value].some((character) => character > '\xff'));
}

/** With what stored documents are read. */
export interface Reading {
  services: Pick<AssemblyServices, 'documents'>;
  principal: Pick<Principal, 'keyId' | 'accountId' | 'isTest'>;
  deadline: Deadline;
  /** Counts memory. Throws `memory_limited` and `overloaded`. */
  hold(bytes: number): void;
}

/** The circumstances of one assembly. */
interface Assembling extends Reading {
  services: AssemblyServices;
  /** Absent where no certificates are kept. */
  signing: SigningServices | undefined;
  owner: RenderOwner;
}

interface Drawing extends Assembling {
  /** About what is drawn: glyphs that it lacks, and pages that cut it off. */
  warnings: Warning[];
}

export type AssembledResult = RenderedFile & Partial<Pick<RenderedPdf, 'pages'>>;

/** Of a warning. */
const MAX_PAGES_NAMED = 100;
const ZIP = 'application/zip';
const JSON_TYPE = 'application/json';

export async function assembleFile(request: AssemblyRequest, circumstances: Assembling): Promise<AssembledResult> {
  const at: Drawing = { ...circumstances, warnings: [] };
  const reports: RenderReport[] = [];
  const parts: AssemblyPart[] = [];
  const signings = await openAll(request, at);
  for (const [index, plan] of request.parts.entries())
    parts.push(await inPart(index, () => preparePart(plan, index, request, reports, at)));
  at.deadline.enter('finish');
  const assembled = await signResult(await runSteps(request, parts, at, signings.length > 0), signings, request, at);
  at.deadline.leave();
  const report = joinReports(reports, at.warnings, [...request.lost, ...assembled.dropped], at.deadline.timings());
  return { ...(await toFile(request, assembled)), report, timings: at.deadline.timings() };
}

async function openAll(request: AssemblyRequest, { signing, principal, deadline }: Assembling): Promise<NumberedSigning[]> {
  const [first] = request.signatures;
  if (!first) return [];
  if (!signing) throw invalidField(`steps[${first.number}].sign`, 'needs the service, which keeps the certificates of a key');
  return deadline.race(openSignings(request, signing, principal));
}

async function signResult(
  assembled: Assembled,
  signings: readonly NumberedSigning[],
  { decrypts }: AssemblyRequest,
  at: Assembling,
): Promise<Assembled> {
  const [file] = assembled.files;
  if (!file || !signings.length) return assembled;
  const { services, owner, deadline } = at;
  const { wasProtected, ...signed } = await signAll(file.content, signings, {
    ...{ updates: services.uploadAssembly, engine: services.engine, owner, deadline },
  });
  const lost = wasProtected && !decrypts ? [{ ...LOST_PROTECTION, part: 0 }] : []; // only a single part is signed as it is
  return { ...assembled, files: [signed], dropped: [...assembled.dropped, ...lost] };
}

async function preparePart(
  { from, pages, title, fallbackTitle, password }: PartPlan,
  index: number,
  { dropsSignatures, decrypts, extract }: AssemblyRequest,
  reports: RenderReport[],
  at: Assembling,
): Promise<AssemblyPart> {
  const others = { pages, password, fallbackTitle, dropsSignatures, decrypts, isRead: extract !== undefined };
  if (!('request' in from)) {
    const { content, name, isOwn } = await readFile(from, at);
    return { content, title: title ?? name, isOwn, ...others };
  }
  const { chunks, bytes, report } = await renderPart(from.request, at);
  at.hold(bytes);
  reports.push(ofPart(report, index));
  return { content: Buffer.concat(chunks), title, isOwn: true, ...others };
}

async function renderPart(request: RenderRequest, at: Assembling): Promise<RenderedPdf> {
  const { services, principal, deadline, hold } = at;
  const { load, print, paged, finish } = request;
  const content = await resolveHeld(request, principal, services, deadline, hold);
  return printOnLetterhead(requireEngine(services), { content, load, print, paged, finish }, services, at);
}

export async function readFile(file: GivenFile, { services, principal, deadline, hold }: Reading) {
  if ('content' in file) return { content: file.content, name: undefined, isOwn: false };
  const document = await services.documents.find(principal.keyId, file.documentId);
  if (document.image) throw invalidField('document_id', 'is an image');
  hold(document.bytes);
  const name = document.filename.replace(/\.pdf$/i, '');
  const read = async () => buffer(addAbortSignal(deadline.signal, await services.documents.read(document)));
  return {
    content: await deadline.race(read()),
    name: name === document.id ? undefined : name, // it was stored without a name
    isOwn: document.source !== 'assembly',
  };
}

/** Runs steps in as few processes as possible: what is drawn with the numbers of pages needs the pages first. */
async function runSteps(request: AssemblyRequest, parts: AssemblyPart[], at: Drawing, isSigned: boolean): Promise<Assembled> {
  let [current, places, dropped]: [AssemblyPart[], PagePlace[] | undefined, Dropped[]] = [parts, undefined, []];
  const steps: Array<{ number: number; step: Step }> = [];
  const run = async (end: Partial<Pick<AssemblyRequest, 'split' | 'extract' | 'password' | 'conform'>>) => {
    const order = { parts: current, steps: steps.splice(0), places, ...end };
    const { services, principal, deadline } = at;
    const assembled = await namingLate((progress) => {
      const print = services.engine && ((texts: WidgetText[]) => printTexts(texts, progress.at, at));
      const helpers = { note: progress.note, ...(print && { print }) };
      return deadline.race(services.uploadAssembly.assemble(principal.accountId, order, deadline, helpers));
    });
    dropped.push(...assembled.dropped);
    at.warnings.push(...assembled.cut.map(cutWarning));
    return assembled;
  };
  const plans: AssemblyRequest['steps'] = at.principal.isTest ? [...request.steps, TEST_STEP] : request.steps;
  for (const numbered of plans) {
    const { number, step } = numbered;
    if (needsPlaces(step) && (steps.length || !places)) {
      const { files, places: known } = await run({});
      places = known;
      current = [onlyPart((files[0] as Assembled['files'][number]).content, request)];
    }
    steps.push({ number, step: await inStep(numbered, () => toStep(numbered, places ?? [], at)) });
  }
  const { split, extract, password, conform } = request;
  const [only, ...more] = current;
  const isUntouched = isSigned && !conform && !steps.length && !more.length && only && isWhole(only);
  if (isUntouched) return { files: [{ content: only.content, pages: 0 }], places: places ?? [], dropped, cut: [] };
  const assembled = await run({ split, extract, password, conform });
  return { ...assembled, dropped: dropped.filter(({ what }) => !isClaimedAgain(what, conform)) };
}

/** Whether it is a claim that the step `conform` has made again. */
function isClaimedAgain(what: string, conform: AssemblyRequest['conform']): boolean {
  const { archive, accessible } = toClaims(conform?.step.profiles ?? []);
  return (
    (archive !== undefined && what.startsWith(CLAIM_NAMES.archive)) ||
    (accessible !== undefined && what === CLAIM_NAMES.accessible)
  );
}

function cutWarning({ step, pages }: Assembled['cut'][number]): Warning {
  const message = 'the text is larger than its page or beyond its edge, which cuts it off; use a smaller font_size, or fit: 1';
  return { kind: 'content_clipped', step, pages: pages.slice(0, MAX_PAGES_NAMED), message };
}

/** Whether all of a PDF is taken as it is, so that earlier signatures can stay. */
function isWhole({ pages, password, dropsSignatures }: AssemblyPart): boolean {
  return pages === undefined && password === undefined && !dropsSignatures;
}

/** The result of earlier steps, which keeps what it claims. */
function onlyPart(content: Uint8Array, { extract }: AssemblyRequest): AssemblyPart {
  const others = { dropsSignatures: false, isRead: extract !== undefined };
  return { content, title: '', pages: undefined, password: undefined, isOwn: true, ...others };
}

/** The mark of test keys. */
const TEST_STEP: AssemblyRequest['steps'][number] = {
  number: 0,
  step: {
    draw: {
      from: { mark: { html: TEST_TEXT, style: 'font: bold 192px/1.2 sans-serif', kind: 'html' } },
      ...{ pages: undefined, layer: 'over', opacity: TEST_WATERMARK.opacity, rotate: 45, position: 'center' },
      ...{ offset: { x: 0, y: 0 }, scale: undefined, fit: 0.9 },
    },
  },
};

function needsPlaces(step: StepPlan): boolean {
  return 'draw' in step && 'mark' in step.draw.from && hasFields(step.draw.from.mark);
}

async function toStep(
  { number, step }: AssemblyRequest['steps'][number],
  places: readonly PagePlace[],
  at: Drawing,
): Promise<Step> {
  if ('letterhead' in step) {
    const { from, ...others } = step.letterhead;
    return { letterhead: { ...(await readSource(from, at)), ...others } };
  }
  return 'draw' in step ? { draw: await toDraw(step.draw, number, places, at) } : step;
}

export async function readSource(from: GivenFile, at: Reading) {
  const { content: source } = await readFile(from, at);
  return { source, sourceField: 'documentId' in from ? 'document_id' : 'file' };
}

async function toDraw(
  { from, ...others }: DrawPlan,
  number: number,
  places: readonly PagePlace[],
  at: Drawing,
): Promise<DrawStep> {
  if (!('mark' in from)) return { ...others, ...(await readSource(from, at)), isForeign: true, sourcePages: [] };
  const { mark } = from;
  const { texts, ofPages } = hasFields(mark) ? fillFields(mark, places) : { texts: [mark.html], ofPages: [] };
  const job = markJob(texts, mark, languageOf(texts.join(' ')));
  const source = await printJob(job, number, at).catch((error: unknown) => {
    if (!hasCode(error, 'render_gate_failed')) throw error;
    throw invalidField('image', 'cannot be displayed: it is damaged or not an image');
  });
  return { ...others, source, isForeign: false, isText: mark.kind === 'text', sourcePages: ofPages };
}

/** Texts of form fields. `step` is where the work has come to, such as `steps[1].fill`. */
function printTexts(texts: WidgetText[], step: string, at: Drawing): Promise<Buffer> {
  const html = fieldTextsPage(texts);
  return printJob(fieldTextsJob(texts, html, languageOf(html)), Number(/\d+/.exec(step)?.[0] ?? 0), at);
}

/** The only language of a document, which chooses among Han fonts. */
function languageOf(html: string): string {
  return onlyLanguage(contentLanguages({ kind: 'html', html, baseUrl: undefined })) ?? '';
}

/** Prints for a step, which warnings about missing glyphs name. */
async function printJob(job: PrintJob, step: number, { services, owner, deadline, warnings }: Drawing): Promise<Buffer> {
  const suitable = { once: false, shareOf: owner.shareOf, suits: () => true };
  const print = (page: Parameters<typeof printOnce>[0]) => printOnce(page, job, deadline);
  const { chunks, findings } = await requireEngine(services).pool.use(owner.boundary, deadline, print, suitable);
  warnings.push(...fontWarnings(findings).map((warning) => ({ ...warning, step })));
  return Buffer.concat(chunks);
}

function requireEngine({ engine }: AssemblyServices): PrintEngine {
  if (!engine) throw new Error('the assembly needs a browser');
  return engine;
}

async function toFile(
  { split, filename, pack }: AssemblyRequest,
  { files, extracted }: Assembled,
): Promise<Pick<AssembledResult, 'type' | 'chunks' | 'bytes' | 'pages'>> {
  if (extracted) return { type: JSON_TYPE, chunks: [toBuffer(extracted)], bytes: extracted.length };
  const pages = files.reduce((sum, file) => sum + file.pages, 0);
  const chunks = files.map(({ content }) => toBuffer(content));
  if (pack) return { ...(await pack(chunks)), pages };
  if (!split) return { type: 'application/pdf', chunks, bytes: chunks.reduce((sum, { length }) => sum + length, 0), pages };
  const stem = filename?.replace(/\.\w+$/, '') ?? 'document';
  const archive = await archiveOf(chunks, (index) => `${stem}_${index}.pdf`);
  return { type: ZIP, chunks: [archive], bytes: archive.length, pages };
}

function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Warnings and places name the part. */
function ofPart({ warnings, layout, ...others }: RenderReport, part: number): RenderReport {
  const numbered = <T>(list: T[]) => list.map((each) => ({ ...each, part }));
  return { ...others, warnings: numbered(warnings), ...(layout && { layout: numbered(layout) }) };
}

function joinReports(
  reports: readonly RenderReport[],
  more: readonly Warning[],
  dropped: Dropped[],
  timings: RenderReport['timings'],
): RenderReport {
  const sum = (of: (report: RenderReport) => number) => reports.reduce((total, report) => total + of(report), 0);
  const layout = reports.flatMap(({ layout }) => layout ?? []);
  const hosts = (of: 'contacted' | 'refused') => [...new Set(reports.flatMap(({ network }) => network[of]))];
  return {
    network: {
      requests: sum(({ network }) => network.requests),
      bytes: sum(({ network }) => network.bytes),
      contacted: hosts('contacted'),
      refused: hosts('refused'),
    },
    warnings: [...reports.flatMap(({ warnings }) => warnings), ...more],
    warning_count: sum(({ warning_count }) => warning_count) + more.length,
    ...(layout.length && { layout }),
    ...(dropped.length && { dropped }),
    timings,
  };
}
