/** Generates the files of both clients. The result does not depend on the machine. */
import { readFile } from 'node:fs/promises';
import { pascalCase } from '../../src/http/server/openapi.ts';
import { PROBLEMS } from '../../src/http/server/problem.ts';
import { type OpenApi, publishedOpenApi } from '../docs/openapi.ts';
import { pythonTypes } from './python.ts';
import type { Schemas } from './schema.ts';
import { synchronous } from './synchronous.ts';
import { typescriptTypes } from './typescript.ts';

export const CLIENTS = new URL('../../clients/', import.meta.url).pathname;
const PYTHON = 'python/src/platen';

/** Returns the files by their path in `clients`. */
export async function clientFiles(): Promise<Map<string, string>> {
  const { components, webhooks } = await publishedOpenApi();
  const events = eventsOf(webhooks);
  const names = [{ ...components.schemas, ...events }, Object.keys(PROBLEMS), Object.keys(events)] as const;
  const fromAsync = async (part: string): Promise<[string, string]> => {
    const source = await readFile(`${CLIENTS}${PYTHON}/_async_${part}.py`, 'utf8');
    return [`${PYTHON}/_sync_${part}.py`, synchronous(source)];
  };
  return new Map([
    ['typescript/src/api.ts', typescriptTypes(...names)],
    [`${PYTHON}/types.py`, pythonTypes(...names)],
    await fromAsync('transport'),
    await fromAsync('client'),
  ]);
}

/** Names the payloads of webhooks, such as `BatchCompletedEvent` for `batch.completed`. */
function eventsOf(webhooks: OpenApi['webhooks']): Schemas {
  const named = Object.entries(webhooks).map(([event, methods]) => [
    `${pascalCase(event)}Event`,
    methods.post?.requestBody?.content?.['application/json']?.schema,
  ]);
  return Object.fromEntries(named);
}
