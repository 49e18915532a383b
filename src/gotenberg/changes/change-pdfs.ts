/** The routes for PDFs that exist: a form with files in; a PDF, an archive of several, or what they hold as JSON out. Nothing is charged. */
import { invalidField, invalidRequest } from '../../errors.ts';
import type { RouteServices } from '../../http/routes/services.ts';
import { JSON_TYPE } from '../../http/server/negotiation.ts';
import type { Extracted } from '../../pdf/assemble/extract.ts';
import { withUniqueNames } from '../../pdf/assemble/files.ts';
import type { AssemblyRequest, Packed } from '../../render/assembly/assembly-request.ts';
import type { UploadedFile } from '../../render/request/values/assets.ts';
import { toFileName } from '../field-names.ts';
import { NO_PDF } from '../form.ts';
import { PDF_ROUTES, type PdfRoute, type PdfRouteName } from '../known-fields.ts';
import type { Render, RenderCall } from '../render.ts';
import type { GotenbergForm } from '../sent-form.ts';
import { applyBulkStamps } from './bulk-stamps.ts';
import { type Extraction, extractedFiles } from './extractions.ts';
import type { FormStep } from './form-step.ts';
import { checkImageFields, drawPdfs } from './page-images.ts';
import { FACTS } from './read-facts.ts';
import { bytesOf, type NamedFile, nameFiles, packFiles, readProfiles } from './results.ts';
import { applyStages, NO_STAGES, routeStage, type Stages } from './stages.ts';
import { collect, namingFields, parseSteps, toBookmarksOfFiles, toSteps, withConformance } from './steps.ts';
import { inTime } from './time-limit.ts';

type Services = Pick<RouteServices, 'limits' | 'render' | 'pageDrawing'>;

/** What is done with the files that become one PDF, or several if it is split. */
interface Change {
  files: UploadedFile[];
  request: AssemblyRequest;
  steps: FormStep[];
  aliases: GotenbergForm['aliases'];
}

/** Throws `invalid_request` with all that is wrong with the form. */
export function changePdfs(services: Services, form: GotenbergForm, name: PdfRouteName): Render {
  const route: PdfRoute = PDF_ROUTES[name];
  if (route.implied) form.values.set(route.implied, true);
  if (route.stage) form.values.set('stages', [routeStage(form, route.stage)]);
  const { files, stages } = checkForm(form, route);
  if (route.images) return drawPdfs(services, form, requireDifferentNames(files), route.images);
  const isMerge = route.isMerge || stages.merges;
  if (!isMerge) requireDifferentNames(files);
  const shared = toShared(services, form, route, stages);
  const changes = (isMerge ? [files] : files.map((file) => [file])).map((each) => toChange(services, form, route, shared, each));
  return async (call) => {
    if (route.reads) return finish(await readAll(services, changes, route.reads, call), call);
    if (stages.extraction) return extractAll(services, changes, stages.extraction, call);
    const results: NamedFile[] = [];
    for (const change of inTime(services.limits, changes)) {
      const made = await runChange(services, change, call);
      if (changes.length > 1) call.memory.grow(bytesOf(made.map(({ content }) => content)));
      results.push(...made);
    }
    const { name: own, ...packed } = await packFiles(results);
    return { ...finish(packed, call), name: isMerge ? undefined : own };
  };
}

function finish(packed: Packed, { memory }: RenderCall) {
  memory.makeRoomFor(packed.bytes);
  return { ...packed, remaining: null };
}

function checkForm(form: GotenbergForm, route: PdfRoute) {
  let [stages, files]: [Stages, UploadedFile[]] = [NO_STAGES, []];
  collect<unknown>([
    () => requireFields(form, route),
    () => {
      if (route.hasStages || route.stage) stages = applyStages(form);
    },
    () => {
      if (route.isBulk) applyBulkStamps(form);
    },
    () => {
      files = requirePdfs(form, stages.used);
    },
    () => readProfiles(form),
    () => {
      if (route.images) checkImageFields(form, route.images);
    },
    () => toSteps(form, route.groups),
  ]);
  return { stages, files };
}

/** Names the first of the fields if none of them is sent, or each that is missing if the route requires all. */
function requireFields({ values, embeds }: GotenbergForm, { required = [], requiresAll, whenMissing }: PdfRoute): void {
  const isSent = (name: string) => (/^(?:embeds|attachments)$/.test(name) ? embeds.length > 0 : Boolean(values.get(name)));
  const missing = required.filter((name) => !isSent(name));
  if (whenMissing && missing.length === required.length) throw invalidField('', whenMissing);
  const isMissing = requiresAll ? missing.length > 0 : required.length > 0 && missing.length === required.length;
  if (isMissing)
    throw invalidRequest(missing.slice(0, requiresAll ? undefined : 1).map((path) => ({ path, message: 'is required' })));
}

/** Archives are unpacked with the names of the files. */
const CONTROL = /\p{Cc}/u;

/** Sorts the files by name, with numbers in numeric order. Throws `invalid_request` if a file is not a PDF by its extension. */
function requirePdfs({ files }: GotenbergForm, used: ReadonlySet<string>): UploadedFile[] {
  const pdfs = files.filter(({ path }) => !used.has(path));
  const others = pdfs.filter(({ path }) => !/\.pdf$/i.test(path));
  const wrong = [
    ...others.map(({ path }) => ({ path: toFileName(path), message: 'must have the extension .pdf' })),
    ...pdfs
      .filter(({ path }) => CONTROL.test(path))
      .map(() => ({ path: toFileName(''), message: 'has a name with a control character' })),
  ];
  if (wrong.length) throw invalidRequest(wrong);
  if (!pdfs.length) throw invalidField('', NO_PDF);
  const { compare } = new Intl.Collator('en', { numeric: true });
  return pdfs.toSorted((a, b) => compare(a.path, b.path));
}

function requireDifferentNames(files: readonly UploadedFile[]): readonly UploadedFile[] {
  const twice = files.find(({ path }, index) => files.findIndex((other) => other.path === path) < index);
  if (twice) throw invalidField(toFileName(twice.path), 'is the name of another file');
  return files;
}

/** What is done with each change: its steps, and the request that they become. They are parsed once, because they may hold large files. */
type Shared = Pick<Change, 'steps' | 'request'>;

function toShared(services: Services, form: GotenbergForm, route: PdfRoute, stages: Stages): Shared {
  const steps = withConformance(form, [...toSteps(form, route.groups), ...stages.steps]);
  const reading = route.reads && { step: { extract: { what: [route.reads] } }, nameField: () => 'files' };
  const all = reading ? [...steps, reading] : steps;
  return { steps: all, request: parseSteps(form, all, services.limits) };
}

function toChange(services: Services, form: GotenbergForm, route: PdfRoute, shared: Shared, files: UploadedFile[]): Change {
  const bookmarks = route.groups.includes('bookmarks') ? toBookmarksOfFiles(form, files) : [];
  const own = bookmarks.length ? parseSteps(form, bookmarks, services.limits).steps : [];
  const number = shared.steps.length; // after the others, although it is done before them
  const steps = [...own.map((each) => ({ ...each, number })), ...shared.request.steps];
  const parts = files.map(({ path, content }) => {
    const stem = stemOf(path);
    const title = form.values.get('titleBookmarks') ? { title: undefined, fallbackTitle: stem } : { title: stem };
    return { from: { content }, pages: undefined, password: undefined, ...title };
  });
  const request = { ...shared.request, parts, steps };
  return { files, request, steps: [...shared.steps, ...bookmarks], aliases: form.aliases };
}

function stemOf(path: string): string {
  return path.replace(/\.pdf$/i, '');
}

async function runChange(services: Services, change: Change, call: RenderCall): Promise<NamedFile[]> {
  const { files, request } = change;
  const [{ path }] = files as [UploadedFile];
  const contents = await run(services, change, call);
  return nameFiles(contents, stemOf(path), request.split !== undefined);
}

async function run({ render }: Services, { request, ...change }: Change, call: RenderCall): Promise<Buffer[]> {
  const { principal, client, memory } = call;
  let made: Buffer[] = [];
  const pack = (contents: Buffer[]) => {
    made = contents;
    return packFiles(nameFiles(contents, '', false).slice(0, 1));
  };
  const held = { grow: (bytes: number) => memory.grow(bytes), makeRoomFor() {} };
  try {
    const { file } = await render({ ...request, pack }, principal, client, undefined, held);
    return made.length ? made : [Buffer.concat(file.chunks)];
  } catch (error) {
    throw namingFields(change, change.steps, change.files, error);
  }
}

async function extractAll(services: Services, changes: readonly Change[], extraction: Extraction, call: RenderCall) {
  const files: NamedFile[] = [];
  let type = '';
  for (const change of inTime(services.limits, changes)) {
    const [json] = await run(services, change, call);
    const extracted = extractedFiles(extraction, JSON.parse(String(json)) as Extracted, stemOf(change.files[0]?.path ?? ''));
    call.memory.grow(bytesOf(extracted.files.map(({ content }) => content)));
    files.push(...extracted.files);
    type = extracted.type;
  }
  const { name, ...packed } = await packFiles(withUniqueNames(files), type);
  return { ...finish(packed, call), name };
}

async function readAll(services: Services, changes: Change[], what: keyof typeof FACTS, call: RenderCall): Promise<Packed> {
  const facts: Array<[name: string, facts: unknown]> = [];
  for (const change of inTime(services.limits, changes)) {
    const [extracted] = await run(services, change, call);
    facts.push([(change.files[0] as UploadedFile).path, FACTS[what](JSON.parse(String(extracted)))]);
  }
  const json = Buffer.from(JSON.stringify(Object.fromEntries(facts)));
  return { type: JSON_TYPE, chunks: [json], bytes: json.length };
}
