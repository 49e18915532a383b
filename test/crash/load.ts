/** What one worker has under way until the kill: requests in, replies out, or nothing when the service died first. */
import { bytesOf, type Client } from '../support/client.ts';
import type { Account, Ledger, Reply } from './ledger.ts';
import type { Random } from './random.ts';

export interface Load {
  ledger: Ledger;
  killed: boolean;
  random: Random;
  worker: number;
}

/** Undefined when the service died before it answered. Any other failure is thrown. */
export async function send(load: Load, account: Account, ...args: Parameters<Client['send']>): Promise<Reply | undefined> {
  return unlessKilled(load, async () => {
    const response = await account.client.send(...args);
    const bytes = await unlessKilled(load, () => bytesOf(response));
    return { status: response.status, headers: response.headers, bytes };
  });
}

/** The beginning of a reply, to say what came instead of what should. */
export function textOf({ bytes }: Reply): string {
  return bytes?.toString('latin1', 0, 500) ?? '';
}

async function unlessKilled<T>(load: Load, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!load.killed) throw error;
    return undefined;
  }
}
