/** `platen usage` and `platen plans`: show the usage of accounts in this month, and their limits. */
import { Accounts } from '../accounts/accounts.ts';
import { Allowance } from '../accounts/allowance.ts';
import { formatDuration } from '../accounts/duration.ts';
import { Leases } from '../accounts/leases.ts';
import { loadPlans, type Plan } from '../accounts/plans.ts';
import { loadConfig } from '../config.ts';
import { openDatabase } from '../storage/database.ts';
import { print, printJson, printTable } from './terminal/print.ts';

interface Format {
  json?: boolean;
}

/** Shows the usage of one account, or of all. */
export async function showUsage(accountId: string | undefined, { json }: Format): Promise<void> {
  const { services } = loadConfig();
  const plans = loadPlans(services.plans);
  await using database = await openDatabase(services.storage);
  const leases = new Leases(Date.now);
  try {
    const accounts = new Accounts(database, plans);
    const allowance = new Allowance(database, Date.now, leases);
    const chosen = accountId === undefined ? await accounts.listAccounts() : [await accounts.account(accountId)];
    const records = [];
    for (const account of chosen) {
      const { period, used } = await allowance.usage(account.id);
      const limit = plans.get(account.plan)?.documents ?? null;
      const month = new Date(period.start).toISOString().slice(0, 7);
      records.push({ account_id: account.id, name: account.name, plan: account.plan, month, used, limit });
    }
    if (json) printJson(records);
    else printTable(records.map((record) => ({ ...record, used: String(record.used), limit: numberOrNone(record.limit) })));
  } finally {
    leases.stop();
  }
}

export function showPlans({ json }: Format): void {
  const settings = loadConfig().services.plans;
  const plans = loadPlans(settings);
  if (json) printJson(plans.all.map(planRecord));
  else {
    print(
      `Plans from ${settings.plansFile || 'the service (PLATEN_PLANS_FILE is not set)'}. The default plan of new accounts is ${plans.defaultName}.\n`,
    );
    printTable(plans.all.map(planRow));
  }
}

function planRecord(plan: Plan) {
  return {
    plan: plan.name,
    documents: plan.documents,
    retention_seconds: plan.retentionMs / 1000,
    requests_per_minute: plan.requestsPerMinute,
    concurrency: plan.concurrency,
    open_items: plan.openItems,
    storage_bytes: plan.storageBytes,
  };
}

function planRow(plan: Plan) {
  return {
    plan: plan.name,
    'documents a month': numberOrNone(plan.documents),
    retention: plan.retentionMs ? formatDuration(plan.retentionMs) : 'nothing is stored',
    'requests a minute': numberOrNone(plan.requestsPerMinute),
    concurrency: numberOrNone(plan.concurrency),
    'open items': numberOrNone(plan.openItems),
    storage: plan.storageBytes === null ? 'no limit' : `${plan.storageBytes / 1_048_576} MB`,
  };
}

function numberOrNone(limit: number | null): string {
  return limit === null ? 'no limit' : String(limit);
}
