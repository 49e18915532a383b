/** Opens the services that store data, on one database and one content store, and closes them together. */
import { Accounts } from './accounts/accounts.ts';
import { Allowance } from './accounts/allowance.ts';
import { Concurrency } from './accounts/concurrency.ts';
import { Leases } from './accounts/leases.ts';
import { explainUndefined, loadPlans, type Plans } from './accounts/plans.ts';
import { VisitorRequests } from './accounts/visitor-requests.ts';
import { AuditLog } from './audit/audit.ts';
import { AwaitedSlots } from './batches/awaited-slots.ts';
import { Batches } from './batches/batches.ts';
import { DatabaseQueue } from './batches/database-queue.ts';
import { type Announce, announceUploaded } from './batches/outcomes.ts';
import { Progress } from './batches/progress.ts';
import { Certificates } from './certificates/certificates.ts';
import { Pkcs12Reader } from './certificates/pkcs12-reader.ts';
import { SecretKeyError, type SecretKeySettings, SecretKeys } from './certificates/secret-keys.ts';
import { TimeStamps } from './certificates/time-stamps.ts';
import type { Clock } from './clock.ts';
import { Documents } from './documents/documents.ts';
import { Links } from './documents/links.ts';
import { ConfigError } from './errors.ts';
import { Idempotency } from './idempotency/idempotency.ts';
import { openJobs } from './jobs/open-jobs.ts';
import { Markdown } from './markdown/markdown.ts';
import type { RenderLimits } from './render/request/render-request.ts';
import { FailurePictures } from './request-log/failure-pictures.ts';
import { RequestLog } from './request-log/request-log.ts';
import type { Blobs } from './storage/blobs/blobs.ts';
import { openBlobs } from './storage/blobs/open-blobs.ts';
import { type Database, type DatabaseSettings, openDatabase } from './storage/database.ts';
import type { Nodes, NodesOptions } from './storage/engine.ts';
import { lockFolder } from './storage/folder-lock.ts';
import { PayloadCipher } from './storage/payload-cipher.ts';
import { AccountAssets } from './templates/account-assets.ts';
import { type AssetLimits, TemplateAssets } from './templates/assets.ts';
import { LiquidEngine } from './templates/liquid/liquid.ts';
import { openTemplates } from './templates/open-templates.ts';
import { Schemas } from './templates/schemas.ts';
import type { TemplateLimits } from './templates/template-changes.ts';
import { WebhookSecrets } from './webhooks/secrets.ts';
import { type UploadServices, Uploads } from './webhooks/uploads.ts';
import { Webhooks } from './webhooks/webhooks.ts';

/** The settings of each service. */
export interface ServicesSettings {
  storage: DatabaseSettings & { blobsUrl: string };
  secretKeys: Omit<SecretKeySettings, 'isShared'>;
  /** Empty if there is no time stamp authority. */
  timeStamps: { tsaUrl: string };
  plans: { plansFile: string };
  allowance: { testRendersPerDay: number };
  requestLog: { requestLogMs: number };
  audit: { auditLogMs: number };
  templates: TemplateLimits;
  templateAssets: AssetLimits;
  limits: RenderLimits;
}

export type Services = Awaited<ReturnType<typeof openServices>>;

/** Throws `ConfigError` and `PlansError`. `onRefused` is called when `checkNode` begins to throw. */
export async function openServices(settings: ServicesSettings, clock: Clock, onRefused?: (error: unknown) => void) {
  const { dataDir, blobsUrl } = settings.storage;
  const { tsaUrl } = settings.timeStamps;
  const plans = loadPlans(settings.plans);
  await using opened = new AsyncDisposableStack(); // closes what is open if something throws
  opened.defer(lock(dataDir));
  const database = opened.adopt(await openDatabase(settings.storage), (each) => each.close());
  const leases = opened.adopt(new Leases(clock), (each) => each.stop());
  const allowance = new Allowance(database, clock, leases, settings.allowance);
  const awaitedSlots = opened.adopt(new AwaitedSlots((principal) => allowance.hasFreeSlot(principal)), (each) => each.close());
  const liquid = opened.adopt(new LiquidEngine(), (each) => each.close());
  const schemas = opened.adopt(new Schemas(), (each) => each.close());
  const markdown = opened.adopt(new Markdown(), (each) => each.close());
  const pkcs12 = opened.adopt(new Pkcs12Reader(), (each) => each.close());
  const accounts = new Accounts(database, plans, clock);
  opened.defer(() => accounts.keyUse.flush());
  await requireKnownPlans(accounts, plans, settings.plans);
  const secretKeys = openSecretKeys(settings.secretKeys, database);
  const jobs = opened.adopt(await openJobs(database), (each) => each.close());
  const webhooks = new Webhooks(database, clock, jobs);
  const announce: Announce = (event, query) => webhooks.enqueue(event, query);
  const links = await Links.open(database, clock);
  const blobs = opened.adopt(await openBlobs({ blobsUrl, dataDir }, links.secretFor('blobs').toString('hex')), (each) =>
    each.close(),
  );
  const progress = new Progress();
  const joining = { alone: !blobs.isShared, ...(onRefused && { onRefused }) };
  const nodes = opened.adopt(await join(database, joining, progress), (each) => each.close());
  const batchCipher = new PayloadCipher(links.secretFor('batches'));
  const documents = new Documents(database, blobs, clock, (document, query) => webhooks.documentExpired(document, query));
  const assets = new TemplateAssets(database, blobs, settings.templateAssets);
  const requestLog = opened.adopt(openRequestLog(database, blobs, clock, settings), (each) => each.close());
  const uploads = openUploads({ database, clock, jobs, accounts, documents }, links, progress, announce);
  const all = opened.move();
  return {
    database,
    blobs,
    plans,
    accounts,
    allowance,
    concurrency: new Concurrency(),
    awaitedSlots,
    certificates: new Certificates(database, clock, pkcs12, secretKeys),
    /** Undefined if the operator has configured no time stamp authority. */
    timeStamps: tsaUrl ? new TimeStamps({ url: tsaUrl }) : undefined,
    accountAssets: new AccountAssets(database, assets),
    ...openTemplates(database, clock, { liquid, schemas, assets }, settings.templates),
    markdown,
    ...{ documents, uploads, jobs, requestLog, links },
    auditLog: new AuditLog(database, clock, settings.audit),
    idempotency: new Idempotency(database, blobs, clock, leases),
    batches: new Batches(database, clock, { cipher: batchCipher, limits: settings.limits, progress, jobs, announce, requestLog }),
    batchQueue: new DatabaseQueue(database, clock, leases, announce),
    batchCipher,
    webhooks,
    webhookSecrets: new WebhookSecrets(database, clock),
    /** Undefined if this is the only node, which counts in memory. */
    visitorRequests: database.isShared ? new VisitorRequests(database, clock) : undefined,
    /** Throws `storage_failed` while another node is running that excludes this one. */
    checkNode: () => nodes.check(),
    close: () => all.disposeAsync(),
  };
}

function openRequestLog(database: Database, blobs: Blobs, clock: Clock, { requestLog }: ServicesSettings): RequestLog {
  return new RequestLog(database, clock, requestLog, new FailurePictures(database, blobs, clock));
}

/** Locks the data folder and returns a function that unlocks it. Throws `ConfigError` if it is locked already. */
function lock(dataDir: string): () => void {
  const unlock = lockFolder(dataDir);
  if (unlock) return unlock;
  throw new ConfigError(`Another service uses the data folder ${dataDir}. Give each service its own PLATEN_DATA_DIR.`);
}

/** Joins the nodes of the database, and connects `progress` to the notices of the other nodes. */
async function join(database: Database, options: Omit<NodesOptions, 'onNotice'>, progress: Progress): Promise<Nodes> {
  const nodes = await database.joinNodes({ ...options, onNotice: (notice) => progress.receiveNotice(notice) });
  progress.watchNotices((notice) => nodes.notify(notice));
  return nodes;
}

function openUploads(
  stored: Pick<UploadServices, 'database' | 'clock' | 'jobs' | 'accounts' | 'documents'>,
  links: Links,
  progress: Progress,
  announce: Announce,
): Uploads {
  return new Uploads({
    ...stored,
    cipher: new PayloadCipher(links.secretFor('uploads')),
    onUploadEnded: (batchId, query) => announceUploaded(query, batchId, announce),
    onBatchUploaded: (batchId) => progress.ended(batchId),
  });
}

/** Throws `ConfigError`. */
export function openSecretKeys(settings: ServicesSettings['secretKeys'], { isShared }: Pick<Database, 'isShared'>): SecretKeys {
  try {
    return new SecretKeys({ ...settings, isShared });
  } catch (error) {
    throw error instanceof SecretKeyError ? new ConfigError(error.message) : error;
  }
}

/** Refuses to start if an account is on an unknown plan, because every request of that account would fail. */
async function requireKnownPlans(accounts: Accounts, plans: Plans, settings: ServicesSettings['plans']): Promise<void> {
  const missing = await accounts.missingPlans();
  if (missing.length) throw new ConfigError(explainUndefined(missing, plans, settings));
}
