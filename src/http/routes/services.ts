/** What the routes use of the service. `app.ts` puts it together, and each route names the parts that it takes. */
import type { FastifyBaseLogger } from 'fastify';
import type { Accounts, Principal } from '../../accounts/accounts.ts';
import type { Allowance } from '../../accounts/allowance.ts';
import type { Plans } from '../../accounts/plans.ts';
import type { VisitorRequests } from '../../accounts/visitor-requests.ts';
import type { AuditLog } from '../../audit/audit.ts';
import type { Batches } from '../../batches/batches.ts';
import type { Merging } from '../../batches/merging.ts';
import type { Certificates } from '../../certificates/certificates.ts';
import type { Documents } from '../../documents/documents.ts';
import type { Links } from '../../documents/links.ts';
import type { Idempotency } from '../../idempotency/idempotency.ts';
import type { Playground } from '../../playground/playground.ts';
import type { AssemblyRequest } from '../../render/assembly/assembly-request.ts';
import type { DryRunRequest } from '../../render/dry-run.ts';
import type { RenderedPdf } from '../../render/pdf.ts';
import type { PreviewRequest } from '../../render/preview.ts';
import type { AnyRequest, CommitHook, Delivery, RenderMemory } from '../../render/render.ts';
import type { RenderLimits, RenderRequest } from '../../render/request/render-request.ts';
import type { RequestLog } from '../../request-log/request-log.ts';
import type { AccountAssets } from '../../templates/account-assets.ts';
import type { StoredTemplates } from '../../templates/stored-templates.ts';
import type { TemplateChanges } from '../../templates/template-changes.ts';
import type { PdfComparison } from '../../uploads/compare/compare-pdfs.ts';
import type { PageDrawing } from '../../uploads/draw-pages.ts';
import type { UploadValidation } from '../../uploads/validate-uploads.ts';
import type { Pages } from '../../web-assets/pages.ts';
import type { WebhookSecrets } from '../../webhooks/secrets.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import type { MetricSources, Metrics } from '../metrics/metrics.ts';
import type { Spool } from '../replies/spool-pdf.ts';
import type { Budgets } from '../requests/request-memory.ts';

export interface RouteServices {
  accounts: Accounts;
  allowance: Allowance;
  batches: Batches;
  /** Holds replies that have no room in memory. */
  blobs: Spool;
  /** The limits of requests with a key. */
  budgets: Budgets;
  certificates: Certificates;
  documents: Documents;
  idempotency: Idempotency;
  limits: RenderLimits;
  links: Links;
  logger: FastifyBaseLogger;
  merging: Merging;
  metrics: Metrics;
  /** Where the metrics come from. */
  metricSources: MetricSources;
  pageDrawing: PageDrawing;
  pages: Pages;
  pdfComparison: PdfComparison;
  /** Undefined if the playground is switched off. */
  playground: Playground | undefined;
  playgroundBudgets: Budgets;
  plans: Plans;
  requestLog: RequestLog;
  auditLog: AuditLog;
  accountAssets: AccountAssets;
  templates: StoredTemplates;
  templateChanges: TemplateChanges;
  uploadValidation: UploadValidation;
  /** Undefined unless several nodes count together. */
  visitorRequests: VisitorRequests | undefined;
  webhooks: Webhooks;
  webhookSecrets: WebhookSecrets;
  /** Renders a small document, unless another was rendered a moment ago. Rejects if it fails. */
  checkReady(): Promise<void>;
  /** See `render/preview.ts`. Undefined if the playground is switched off. */
  preview:
    | ((request: PreviewRequest, principal: Principal, client: AbortSignal, memory?: RenderMemory) => Promise<RenderedPdf>)
    | undefined;
  /** See `render/dry-run.ts`. */
  dryRun(request: DryRunRequest | AssemblyRequest, principal: Principal, client: AbortSignal): Promise<object>;
  /** See `render/render.ts`. */
  render(
    request: AnyRequest,
    principal: Principal,
    client: AbortSignal,
    commitHook?: CommitHook,
    memory?: RenderMemory,
  ): Promise<Delivery>;
  violationsOf(request: RenderRequest, principal: Principal, client: AbortSignal, memory?: RenderMemory): Promise<unknown[]>;
  /** Throws `forbidden_url` if the host is an IP address that the egress policy forbids. */
  requireWebhook(owner: Principal, url: string | undefined, path?: string): void;
  /** Estimated seconds until a batch with this number of unfinished items ends. */
  secondsForItems(unfinished: number): Promise<number>;
}
