/** A form of Gotenberg, translated, in; a rendered PDF or image out: checked, queued, charged and remembered as those of `/v1`. */
import type { FastifyRequest } from 'fastify';
import type { Principal } from '../../accounts/accounts.ts';
import type { Claim } from '../../idempotency/idempotency.ts';
import { type ImageRequest, parseImageRequest } from '../../render/image-request.ts';
import type { CommitHook, Delivery, ImageDelivery, RenderMemory } from '../../render/render.ts';
import { parseRenderRequest, type RenderRequest } from '../../render/render-request.ts';
import { principalOf } from '../authenticate.ts';
import { measured } from '../measured.ts';
import { PDF } from '../negotiation.ts';
import { rememberRender } from '../remember-render.ts';
import type { ImageRouteServices } from '../routes/image.ts';
import type { PdfRouteServices } from '../routes/pdf.ts';
import { type GotenbergForm, imageBodyOf, pdfBodyOf, type SourceKind, withFieldNames } from './form.ts';

export interface RenderCall {
  principal: Principal;
  client: AbortSignal;
  /** Of the Idempotency-Key. */
  claim: Claim | undefined;
  memory: RenderMemory;
}

export interface Rendered {
  /** Media type, and the extension of its files. */
  type: string;
  extension: string;
  bytes: number;
  chunks: Buffer[];
  /** Documents left in this month; null where there is no limit. */
  remaining: number | null;
}

export type RenderServices = PdfRouteServices & ImageRouteServices;

/** A request that is valid, and can be rendered now or later. */
export type Render = (call: RenderCall) => Promise<Rendered>;

/** `html` is that of the markdown route. Throws `invalid_request` and `content_too_large`. */
export function pdfRender(
  services: RenderServices,
  form: GotenbergForm,
  source: SourceKind,
  filename: string | undefined,
  html?: string,
): Render {
  const { body, files } = pdfBodyOf(form, source, filename, html);
  const request = withFieldNames(() => parseRenderRequest(body, services.limits, files));
  return (call) => renderPdf(services, request, call);
}

/** The same for an image. */
export function imageRender(
  services: RenderServices,
  form: GotenbergForm,
  source: SourceKind,
  filename: string | undefined,
  html?: string,
): Render {
  const { body, files } = imageBodyOf(form, source, filename, html);
  const request = withFieldNames(() => parseImageRequest(body, services.limits, files));
  return (call) => renderImage(services, request, call);
}

async function renderPdf(services: RenderServices, request: RenderRequest, call: RenderCall): Promise<Rendered> {
  const { principal, client, claim, memory } = call;
  const hook = claim && pdfHook(services, claim, request, principal);
  const { pdf, remaining } = await measured(() => services.render(request, principal, client, hook, memory), {
    succeeded({ pdf, document }) {
      services.metrics.renderSucceeded(pdf);
      if (document) services.metrics.documentStored(document);
    },
    failed: services.metrics.renderFailed,
  });
  return { type: PDF, extension: '.pdf', bytes: pdf.bytes, chunks: pdf.chunks, remaining };
}

function pdfHook({ idempotency }: RenderServices, claim: Claim, { filename }: RenderRequest, { plan }: Principal): CommitHook {
  return rememberRender<Delivery>(idempotency, claim, plan, {
    chunksOf: ({ pdf }) => pdf.chunks,
    answerOf({ pdf: { bytes, pages, report }, document, remaining }) {
      if (document) return { kind: 'document', documentId: document.id, asked: false, remaining };
      return { kind: 'pdf', bytes, pages, filename: filename ?? null, remaining, report };
    },
  });
}

async function renderImage(services: RenderServices, request: ImageRequest, call: RenderCall): Promise<Rendered> {
  const { principal, client, claim, memory } = call;
  const { type: format } = request.capture;
  const hook = claim && imageHook(services, claim, request, principal);
  const { image, remaining } = await measured(() => services.renderImage(request, principal, client, hook, memory), {
    succeeded: ({ image }) => services.metrics.renderSucceeded(image),
    failed: services.metrics.renderFailed,
  });
  return { type: `image/${format}`, extension: `.${format}`, bytes: image.bytes, chunks: image.chunks, remaining };
}

function imageHook(
  { idempotency }: RenderServices,
  claim: Claim,
  { capture, filename }: ImageRequest,
  { plan }: Principal,
): CommitHook<ImageDelivery> {
  return rememberRender<ImageDelivery>(idempotency, claim, plan, {
    chunksOf: ({ image }) => image.chunks,
    answerOf({ image: { bytes, width, height, report }, remaining }) {
      const facts = { bytes, width, height, report, remaining, filename: filename ?? null };
      return { kind: 'image', type: `image/${capture.type}`, ...facts };
    },
  });
}

/** The caller of a request, who waits for it. */
export function callOf(request: FastifyRequest, rest: Omit<RenderCall, 'principal'>): RenderCall {
  return { principal: principalOf(request), ...rest };
}
