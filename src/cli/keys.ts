/** `platen keys` and `platen accounts`: work on the database directly, also while the service runs. */
import { type Account, Accounts, type ApiKey, type IssuedKey } from '../accounts/accounts.ts';
import { DEFAULT_PLAN } from '../accounts/plans.ts';
import { loadConfig } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { openDatabase } from '../storage/database.ts';

interface Format {
  json?: boolean;
}

export async function createKey(options: Format & { account?: string; plan?: string; name: string }): Promise<void> {
  if (options.account && options.plan)
    throw new ServiceError(
      'invalid_request',
      '--plan is for a new account; `platen accounts set-plan` changes the plan of an existing one',
    );
  await withAccounts(async (accounts) => {
    const accountId = options.account ?? (await accounts.createAccount(options.plan ?? DEFAULT_PLAN)).id;
    printIssued(await accounts.createKey(accountId, options.name), options);
  });
}

export async function listKeys(options: Format): Promise<void> {
  await withAccounts(async (accounts) => {
    const keys = await accounts.listKeys();
    if (options.json) printJson(keys.map(keyRecord));
    else printTable(keys.map((key) => ({ ...keyRecord(key), status: key.revokedAt === null ? 'active' : 'revoked' })));
  });
}

export async function rotateKey(keyId: string, options: Format): Promise<void> {
  await withAccounts(async (accounts) => printIssued(await accounts.rotateKey(keyId), options));
}

export async function revokeKey(keyId: string): Promise<void> {
  await withAccounts(async (accounts) => {
    await accounts.revokeKey(keyId);
    print(`revoked ${keyId}`);
  });
}

export async function createAccount(options: Format & { plan: string; name: string }): Promise<void> {
  await withAccounts(async (accounts) => {
    const account = await accounts.createAccount(options.plan, options.name);
    if (options.json) printJson(accountRecord(account));
    else print(`created ${account.id} on plan ${account.plan}`);
  });
}

export async function listAccounts(options: Format): Promise<void> {
  await withAccounts(async (accounts) => {
    const records = (await accounts.listAccounts()).map(accountRecord);
    if (options.json) printJson(records);
    else printTable(records);
  });
}

export async function setPlan(accountId: string, plan: string): Promise<void> {
  await withAccounts(async (accounts) => {
    await accounts.setPlan(accountId, plan);
    print(`${accountId} is on plan ${plan}`);
  });
}

async function withAccounts(work: (accounts: Accounts) => Promise<void>): Promise<void> {
  const database = await openDatabase(loadConfig());
  try {
    await work(new Accounts(database));
  } finally {
    await database.destroy();
  }
}

function printIssued({ secret, key }: IssuedKey, { json }: Format): void {
  if (json) printJson({ key: secret, key_id: key.id, account_id: key.accountId, plan: key.plan });
  else
    print(
      `${secret}\n\nThis is the only time the key is shown. Its id is ${key.id}, its account ${key.accountId} (plan ${key.plan}).`,
    );
}

function keyRecord(key: ApiKey) {
  return {
    key_id: key.id,
    account_id: key.accountId,
    plan: key.plan,
    name: key.name,
    hint: `${key.hint}...`,
    created_at: time(key.createdAt),
    revoked_at: key.revokedAt === null ? null : time(key.revokedAt),
  };
}

function accountRecord(account: Account) {
  return { account_id: account.id, plan: account.plan, name: account.name, created_at: time(account.createdAt) };
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function printJson(value: unknown): void {
  print(JSON.stringify(value));
}

/** Columns as wide as their widest cell. */
function printTable(rows: Array<Record<string, string | null>>): void {
  const [first] = rows;
  if (!first) {
    print('none');
    return;
  }
  const names = Object.keys(first);
  const lines = [names, ...rows.map((row) => names.map((name) => row[name] ?? '-'))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines)
    print(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}
