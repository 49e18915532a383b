/** Opens the services that store data, on one database and one content store, and closes them together. */
import { Accounts } from './accounts/accounts.ts';
import { Allowance } from './accounts/allowance.ts';
import { Concurrency } from './accounts/concurrency.ts';
import { type Clock, Leases } from './accounts/leases.ts';
import { loadPlans, type Plans } from './accounts/plans.ts';
import { Batches } from './batches/batches.ts';
import { DatabaseQueue } from './batches/database-queue.ts';
import type { Announce } from './batches/outcomes.ts';
import { PayloadCipher } from './batches/payload-cipher.ts';
import { Progress } from './batches/progress.ts';
import type { BatchQueue } from './batches/queue.ts';
import { type Config, ConfigError } from './config.ts';
import { Documents } from './documents/documents.ts';
import { Links } from './documents/links.ts';
import { Idempotency } from './idempotency/idempotency.ts';
import { Markdown } from './markdown/markdown.ts';
import type { Blobs } from './storage/blobs.ts';
import { type Database, openDatabase } from './storage/database.ts';
import { lockFolder } from './storage/folder-lock.ts';
import { openBlobs } from './storage/open-blobs.ts';
import { LiquidEngine } from './templates/liquid.ts';
import { Templates } from './templates/templates.ts';
import { WebhookSecrets } from './webhooks/secrets.ts';
import { Webhooks } from './webhooks/webhooks.ts';

export interface Services {
  database: Database;
  blobs: Blobs;
  plans: Plans;
  accounts: Accounts;
  allowance: Allowance;
  concurrency: Concurrency;
  templates: Templates;
  markdown: Markdown;
  documents: Documents;
  links: Links;
  idempotency: Idempotency;
  webhooks: Webhooks;
  webhookSecrets: WebhookSecrets;
  batches: Batches;
  batchQueue: BatchQueue;
  batchCipher: PayloadCipher;
  /** Throws `storage_failed` while there is another node beside which this one may not be. */
  checkNode(): void;
  close(): Promise<void>;
}

/** Throws `ConfigError` and `PlansError`. `onRefused` is told when `checkNode` begins to throw. */
export async function openServices(config: Config, clock: Clock, onRefused?: (error: unknown) => void): Promise<Services> {
  const plans = loadPlans(config);
  const unlock = lockFolder(config.dataDir);
  if (!unlock)
    throw new ConfigError(`Another service uses the data folder ${config.dataDir}. Give each service its own PLATEN_DATA_DIR.`);
  const database = await openDatabase(config).catch((error: unknown) => {
    unlock();
    throw error;
  });
  const leases = new Leases(clock);
  const liquid = new LiquidEngine();
  const markdown = new Markdown();
  let blobs: Blobs | undefined;
  let nodes: Awaited<ReturnType<Database['joinNodes']>> | undefined;
  const close = async () => {
    leases.stop();
    await Promise.all([liquid.close(), markdown.close(), blobs?.close()]);
    await nodes?.close();
    await database.close();
    unlock();
  };
  try {
    const accounts = new Accounts(database, plans, clock);
    await requireKnownPlans(accounts, plans);
    const webhooks = new Webhooks(database, clock);
    const announce: Announce = (event, query) => webhooks.enqueue(event, query);
    const links = await Links.open(database, clock);
    blobs = await openBlobs(config, links.secretFor('blobs').toString('hex'));
    const progress = new Progress();
    const onNotice = (notice: string) => progress.hear(notice);
    const joined = await database.joinNodes({ alone: !blobs.isShared, onNotice, ...(onRefused && { onRefused }) });
    nodes = joined;
    progress.watchNotices(joined.notify);
    const batchCipher = new PayloadCipher(links.secretFor('batches'));
    return {
      database,
      blobs,
      plans,
      accounts,
      allowance: new Allowance(database, clock, leases),
      concurrency: new Concurrency(),
      templates: new Templates(database, clock, liquid, config),
      markdown,
      documents: new Documents(database, blobs, clock, (document, query) => webhooks.documentExpired(document, query)),
      links,
      idempotency: new Idempotency(database, blobs, clock, leases),
      batches: new Batches(database, clock, { cipher: batchCipher, limits: config, progress, announce }),
      batchQueue: new DatabaseQueue(database, clock, leases, announce),
      batchCipher: batchCipher,
      webhooks,
      webhookSecrets: new WebhookSecrets(database, clock),
      checkNode: joined.check,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Refuses to start if an account is on an unknown plan, because every request of that account would fail. */
async function requireKnownPlans(accounts: Accounts, plans: Plans): Promise<void> {
  const missing = await accounts.missingPlans();
  if (!missing.length) return;
  throw new ConfigError(
    `Accounts are on plans that the plans file does not define: ${missing.join(', ')}. Add these plans to the file, or move the accounts to one of ${plans.names.join(', ')} with \`platen accounts set-plan\`.`,
  );
}
