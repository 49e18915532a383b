/**
 * Checks the data of templates by the JSON Schema of their owners. Schemas and data are work of others, and a check may take any time,
 * so it runs in child processes. See docs/decisions/0115-templates-in-production.md.
 */
import { type FieldError, invalidRequest, ServiceError } from '../errors.ts';
import { type ProcessLimits, ProcessQueue } from '../queue/process-queue.ts';
import type { Fault, SchemaAnswer, SchemaTask } from './schema-messages.ts';

/** Of the schema as JSON. */
export const MAX_SCHEMA_BYTES = 65_536;

const LIMITS: Readonly<ProcessLimits> = {
  processes: 2,
  maxWaiting: 64,
  waitMs: 10_000,
  timeoutMs: 15_000,
  idleMs: 30_000,
  heapMb: 256,
};

const TOO_LONG = 'the check takes too long';

export class Schemas extends ProcessQueue {
  /** Starts no process yet. */
  constructor(limits: Partial<ProcessLimits> = {}) {
    const work = {
      module: new URL('./schema-worker.ts', import.meta.url),
      libraries: ['ajv', 're2js', 'typebox'],
      busy: 'too much data is being checked',
      outOfTime: (cause: unknown) => uncheckable(TOO_LONG, cause),
      outOfMemory: (cause: unknown) => uncheckable('the check takes too much memory', cause),
    };
    super(work, { ...LIMITS, ...limits });
  }

  /** Returns what is wrong with the samples. Throws `invalid_request` for a schema that is not valid. Queued under `owner`. */
  async compile(owner: string, schema: string, samples: ReadonlyMap<string, string | null>): Promise<FieldError[]> {
    const given = [...samples].filter((entry): entry is [string, string] => entry[1] !== null);
    const answer = await this.#run(owner, { kind: 'compile', schema, samples: given });
    const faults = 'failure' in answer ? [{ pointer: '', message: answer.failure }] : answer.faults;
    if (faults.length) throw invalidRequest(faults.map((fault) => toFieldError('schema', fault)));
    const broken = ('samples' in answer && answer.samples) || [];
    return broken.flatMap(({ name, faults }) => faults.map((fault) => toFieldError(`samples.${name}`, fault)));
  }

  /** `key` identifies a version of a template. Throws `data_invalid`, `template_error`, `queue_full` or the reason of `signal`. */
  async check(owner: string, key: string, schema: string, data: string, signal?: AbortSignal): Promise<void> {
    const answer = await this.#run(owner, { kind: 'check', key, schema, data }, signal);
    if ('failure' in answer) throw uncheckable(answer.failure);
    const errors = answer.faults.map((fault) => ({ ...toFieldError('data', fault), pointer: fault.pointer }));
    const [first] = errors;
    if (!first) return;
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    throw new ServiceError('data_invalid', `${first.path} ${first.message}${more}`, { members: { errors } });
  }

  async #run(owner: string, task: SchemaTask, signal?: AbortSignal): Promise<SchemaAnswer> {
    return (await this.run(owner, task, signal)) as SchemaAnswer;
  }
}

const MAX_PATH = 256;

/** The place as other errors write it: `data.items[0].price`. */
function toFieldError(root: string, { pointer, message }: Fault): FieldError {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const path = steps.reduce((at, step) => (/^\d+$/.test(step) ? `${at}[${step}]` : `${at}.${step}`), root);
  return { path: path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path, message };
}

function uncheckable(what: string, cause?: unknown): ServiceError {
  return new ServiceError('template_error', `${what}: simplify the schema of the template`, { cause });
}
