/** `platen keys` and `platen accounts`: manage keys and accounts in the database directly, also while the service runs. */
import { type Account, Accounts, accountState } from '../accounts/accounts.ts';
import type { ApiKey, IssuedKey } from '../accounts/keys.ts';
import { loadPlans, type Plans } from '../accounts/plans.ts';
import type { Scope } from '../accounts/scopes.ts';
import { loadConfig } from '../config.ts';
import { CommandError, ServiceError } from '../errors.ts';
import { type Database, openDatabase } from '../storage/database.ts';
import { readCount } from '../storage/totals.ts';
import { print, printJson, printTable } from './terminal/print.ts';

interface Format {
  json?: boolean;
}

export async function createKey(
  options: Format & {
    account?: string;
    plan?: string;
    name: string;
    scopes?: Scope[];
    test?: boolean;
    administrator?: boolean;
    expiresIn?: number;
  },
): Promise<void> {
  if (options.account && options.plan)
    throw new ServiceError(
      'invalid_request',
      '--plan cannot be combined with --account; `platen accounts set-plan` changes the plan of an existing account',
    );
  const { scopes = null, test: isTest = false, administrator: isAdministrator = false, expiresIn: expiresInMs } = options;
  if (isAdministrator && isTest) throw new CommandError('--administrator cannot be combined with --test');
  await withAccounts(async (accounts, plans) => {
    const accountId = options.account ?? (await accounts.createAccount(options.plan ?? plans.defaultName)).id;
    const draft = { scopes, isTest, isAdministrator, expiresInMs };
    await printIssued(accounts, await accounts.createKey(accountId, options.name, draft), options);
  });
}

export async function listKeys(options: Format): Promise<void> {
  await withAccounts(async (accounts) => {
    const plans = new Map((await accounts.listAccounts()).map(({ id, plan }) => [id, plan]));
    const keys = await accounts.keys.all();
    const record = (key: ApiKey) => keyRecord(key, plans.get(key.accountId) ?? '');
    if (options.json) printJson(keys.map(record));
    else
      printTable(
        keys.map((key) => ({
          ...record(key),
          test: yesOrNo(key.isTest),
          administrator: yesOrNo(key.isAdministrator),
          status: keyStatus(key),
        })),
      );
  });
}

export async function rotateKey(keyId: string, options: Format & { grace: number }): Promise<void> {
  await withAccounts(async (accounts) => {
    await printIssued(accounts, await accounts.keys.rotate(undefined, keyId, options.grace), options);
  });
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
    await accounts.update(accountId, { plan });
    print(`${accountId} is on plan ${plan}`);
  });
}

export async function renameAccount(accountId: string, name: string): Promise<void> {
  await withAccounts(async (accounts) => {
    await accounts.update(accountId, { name });
    print(`renamed ${accountId}`);
  });
}

export async function suspendAccount(accountId: string): Promise<void> {
  await withAccounts(async (accounts) => {
    await accounts.update(accountId, { isSuspended: true });
    print(`suspended ${accountId}; \`platen accounts resume\` ends it`);
  });
}

export async function resumeAccount(accountId: string): Promise<void> {
  await withAccounts(async (accounts) => {
    await accounts.update(accountId, { isSuspended: false });
    print(`resumed ${accountId}`);
  });
}

/** At a terminal, it deletes only with `--yes`, because nothing brings the account back. */
export async function deleteAccount(accountId: string, { yes }: { yes?: boolean }): Promise<void> {
  await withAccounts(async (accounts, _plans, database) => {
    const { deletedAt } = await accounts.account(accountId);
    const content = await describeContent(accountId, database);
    if (deletedAt === null && process.stdin.isTTY && !yes)
      throw new CommandError(`this permanently deletes ${accountId} with ${content}; run it again with --yes`);
    await accounts.delete(accountId);
    print(`${accountId} had ${content}`);
    print(`deleted ${accountId}: its keys are revoked, and the next sweep of the service removes what they stored`);
  });
}

async function describeContent(accountId: string, { query }: Database): Promise<string> {
  const keys = query.selectFrom('api_keys').select('id').where('account_id', '=', accountId);
  const [keyCount, documents, templates] = await Promise.all([
    readCount(query.selectFrom('api_keys').where('account_id', '=', accountId).where('revoked_at', 'is', null)),
    readCount(query.selectFrom('documents').where('account_id', '=', accountId).where('has_content', '=', 1)),
    readCount(query.selectFrom('templates').where('key_id', 'in', keys)),
  ]);
  return `${keyCount} API keys that work, ${documents} stored documents and ${templates} templates`;
}

async function withAccounts(work: (accounts: Accounts, plans: Plans, database: Database) => Promise<void>): Promise<void> {
  const { services } = loadConfig();
  const plans = loadPlans(services.plans);
  await using database = await openDatabase(services.storage);
  await work(new Accounts(database, plans), plans, database);
}

async function printIssued(accounts: Accounts, { secret, key }: IssuedKey, { json }: Format): Promise<void> {
  const { id, accountId, isTest } = key;
  const { plan } = await accounts.account(accountId);
  const [expires_at, previous_secret_expires_at] = [timeOrNull(key.expiresAt), timeOrNull(key.previousValidUntil)];
  if (json) {
    printJson({ key: secret, key_id: id, account_id: accountId, plan, test: isTest, expires_at, previous_secret_expires_at });
    return;
  }
  print(`${secret}\n\nThe key is shown only once. Its id is ${id}, and its account is ${accountId} (plan ${plan}).`);
  if (expires_at !== null) print(`It expires at ${expires_at}.`);
  if (previous_secret_expires_at !== null) print(`The earlier secret works until ${previous_secret_expires_at}.`);
}

function keyRecord(key: ApiKey, plan: string) {
  return {
    key_id: key.id,
    account_id: key.accountId,
    plan,
    name: key.name,
    hint: `${key.hint}...`,
    test: key.isTest,
    administrator: key.isAdministrator,
    scopes: key.scopes?.join(',') ?? 'all',
    made_by: key.madeBy,
    created_at: time(key.createdAt),
    expires_at: timeOrNull(key.expiresAt),
    last_used_at: timeOrNull(key.lastUsedAt),
    revoked_at: timeOrNull(key.revokedAt),
  };
}

function keyStatus({ revokedAt, expiresAt }: ApiKey): string {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= Date.now() ? 'expired' : 'active';
}

function accountRecord(account: Account) {
  const { id, plan, name, createdAt } = account;
  return { account_id: id, plan, name, status: accountState(account), created_at: time(createdAt) };
}

function yesOrNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

function timeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : time(milliseconds);
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
