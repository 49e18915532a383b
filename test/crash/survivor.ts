/** Starts, kills and restarts the service on one data folder. */
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Service, spawnCli, startService } from '../support/service.ts';

export class Survivor {
  readonly dataDir: string;
  readonly databaseFile: string;
  readonly #temporary: string;
  /** The output of the first start, which printed the first key. */
  #first: { key: string; env: Record<string, string>; startMs: number } | undefined;

  private constructor(dataDir: string, temporary: string) {
    this.dataDir = dataDir;
    this.databaseFile = join(dataDir, 'platen.db');
    this.#temporary = temporary;
  }

  static async make(): Promise<Survivor> {
    return new Survivor(await mkdtemp(join(tmpdir(), 'platen-crash-')), await mkdtemp(join(tmpdir(), 'platen-crash-tmp-')));
  }

  async start(): Promise<Service> {
    const settings = {
      PLATEN_DATA_DIR: this.dataDir,
      TMPDIR: this.#temporary,
      PLATEN_SWEEP_SECONDS: '1',
      PLATEN_LOG_LEVEL: 'warn',
    };
    const startedAt = performance.now();
    const service = await startService(settings, this.#first && { firstKey: this.#first.key });
    this.#first ??= { key: service.key, env: service.env, startMs: performance.now() - startedAt };
    return service;
  }

  /** Kills it after this fraction of the usual start time; 1 is about when it starts to listen. */
  async killWhileItStarts(part: number): Promise<void> {
    const { env = {}, startMs = 0 } = this.#first ?? {};
    const child = spawnCli(['serve'], env);
    child.stdout?.resume();
    child.stderr?.resume();
    const timer = setTimeout(() => child.kill('SIGKILL'), part * startMs); // the moment of the kill varies
    await once(child, 'exit');
    clearTimeout(timer);
    expect(child.signalCode).toBe('SIGKILL');
  }

  /** Copies the database as the kill left it, because opening it would repair it. */
  async withCopy(look: (databaseFile: string) => void): Promise<void> {
    const copy = join(this.#temporary, 'copy.db');
    await copyFile(this.databaseFile, copy);
    await copyFile(`${this.databaseFile}-wal`, `${copy}-wal`).catch(() => {}); // there is none if the start was interrupted
    look(copy);
    for (const suffix of ['', '-wal', '-shm']) await rm(copy + suffix, { force: true });
  }

  async remove(): Promise<void> {
    await rm(this.dataDir, { recursive: true, force: true });
    await rm(this.#temporary, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Warnings and errors in the log, except those about the machine. */
export function complaints(service: Service): string {
  const lines = service.output().split('\n');
  return lines.filter((line) => /"level":[456]0/.test(line) && !/without its sandbox|full browser/.test(line)).join('\n');
}
