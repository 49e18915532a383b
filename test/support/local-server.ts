/** What the HTTP servers of the tests share: a free port of this machine, and an end that waits for no connection. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export class LocalServer<S extends Server = Server> implements Disposable {
  protected readonly server: S;

  protected constructor(server: S) {
    this.server = server;
  }

  protected async listen(host = '127.0.0.1'): Promise<this> {
    await once(this.server.listen(0, host), 'listening');
    return this;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `http://${(this.server.address() as AddressInfo).address}:${this.port}`;
  }

  close(): void {
    this.server.close().closeAllConnections();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
