/** A connection between the service and a server: passes bytes on, until it is told to stand still or to drop its connections. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class Between {
  readonly #server: Server;
  readonly #sockets = new Map<Socket, Socket>();
  #standsStill = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(target: string): Promise<Between> {
    const { hostname, port } = new URL(target);
    const between = new Between(createServer());
    between.#server.on('connection', (socket) => {
      const onward = connect(Number(port), hostname);
      between.#pass(socket, onward);
      between.#pass(onward, socket);
    });
    between.#server.listen(0, '127.0.0.1');
    await once(between.#server, 'listening');
    return between;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Nothing is closed or refused, and nothing comes through. */
  standStill(): void {
    this.#standsStill = true;
    for (const [from, to] of this.#sockets) from.unpipe(to).pause();
  }

  goOn(): void {
    this.#standsStill = false;
    for (const [from, to] of this.#sockets) from.pipe(to);
  }

  dropAll(): void {
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.dropAll();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #pass(from: Socket, to: Socket): void {
    this.#sockets.set(from, to);
    if (!this.#standsStill) from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => this.#sockets.delete(from));
  }
}
