/** The requests of one worker until the kill. A request returns its reply, or nothing if the service was killed first. */
import { bytesOf, type Client } from '../support/client.ts';
import type { Account, Ledger, Reply } from './ledger.ts';
import type { Random } from './random.ts';

export interface Load {
  ledger: Ledger;
  killed: boolean;
  random: Random;
  worker: number;
}

/** Returns undefined if the service was killed before it answered. Throws after any other failure. */
export async function send(load: Load, account: Account, ...args: Parameters<Client['send']>): Promise<Reply | undefined> {
  return unlessKilled(load, async () => {
    const response = await account.client.send(...args);
    const bytes = await unlessKilled(load, () => bytesOf(response));
    return { status: response.status, headers: response.headers, bytes };
  });
}

/** The beginning of a reply, for the message of a failure. */
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
