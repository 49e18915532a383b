/**
 * Renders a template while it is being written: an unsaved text and data in, the PDF that a render would make out, with the files of its
 * template and account. It is neither charged, signed nor stored; the time that it takes is limited for each account instead.
 */
import type { Principal } from '../accounts/accounts.ts';
import type { Content } from '../chromium/load/load-settings.ts';
import type { Deadline } from '../deadline.ts';
import type { OwnerQueue } from '../queue/owner-queue.ts';
import type { TemplateFiller, UnsavedTemplate } from '../templates/template-filler.ts';
import { noteRendered } from '../work-log.ts';
import { printOnLetterhead } from './letterhead.ts';
import type { RenderedPdf } from './pdf.ts';
import { type Admitted, type RenderServices, runCharged, toPrintOrder } from './render.ts';
import { requireNone } from './report.ts';
import type { RenderRequest } from './request/render-request.ts';
import { resolveHeld } from './resolve-source.ts';

export interface PreviewServices extends RenderServices {
  templateFiller: RenderServices['templateFiller'] & Pick<TemplateFiller, 'fillUnsaved'>;
  time: PreviewTime;
  /** Each account renders one preview at a time, so that what it uses is known before the next one begins. */
  turns: Pick<OwnerQueue, 'acquire'>;
}

/** The seconds that an owner may use without being charged, see `VisitorTime`. */
interface PreviewTime {
  refresh(owner: string): Promise<void>;
  /** Throws `rate_limited`. */
  requireTime(owner: string): void;
  add(owner: string, renderMs: number): Promise<void>;
}

/** Its `source` has no meaning. Its `assets` replace files of the template with the same path. */
export interface PreviewRequest extends RenderRequest {
  template: UnsavedTemplate;
  data: Record<string, unknown>;
}

/** Throws like `render`, and `rate_limited`. Time in queues does not count. */
export async function renderPreview(
  services: PreviewServices,
  request: PreviewRequest,
  principal: Principal,
  client: AbortSignal,
): Promise<RenderedPdf> {
  const { time, turns, engine, memory } = services;
  const owner = `account ${principal.accountId}`;
  await time.refresh(owner);
  time.requireTime(owner);
  await using turn = new AsyncDisposableStack();
  const fill = async (deadline: Deadline, hold: (bytes: number) => void) => {
    turn.defer(await turns.acquire(owner, deadline));
    time.requireTime(owner); // previews that were accepted before may have used the rest
    const begun = performance.now();
    let fillMs = 0;
    turn.defer(() => time.add(owner, fillMs + renderMs(deadline)));
    return fillUnsaved(services, request, principal, deadline, hold).finally(() => {
      fillMs = performance.now() - begun;
    });
  };
  const work = async (admitted: Admitted, content: Content) => {
    const order = toPrintOrder(request, content, undefined, principal);
    const unlogged = { ...admitted.owner, picturesKeptMs: undefined }; // a picture of its failure would have no entry
    const pdf = await printOnLetterhead(engine, order, services, { principal, ...admitted, owner: unlogged });
    requireNone(request.failOnWarning, pdf.report);
    memory?.makeRoomFor(pdf.bytes);
    noteRendered(pdf);
    return pdf;
  };
  return await runCharged<RenderedPdf, Content>(services, request, principal, client, work, fill, 0);
}

function fillUnsaved(
  services: PreviewServices,
  { template, data, baseUrl, assets }: PreviewRequest,
  principal: Principal,
  deadline: Deadline,
  hold: (bytes: number) => void,
): Promise<Content> {
  const { templateFiller } = services;
  const fill: typeof templateFiller.fill = (reader, _ref, values, options) =>
    templateFiller.fillUnsaved(reader, template, values, options);
  const source = { kind: 'template', templateId: template.from?.templateId ?? '', data } as const;
  return resolveHeld({ source, baseUrl, assets }, principal, { ...services, templateFiller: { fill } }, deadline, hold);
}

function renderMs(deadline: Deadline): number {
  const { load, print, finish } = deadline.timings();
  return load + print + finish;
}
