/** Reads the plans of accounts: the operator's file in; checked plans, or all problems with the file at once, out. */
import { readFileSync } from 'node:fs';
import { ServiceError } from '../errors.ts';
import { parseDuration } from './duration.ts';

export interface Plan {
  name: string;
  /** Documents per calendar month (UTC), or null for no limit. */
  documents: number | null;
  /** How long stored documents are kept. With 0, nothing is stored. */
  retentionMs: number;
  /** Renders and template uploads per minute, or null for no limit. */
  requestsPerMinute: number | null;
  /** Renders at the same time, including those that wait, or null for no limit. */
  concurrency: number | null;
  /** Unfinished items of batches and asynchronous renders, or null for no limit. */
  openItems: number | null;
  /** Bytes of stored documents, or null for no limit. */
  storageBytes: number | null;
}

/** The default plan of new accounts if the file defines it. Otherwise the first plan is the default. */
const USUAL_DEFAULT = 'free';
/** The plan of the first account, which belongs to the operator, if the file defines it. */
const OPERATORS = 'operator';
const DEFAULT_FILE = new URL('default-plans.json', import.meta.url);
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/i;
const MEMBERS = ['documents', 'retention', 'requests_per_minute', 'concurrency', 'open_items', 'storage_mb'];
const MEGABYTE = 1_048_576;

/** The plans file is not valid. The message lists every problem on its own line. */
export class PlansError extends Error {
  override name = 'PlansError';
}

export class Plans {
  readonly #plans: ReadonlyMap<string, Plan>;

  constructor(plans: Plan[]) {
    this.#plans = new Map(plans.map((plan) => [plan.name, plan]));
  }

  get names(): string[] {
    return [...this.#plans.keys()];
  }

  get all(): Plan[] {
    return [...this.#plans.values()];
  }

  /** The name of the default plan of new accounts. */
  get defaultName(): string {
    return this.#plans.has(USUAL_DEFAULT) ? USUAL_DEFAULT : (this.names[0] as string);
  }

  /** The name of the plan for the operator's own use. */
  get operatorName(): string {
    return this.#plans.has(OPERATORS) ? OPERATORS : this.defaultName;
  }

  get(name: string): Plan | undefined {
    return this.#plans.get(name);
  }

  /** Throws `invalid_request`. */
  require(name: string): Plan {
    const plan = this.get(name);
    if (plan) return plan;
    throw new ServiceError('invalid_request', `there is no plan ${JSON.stringify(name)}; plans are ${this.names.join(', ')}`);
  }
}

/** Reads the operator's file, or returns the built-in plans if `path` is empty. Throws `PlansError`. */
export function loadPlans({ plansFile }: { plansFile: string }): Plans {
  const problems: string[] = [];
  const plans = parsePlans(readPlans(plansFile, problems), problems);
  if (problems.length)
    throw new PlansError(
      `The plans file ${plansFile} (PLATEN_PLANS_FILE) is not valid:\n${problems.map((p) => `  ${p}`).join('\n')}`,
    );
  return new Plans(plans);
}

export function explainUndefined(undefinedPlans: string[], { names }: Plans, { plansFile }: { plansFile: string }): string {
  const where = plansFile ? `the plans file ${plansFile} does not define` : 'are not built in, and PLATEN_PLANS_FILE is not set';
  const remedy = plansFile ? 'Add these plans to the file' : 'Set PLATEN_PLANS_FILE to the file that defines them';
  return `Accounts are on plans that ${where}: ${undefinedPlans.join(', ')}. ${remedy}, or move the accounts to one of ${names.join(', ')} with \`platen accounts set-plan\`.`;
}

function readPlans(path: string, problems: string[]): unknown {
  try {
    return JSON.parse(readFileSync(path || DEFAULT_FILE, 'utf8'));
  } catch (error) {
    problems.push(
      error instanceof SyntaxError ? `it is not JSON: ${error.message}` : `it cannot be read: ${describeReason(error)}`,
    );
    return undefined;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
};

function describeReason(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return REASONS[code] ?? message;
}

function parsePlans(file: unknown, problems: string[]): Plan[] {
  if (problems.length) return [];
  const plans = isObject(file) ? file.plans : undefined;
  if (!isObject(file) || !isObject(plans) || !Object.keys(plans).length) {
    problems.push('it must be an object {"plans": {"NAME": {...}}} with at least one plan.');
    return [];
  }
  for (const name of Object.keys(file)) if (name !== 'plans') problems.push(`${name}: there is no such member; use plans.`);
  return Object.entries(plans).map(([name, plan]) => parsePlan(name, plan, problems));
}

function parsePlan(name: string, given: unknown, problems: string[]): Plan {
  const path = `plans.${name}`;
  const members = isObject(given) ? given : {};
  if (!isObject(given)) problems.push(`${path}: must be an object with ${MEMBERS.join(', ')}.`);
  if (!NAME.test(name)) problems.push(`${path}: a name consists of letters, digits, - and _, and has at most 64 characters.`);
  for (const member of Object.keys(members))
    if (!MEMBERS.includes(member)) problems.push(`${path}.${member}: there is no such member; use ${MEMBERS.join(', ')}.`);
  const storageMb = limit(members.storage_mb, 1, { path: `${path}.storage_mb` }, problems);
  return {
    name,
    documents: limit(members.documents, 0, { path: `${path}.documents`, required: isObject(given) }, problems),
    retentionMs: retention(members.retention, `${path}.retention`, isObject(given), problems),
    requestsPerMinute: limit(members.requests_per_minute, 1, { path: `${path}.requests_per_minute` }, problems),
    concurrency: limit(members.concurrency, 1, { path: `${path}.concurrency` }, problems),
    openItems: limit(members.open_items, 1, { path: `${path}.open_items` }, problems),
    storageBytes: storageMb === null ? null : storageMb * MEGABYTE,
  };
}

function limit(given: unknown, min: number, field: { path: string; required?: boolean }, problems: string[]): number | null {
  if (given === null || (given === undefined && !field.required)) return null;
  if (Number.isSafeInteger(given) && (given as number) >= min) return given as number;
  const problem = given === undefined ? 'is missing' : `is ${JSON.stringify(given)}`;
  problems.push(`${field.path}: ${problem}; use a whole number, at least ${min}, or null for no limit.`);
  return null;
}

function retention(given: unknown, path: string, required: boolean, problems: string[]): number {
  const milliseconds = given === 0 ? 0 : typeof given === 'string' ? parseDuration(given) : undefined;
  if (milliseconds !== undefined) return milliseconds;
  const problem = given === undefined ? 'is missing' : `is ${JSON.stringify(given)}`;
  if (required) problems.push(`${path}: ${problem}; use a duration such as 30m, 12h, 1d, 2w or 1y, or 0 to store nothing.`);
  return 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
