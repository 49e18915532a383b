/** `platen keys` and `platen accounts`: manage keys and accounts in the database directly, also while the service runs. */
import { type Account, Accounts, type ApiKey, type IssuedKey } from '../accounts/accounts.ts';
import { loadPlans, type Plans } from '../accounts/plans.ts';
import type { Scope } from '../accounts/scopes.ts';
import { loadConfig } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { openDatabase } from '../storage/database.ts';
import { print, printJson, printTable } from './terminal/print.ts';

interface Format {
  json?: boolean;
}

export async function createKey(
  options: Format & { account?: string; plan?: string; name: string; scopes?: Scope[]; test?: boolean; expiresIn?: number },
): Promise<void> {
  if (options.account && options.plan)
    throw new ServiceError(
      'invalid_request',
      '--plan cannot be combined with --account; `platen accounts set-plan` changes the plan of an existing account',
    );
  await withAccounts(async (accounts, plans) => {
    const accountId = options.account ?? (await accounts.createAccount(options.plan ?? plans.defaultName)).id;
    const { scopes = null, test: isTest = false, expiresIn: expiresInMs } = options;
    printIssued(await accounts.createKey(accountId, options.name, { scopes, isTest, expiresInMs }), options);
  });
}

export async function listKeys(options: Format): Promise<void> {
  await withAccounts(async (accounts) => {
    const keys = await accounts.listKeys();
    if (options.json) printJson(keys.map(keyRecord));
    else
      printTable(
        keys.map((key) => ({
          ...keyRecord(key),
          test: key.isTest ? 'yes' : 'no',
          status: statusOf(key),
        })),
      );
  });
}

export async function rotateKey(keyId: string, options: Format & { grace: number }): Promise<void> {
  await withAccounts(async (accounts) => printIssued(await accounts.rotateKey(keyId, options.grace), options));
}

export async function revokeKey(keyId: string): Promise<void> {
  await withAccounts(async (accounts) => {
    await accounts.keys.revoke(undefined, keyId);
    print(`revoked ${keyId}`);
  });
}

export async function createAccount(options: Format & { plan?: string; name: string }): Promise<void> {
  await withAccounts(async (accounts, plans) => {
    const account = await accounts.createAccount(options.plan ?? plans.defaultName, options.name);
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

export async function renameAccount(accountId: string, name: string): Promise<void> {
  await withAccounts(async (accounts) => {
    await accounts.rename(accountId, name);
    print(`renamed ${accountId}`);
  });
}

export async function suspendAccount(accountId: string): Promise<void> {
  await withAccounts(async (accounts) => {
    await accounts.suspend(accountId);
    print(`suspended ${accountId}; \`platen accounts resume\` ends it`);
  });
}

export async function resumeAccount(accountId: string): Promise<void> {
  await withAccounts(async (accounts) => {
    await accounts.resume(accountId);
    print(`resumed ${accountId}`);
  });
}

export async function deleteAccount(accountId: string): Promise<void> {
  await withAccounts(async (accounts) => {
    await accounts.delete(accountId);
    print(`deleted ${accountId}: its keys are revoked, and the next sweep of the service removes what they stored`);
  });
}

async function withAccounts(work: (accounts: Accounts, plans: Plans) => Promise<void>): Promise<void> {
  const config = loadConfig();
  const plans = loadPlans(config);
  const database = await openDatabase(config);
  try {
    await work(new Accounts(database, plans), plans);
  } finally {
    await database.close();
  }
}

function printIssued({ secret, key }: IssuedKey, { json }: Format): void {
  if (json) printJson({ key: secret, key_id: key.id, account_id: key.accountId, plan: key.plan, test: key.isTest });
  else
    print(
      `${secret}\n\nThe key is shown only once. Its id is ${key.id}, and its account is ${key.accountId} (plan ${key.plan}).`,
    );
}

function keyRecord(key: ApiKey) {
  return {
    key_id: key.id,
    account_id: key.accountId,
    plan: key.plan,
    name: key.name,
    hint: `${key.hint}...`,
    test: key.isTest,
    scopes: key.scopes?.join(',') ?? 'all',
    made_by: key.madeBy,
    created_at: time(key.createdAt),
    expires_at: timeOrNull(key.expiresAt),
    last_used_at: timeOrNull(key.lastUsedAt),
    revoked_at: timeOrNull(key.revokedAt),
  };
}

function statusOf({ revokedAt, expiresAt }: ApiKey): string {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= Date.now() ? 'expired' : 'active';
}

function accountRecord(account: Account) {
  const { id, plan, name, createdAt, suspendedAt, deletedAt } = account;
  const status = deletedAt !== null ? 'deleted' : suspendedAt !== null ? 'suspended' : 'active';
  return { account_id: id, plan, name, status, created_at: time(createdAt) };
}

function timeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : time(milliseconds);
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
