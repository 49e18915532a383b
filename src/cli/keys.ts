/** `platen keys` and `platen accounts`: manage keys and accounts in the database directly, also while the service runs. */
import { type Account, Accounts, type ApiKey, type IssuedKey } from '../accounts/accounts.ts';
import { loadPlans, type Plans } from '../accounts/plans.ts';
import type { Scope } from '../accounts/scopes.ts';
import { loadConfig } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { openDatabase } from '../storage/database.ts';
import { print, printJson, printTable } from './print.ts';

interface Format {
  json?: boolean;
}

export async function createKey(
  options: Format & { account?: string; plan?: string; name: string; scopes?: Scope[]; test?: boolean },
): Promise<void> {
  if (options.account && options.plan)
    throw new ServiceError(
      'invalid_request',
      '--plan cannot be combined with --account; `platen accounts set-plan` changes the plan of an existing account',
    );
  await withAccounts(async (accounts, plans) => {
    const accountId = options.account ?? (await accounts.createAccount(options.plan ?? plans.defaultName)).id;
    printIssued(
      await accounts.createKey(accountId, options.name, { scopes: options.scopes ?? null, isTest: options.test ?? false }),
      options,
    );
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
          status: key.revokedAt === null ? 'active' : 'revoked',
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
    revoked_at: key.revokedAt === null ? null : time(key.revokedAt),
  };
}

function accountRecord(account: Account) {
  return { account_id: account.id, plan: account.plan, name: account.name, created_at: time(account.createdAt) };
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
