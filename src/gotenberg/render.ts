/** Renders a translated Gotenberg form to a PDF or an image, with the same checks, queue, charge and idempotency as `/v1`. */
import type { Principal } from '../accounts/accounts.ts';
import { countDelivery } from '../http/metrics/count-outcomes.ts';
import { rememberImage, rememberPdf } from '../http/replies/remember-render.ts';
import type { ImageRouteServices } from '../http/routes/image.ts';
import type { PdfRouteServices } from '../http/routes/pdf.ts';
import { PDF } from '../http/server/negotiation.ts';
import type { Claim } from '../idempotency/idempotency.ts';
import type { RenderMemory } from '../render/render.ts';
import { type ImageRequest, parseImageRequest } from '../render/request/image-request.ts';
import {
  parseRenderRequest,
  type RenderLimits,
  type RenderRequest,
  type SourceRequest,
} from '../render/request/render-request.ts';
import type { UploadedFile } from '../render/request/values/assets.ts';
import { type GotenbergForm, type GotenbergSource, readUrl, toFailingStatuses, toImageBody, toPdfBody } from './form.ts';
import { withForeignSecrets } from './secrets.ts';

export interface RenderCall {
  principal: Principal;
  client: AbortSignal;
  /** The claim of the Idempotency-Key. */
  claim: Claim | undefined;
  memory: RenderMemory;
}

export interface Rendered {
  /** The media type, and the file extension. */
  type: string;
  extension: string;
  bytes: number;
  chunks: Buffer[];
  /** Documents left in this month; null if the plan has no limit. */
  remaining: number | null;
}

export type GotenbergServices = PdfRouteServices & ImageRouteServices;

/** Renders a request that has already been validated. */
export type Render = (call: RenderCall) => Promise<Rendered>;

/** `html` is used by the Markdown route. Throws `invalid_request` and `content_too_large`. Errors name options, not fields. */
export type ToRender = (
  services: GotenbergServices,
  form: GotenbergForm,
  source: GotenbergSource,
  filename: string | undefined,
  html?: string,
) => Render;

export const pdfRender = prepareWith(toPdfBody, parseRenderRequest, renderPdf);
export const imageRender = prepareWith(toImageBody, parseImageRequest, renderImage);

function prepareWith<R extends SourceRequest>(
  bodyOf: typeof toPdfBody,
  parse: (body: unknown, limits: RenderLimits, files: readonly UploadedFile[]) => R,
  render: (services: GotenbergServices, request: R, call: RenderCall) => Promise<Rendered>,
): ToRender {
  return (services, form, source, filename, html) => {
    const { body, files } = bodyOf(form, source, filename, html);
    const request = withSecrets(form, source, services, withStatuses(form, parse(body, services.limits, files)));
    return (call) => render(services, request, call);
  };
}

function withStatuses<R extends SourceRequest>(form: GotenbergForm, request: R): R {
  const { page, resources } = toFailingStatuses(form);
  const { failsOn } = request.load;
  const httpStatus = { document: page ?? failsOn.httpStatus.document, resources };
  return { ...request, load: { ...request.load, failsOn: { ...failsOn, httpStatus } } };
}

/** Adds the headers and cookies that name other addresses than the document's, which no option of `/v1` can express. */
function withSecrets<R extends SourceRequest>(
  form: GotenbergForm,
  source: GotenbergSource,
  { limits }: GotenbergServices,
  request: R,
): R {
  const target = withForeignSecrets(request.load.target, form.values, readUrl(form, source), limits);
  return { ...request, load: { ...request.load, target } };
}

async function renderPdf(services: GotenbergServices, request: RenderRequest, call: RenderCall): Promise<Rendered> {
  const { principal, client, claim, memory } = call;
  const hook = claim && rememberPdf(services.idempotency, claim, request, principal.plan);
  const render = () => services.render(request, principal, client, hook, memory);
  const { pdf, remaining } = await countDelivery(services.metrics, render);
  return { type: PDF, extension: '.pdf', bytes: pdf.bytes, chunks: pdf.chunks, remaining };
}

async function renderImage(services: GotenbergServices, request: ImageRequest, call: RenderCall): Promise<Rendered> {
  const { principal, client, claim, memory } = call;
  const { type: format } = request.capture;
  const hook = claim && rememberImage(services.idempotency, claim, request, principal.plan);
  const render = () => services.renderImage(request, principal, client, hook, memory);
  const { image, remaining } = await countDelivery(services.metrics, render);
  return { type: `image/${format}`, extension: `.${format}`, bytes: image.bytes, chunks: image.chunks, remaining };
}
