/** Renders a translated Gotenberg form to a PDF or an image, with the same checks, queue, charge and idempotency as `/v1`. */
import type { Principal } from '../accounts/accounts.ts';
import { invalidField } from '../errors.ts';
import { countDelivery } from '../http/metrics/count-outcomes.ts';
import { rememberRender } from '../http/replies/remember-render.ts';
import type { RouteServices } from '../http/routes/services.ts';
import type { Claim } from '../idempotency/idempotency.ts';
import type { AnyProfile } from '../pdf/conformance/profiles.ts';
import type { AssemblyRequest } from '../render/assembly/assembly-request.ts';
import type { AnyRequest, RenderMemory } from '../render/render.ts';
import { type ImageRequest, parseImageRequest } from '../render/request/image-request.ts';
import { parseRenderRequest, type RenderRequest } from '../render/request/render-request.ts';
import type { FormStep } from './changes/form-step.ts';
import { nameFiles, packFiles, readProfiles, requireConformance } from './changes/results.ts';
import { applyStages } from './changes/stages.ts';
import { namingFields, parseSteps, toLaterSteps } from './changes/steps.ts';
import { type GotenbergSource, readUrl, toFailingStatuses, toImageBody, toPdfBody } from './form.ts';
import { withForeignSecrets } from './secrets.ts';
import type { GotenbergForm } from './sent-form.ts';

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
  /** The name of a file that was changed. */
  name?: string | undefined;
}

export type Render = (call: RenderCall) => Promise<Rendered>;

/** Throws `invalid_request` and `content_too_large`. Errors name options, not fields. */
export type ToRender = (
  services: RouteServices,
  form: GotenbergForm,
  source: GotenbergSource,
  filename: string | undefined,
) => Render;

/** What the options of a print cannot do is done in steps, with the print as the only part of an assembly. */
export const pdfRender: ToRender = (services, form, source, filename) => {
  const stages = applyStages(form);
  if (stages.extraction)
    throw invalidField(stages.extraction.nameField('op'), 'names a stage that works only on /forms/pdf/pipe');
  const steps = toLaterSteps(form, stages.steps);
  const profiles = readProfiles(form);
  const { body, files } = toPdfBody(form, source, filename, steps.length > 0);
  const request = prepare(services, form, source, parseRenderRequest(body, services.limits, files));
  if (!steps.length) return (call) => render(services, request, call);
  const assembly = toAssembly(request, parseSteps(form, steps, services.limits), filename);
  const { aliases } = form;
  return (call) => renderInSteps(services, { aliases }, { request: assembly, steps, profiles }, call);
};

export const imageRender: ToRender = (services, form, source, filename) => {
  const { body, files } = toImageBody(form, source, filename);
  const request = prepare(services, form, source, parseImageRequest(body, services.limits, files));
  return (call) => render(services, request, call);
};

type Printed = RenderRequest | ImageRequest;

function prepare<Request extends Printed>(
  { limits }: RouteServices,
  form: GotenbergForm,
  source: GotenbergSource,
  given: Request,
): Request {
  const parsed = withStatuses(form, given);
  // Headers and cookies that name other addresses than the document's cannot be expressed by an option of `/v1`.
  const target = withForeignSecrets(parsed.load.target, form.values, readUrl(form, source), limits);
  return { ...parsed, load: { ...parsed.load, target } };
}

/** An archive of PDFs is no document, so it is not stored. */
function toAssembly(request: RenderRequest, steps: AssemblyRequest, filename: string | undefined): AssemblyRequest {
  const { timeoutMs, failOnWarning } = request;
  const parts = [{ from: { request }, pages: undefined, title: undefined, password: undefined }];
  return { ...steps, parts, timeoutMs, failOnWarning, filename, store: steps.split ? false : undefined };
}

interface Stepped {
  request: AssemblyRequest;
  steps: readonly FormStep[];
  profiles: AnyProfile[];
}

async function renderInSteps(
  services: RouteServices,
  form: Pick<GotenbergForm, 'aliases'>,
  { request, steps, profiles }: Stepped,
  call: RenderCall,
): Promise<Rendered> {
  const stem = request.filename?.replace(/\.pdf$/, '') ?? 'document';
  const pack = async (contents: Buffer[]) => {
    await requireConformance(services, contents, profiles, call);
    return packFiles(nameFiles(contents, stem, request.split !== undefined));
  };
  try {
    return await render(services, { ...request, pack }, call);
  } catch (error) {
    throw namingFields(form, steps, [], error);
  }
}

function withStatuses<Request extends Printed>(form: GotenbergForm, request: Request): Request {
  const { page, resources, isIgnored } = toFailingStatuses(form);
  const { failsOn } = request.load;
  const httpStatus = { document: page ?? failsOn.httpStatus.document, resources, isIgnored };
  return { ...request, load: { ...request.load, failsOn: { ...failsOn, httpStatus } } };
}

async function render(services: RouteServices, request: AnyRequest, call: RenderCall): Promise<Rendered> {
  const { principal, client, claim, memory } = call;
  const hook = claim && rememberRender(services.idempotency, claim, request, principal.plan);
  const delivery = await countDelivery(services.metrics, () => services.render(request, principal, client, hook, memory));
  return { ...delivery.file, remaining: delivery.remaining };
}
