/**
 * Renders a template while it is being written: an unsaved text and data in, the PDF that a render would make out, with the files of its
 * template and account. It is neither charged, signed nor stored; the time that it takes is limited for each account instead.
 */
import type { Principal } from '../accounts/accounts.ts';
import type { Content } from '../chromium/load/load-settings.ts';
import type { Templates, UnsavedTemplate } from '../templates/templates.ts';
import { noteDetails, noteRendered } from '../work-log.ts';
import { printOnLetterhead } from './letterhead.ts';
import type { RenderedPdf } from './pdf.ts';
import { type RenderServices, runCharged, toPrintOrder } from './render.ts';
import { requireNone } from './report.ts';
import type { RenderRequest } from './request/render-request.ts';
import { resolveHeld } from './resolve-source.ts';

export interface PreviewServices extends RenderServices {
  templates: RenderServices['templates'] & Pick<Templates, 'fillUnsaved'>;
  time: PreviewTime;
}

/** The seconds that an owner may use without being charged, see `VisitorTime`. */
export interface PreviewTime {
  refresh(owner: string): Promise<void>;
  /** Throws `rate_limited`. */
  requireTime(owner: string): void;
  add(owner: string, renderMs: number): Promise<void>;
}

/** Its `source` and `assets` have no meaning. */
export interface PreviewRequest extends RenderRequest {
  template: UnsavedTemplate;
  data: Record<string, unknown>;
}

/** Throws like `render`, and `rate_limited`. */
export async function renderPreview(
  services: PreviewServices,
  request: PreviewRequest,
  principal: Principal,
  client: AbortSignal,
): Promise<RenderedPdf> {
  const { time, engine, memory } = services;
  const owner = `account ${principal.accountId}`;
  await time.refresh(owner);
  time.requireTime(owner);
  noteDetails({ source: 'template', templateId: request.template.from?.templateId });
  return runCharged<RenderedPdf, Content>(
    services,
    request,
    principal,
    client,
    async (admitted, content) => {
      const begun = performance.now();
      try {
        const order = toPrintOrder(request, content, undefined, principal);
        const unlogged = { ...admitted.owner, picturesKeptMs: undefined }; // a picture of its failure would have no entry
        const pdf = await printOnLetterhead(engine, order, services, { principal, ...admitted, owner: unlogged });
        requireNone(request.failOnWarning, pdf.report);
        memory?.makeRoomFor(pdf.bytes);
        noteRendered(pdf);
        return pdf;
      } finally {
        await time.add(owner, performance.now() - begun);
      }
    },
    (deadline, hold) => {
      const { template, data, baseUrl } = request;
      const fill: typeof services.templates.fill = (reader, _ref, values, options) =>
        services.templates.fillUnsaved(reader, template, values, options);
      const source = { kind: 'template', templateId: template.from?.templateId ?? '', data } as const;
      return resolveHeld({ source, baseUrl, assets: undefined }, principal, { ...services, templates: { fill } }, deadline, hold);
    },
    0,
  );
}
