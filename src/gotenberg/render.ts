/** Renders a translated Gotenberg form to a PDF or an image, with the same checks, queue, charge and idempotency as `/v1`. */
import type { Principal } from '../accounts/accounts.ts';
import { countDelivery } from '../http/metrics/count-outcomes.ts';
import { rememberRender } from '../http/replies/remember-render.ts';
import type { RouteServices } from '../http/routes/services.ts';
import type { Claim } from '../idempotency/idempotency.ts';
import type { RenderMemory } from '../render/render.ts';
import { type ImageRequest, parseImageRequest } from '../render/request/image-request.ts';
import { parseRenderRequest, type RenderLimits, type RenderRequest } from '../render/request/render-request.ts';
import type { UploadedFile } from '../render/request/values/assets.ts';
import { type GotenbergForm, type GotenbergSource, readUrl, toFailingStatuses, toImageBody, toPdfBody } from './form.ts';
import { withForeignSecrets } from './secrets.ts';

export interface RenderCall {
  principal: Principal;
  client: AbortSignal;
  claim: Claim | undefined;
  memory: RenderMemory;
}

export interface Rendered {
  /** Media type. */
  type: string;
  bytes: number;
  chunks: Buffer[];
  /** Documents left in this month; null if the plan has no limit. */
  remaining: number | null;
}

export type Render = (call: RenderCall) => Promise<Rendered>;

/** Throws `invalid_request` and `content_too_large`. Errors name options, not fields. */
export type ToRender = (
  services: RouteServices,
  form: GotenbergForm,
  source: GotenbergSource,
  filename: string | undefined,
) => Render;

export const pdfRender = prepareWith(toPdfBody, parseRenderRequest);
export const imageRender = prepareWith(toImageBody, parseImageRequest);

type AnyRequest = RenderRequest | ImageRequest;

function prepareWith(
  bodyOf: typeof toPdfBody,
  parse: (body: unknown, limits: RenderLimits, files: readonly UploadedFile[]) => AnyRequest,
): ToRender {
  return (services, form, source, filename) => {
    const { body, files } = bodyOf(form, source, filename);
    const parsed = withStatuses(form, parse(body, services.limits, files));
    // Headers and cookies that name other addresses than the document's cannot be expressed by an option of `/v1`.
    const target = withForeignSecrets(parsed.load.target, form.values, readUrl(form, source), services.limits);
    const request = { ...parsed, load: { ...parsed.load, target } };
    return (call) => render(services, request, call);
  };
}

function withStatuses(form: GotenbergForm, request: AnyRequest): AnyRequest {
  const { page, resources } = toFailingStatuses(form);
  const { failsOn } = request.load;
  const httpStatus = { document: page ?? failsOn.httpStatus.document, resources };
  return { ...request, load: { ...request.load, failsOn: { ...failsOn, httpStatus } } };
}

async function render(services: RouteServices, request: AnyRequest, call: RenderCall): Promise<Rendered> {
  const { principal, client, claim, memory } = call;
  const hook = claim && rememberRender(services.idempotency, claim, request, principal.plan);
  const delivery = await countDelivery(services.metrics, () => services.render(request, principal, client, hook, memory));
  return { ...delivery.file, remaining: delivery.remaining };
}
