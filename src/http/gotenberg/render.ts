/** A form of Gotenberg, translated, in; a rendered PDF or image out: checked, queued, charged and remembered as those of `/v1`. */
import type { FastifyRequest } from 'fastify';
import type { Principal } from '../../accounts/accounts.ts';
import type { Claim } from '../../idempotency/idempotency.ts';
import { type ImageRequest, parseImageRequest } from '../../render/image-request.ts';
import type { RenderMemory } from '../../render/render.ts';
import { parseRenderRequest, type RenderRequest } from '../../render/render-request.ts';
import { principalOf } from '../authenticate.ts';
import { measuredDelivery } from '../measured.ts';
import { PDF } from '../negotiation.ts';
import { rememberImage, rememberPdf } from '../remember-render.ts';
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
  const hook = claim && rememberPdf(services.idempotency, claim, request, principal.plan);
  const render = () => services.render(request, principal, client, hook, memory);
  const { pdf, remaining } = await measuredDelivery(services.metrics, render);
  return { type: PDF, extension: '.pdf', bytes: pdf.bytes, chunks: pdf.chunks, remaining };
}

async function renderImage(services: RenderServices, request: ImageRequest, call: RenderCall): Promise<Rendered> {
  const { principal, client, claim, memory } = call;
  const { type: format } = request.capture;
  const hook = claim && rememberImage(services.idempotency, claim, request, principal.plan);
  const render = () => services.renderImage(request, principal, client, hook, memory);
  const { image, remaining } = await measuredDelivery(services.metrics, render);
  return { type: `image/${format}`, extension: `.${format}`, bytes: image.bytes, chunks: image.chunks, remaining };
}

/** The caller of a request, who waits for it. */
export function callOf(request: FastifyRequest, rest: Omit<RenderCall, 'principal'>): RenderCall {
  return { principal: principalOf(request), ...rest };
}
