/** What a dry run of an assembly finds out: opens the parts that exist, and runs the steps that need no browser. */
import type { Principal } from '../../accounts/accounts.ts';
import type { Deadline } from '../../deadline.ts';
import type { AssemblyPart } from '../../pdf/assemble/open-parts.ts';
import type { Step } from '../../pdf/assemble/steps.ts';
import { FILLING } from '../../pdf/edit/embedded-page.ts';
import { openLetterhead } from '../letterhead.ts';
import type { RenderRequest } from '../request/render-request.ts';
import { resolveSource } from '../resolve-source.ts';
import type { SigningServices } from '../steps/signing.ts';
import { type AssemblyServices, mayNeedFont, type Reading, readFile, readSource } from './assemble.ts';
import type { AssemblyRequest } from './assembly-request.ts';
import { inPart, inStep, namingLate } from './naming.ts';
import { openSignings } from './signatures.ts';

type Services = Omit<AssemblyServices, 'engine'>;
type NumberedStep = AssemblyRequest['steps'][number];

/** Stands for what is printed. */
const BLANK = blankPdf();

/** Throws what an assembly throws before anything is rendered. */
export async function checkAssembly(
  request: AssemblyRequest,
  services: Services,
  principal: Principal,
  deadline: Deadline,
  signing: SigningServices,
): Promise<void> {
  await openSignings(request, signing, principal);
  const at: Reading = { services, principal, deadline, hold() {} };
  const existing = await findExisting(request, services, principal, at);
  const isKnown = existing.length === request.parts.length;
  const steps: Array<{ number: number; step: Step }> = [];
  for (const numbered of request.steps) {
    const step = await inStep(numbered, () => toCheckable(numbered, isKnown, at));
    if (step) steps.push({ number: numbered.number, step });
  }
  // The numbers of parts and pages would be others if some are rendered.
  const order = { parts: isKnown ? existing : [BLANK], steps };
  await namingLate(({ note }) => deadline.race(services.uploadAssembly.assemble(principal.accountId, order, deadline, { note })));
}

async function findExisting(
  request: AssemblyRequest,
  services: Services,
  principal: Principal,
  at: Reading,
): Promise<AssemblyPart[]> {
  const { dropsSignatures, signatures, steps, conform, extract, parts } = request;
  const keepsSignatures = signatures.length > 0 && !steps.length && !conform && parts.length === 1;
  const others = { dropsSignatures, isRead: keepsSignatures || extract !== undefined };
  const existing: AssemblyPart[] = [];
  for (const [index, { from, pages, title, password }] of parts.entries())
    await inPart(index, async () => {
      if ('request' in from) await checkRendered(from.request, services, principal, at.deadline);
      else existing.push({ ...(await readFile(from, at)), pages, title, password, ...others });
    });
  return existing;
}

async function checkRendered(
  request: RenderRequest,
  services: Services,
  principal: Principal,
  deadline: Deadline,
): Promise<void> {
  await resolveSource(request, principal, services, { signal: deadline.signal });
  await openLetterhead(services, request.finish.letterhead, principal, deadline);
}

/** The step without what is printed for it. If pages are not known, only whether the PDF that it draws can be read. */
async function toCheckable({ step }: NumberedStep, isKnown: boolean, at: Reading): Promise<Step | undefined> {
  if ('letterhead' in step) {
    const { from, pages } = step.letterhead;
    return { letterhead: { ...(await readSource(from, at)), pages: isKnown ? pages : undefined } };
  }
  if (!('draw' in step)) return isKnown && !mayNeedFont(step) ? step : undefined;
  const { from, pages } = step.draw;
  const { layer } = step.draw;
  const drawn = { ...FILLING, layer, opacity: 1, isForeign: false, sourcePages: [] };
  if (!('mark' in from)) return { draw: { ...drawn, ...(await readSource(from, at)), pages: isKnown ? pages : undefined } };
  return isKnown ? { draw: { ...drawn, source: BLANK.content, pages } } : undefined;
}

/** One page without content. */
function blankPdf(): AssemblyPart {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<<>>>>',
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((text, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${text}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  const content = Buffer.from(`${file}${table}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${file.length}\n%%EOF\n`);
  return { content, title: '', pages: undefined, password: undefined, isOwn: true, dropsSignatures: false };
}
