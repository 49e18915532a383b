/** Provides the worker's shared service and a key on a new account, for suites that change only data of their own keys. */
import { inject } from 'vitest';
import { issueKey } from './issue-key.ts';
import { connect, type SharedService } from './service.ts';

export async function sharedService(): Promise<SharedService> {
  const shared = inject('sharedServices') as string | undefined;
  if (!shared) throw new Error('the globalSetup of this configuration lacks test/support/shared-services.ts');
  const response = await fetch(`${shared}/${process.env.VITEST_POOL_ID}`);
  if (!response.ok) throw new Error(await response.text());
  const { url, settings } = (await response.json()) as { url: string; settings: Record<string, string> };
  const { key } = await issueKey(settings, 'growth');
  return connect(url, key, settings);
}
