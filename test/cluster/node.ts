/** A node of a cluster that is killed and started again, on the same port and the same folder. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { end, type Service, startService } from '../support/service.ts';

export class Node {
  readonly port: number;
  readonly #settings: Record<string, string>;
  #firstKey: string | undefined;
  #service: Service | undefined;

  private constructor(port: number, settings: Record<string, string>, firstKey: string | undefined) {
    this.port = port;
    this.#settings = settings;
    this.#firstKey = firstKey;
  }

  /** `firstKey`: a key of the database, where there is one already. */
  static async start(settings: Record<string, string>, firstKey?: string): Promise<Node> {
    const port = await freePort();
    const PLATEN_DATA_DIR = await mkdtemp(join(tmpdir(), 'platen-node-'));
    const node = new Node(port, { ...settings, PLATEN_DATA_DIR, PLATEN_PORT: `${port}` }, firstKey);
    await node.start();
    return node;
  }

  get service(): Service {
    if (!this.#service) throw new Error('this node is down');
    return this.#service;
  }

  async start(): Promise<void> {
    const firstKey = this.#firstKey;
    this.#service = await startService(this.#settings, firstKey === undefined ? {} : { firstKey });
    this.#firstKey = this.#service.key; // it is printed once
  }

  /** Kills the node with SIGKILL. */
  async kill(): Promise<void> {
    const { child } = this.service;
    child.removeAllListeners('exit');
    await end(child, 'SIGKILL');
    await this.#service?.[Symbol.asyncDispose]();
    this.#service = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]();
    await rm(this.#settings.PLATEN_DATA_DIR ?? '', { recursive: true, force: true });
  }
}
