/** Liquid engines for the tests of a file, closed after them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { ProcessLimits } from '../../src/queue/process-queue.ts';
import { LiquidEngine } from '../../src/templates/liquid/liquid.ts';
import { closeAfterAll } from './close-after-all.ts';

export const NO_LIMIT = 10_000_000;

/** A busy machine is slow. */
const GENEROUS = { timeoutMs: 60_000, waitMs: 60_000 };

let versions = 0;

/** The key of a template that nobody has filled before. */
export function newVersion(): string {
  return `tpl_test:${versions++}`;
}

/** Call it once in a file. */
export function setUpLiquid() {
  const engine = closeAfterAll(new LiquidEngine(GENEROUS));
  return {
    engine,
    /** An engine of the test's own. */
    engineWith(limits: Partial<ProcessLimits>): LiquidEngine {
      const created = new LiquidEngine(limits);
      onTestFinished(() => created.close());
      return created;
    },
    /** Fills a template that nobody has filled before. */
    fill(html: string, data: Record<string, unknown> = {}, limitBytes = NO_LIMIT, on = engine): Promise<string> {
      return on.fill('owner', { key: newVersion(), html }, data, limitBytes);
    },
  };
}

/** Runs a few lines with an `engine` in a process of their own, under the Node of this one. */
export async function runWithEngine(
  lines: string,
  env: Record<string, string> = {},
): Promise<{ output: string; errors: string; code: number }> {
  const module = new URL('../../src/templates/liquid/liquid.ts', import.meta.url).href;
  const script = `import { LiquidEngine } from '${module}'; const engine = new LiquidEngine(${JSON.stringify(GENEROUS)});\n${lines}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, ...env, NODE_OPTIONS: '' },
  });
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { output, errors, code };
}
