/** A TCP proxy between the service and a server. It forwards bytes until it is paused or drops its connections. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class Between {
  readonly #server: Server;
  readonly #sockets = new Map<Socket, Socket>();
  #standsStill = false;
  #turns = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(target: string): Promise<Between> {
    const { hostname, port } = new URL(target);
    const between = new Between(createServer());
    between.#server.on('connection', (socket) => {
      const onward = connect(Number(port), hostname);
      between.#count(socket, onward);
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

  /** Round trips so far over all connections: how often the service sent something after the server had. */
  get roundTrips(): number {
    return this.#turns;
  }

  /** Pauses all connections: nothing is closed or refused, and no bytes are forwarded. */
  standStill(): void {
    this.#standsStill = true;
    for (const [from, to] of this.#sockets) from.unpipe(to).pause();
  }

  /** Pauses all connections, and resolves, once the forwarded bytes have contained this text so many times. */
  standStillAfter(times: number, text: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let left = times;
    this.#server.on('connection', (socket) => {
      socket.on('data', (bytes) => {
        left -= bytes.toString('latin1').split(text).length - 1;
        if (left > 0) return;
        left = Number.POSITIVE_INFINITY;
        this.standStill();
        resolve();
      });
    });
    return promise;
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

  #count(client: Socket, server: Socket): void {
    let isAnswered = true;
    for (const socket of [client, server]) socket.pause(); // removing the listener instead would lose the bytes that arrive during the pause
    client.on('data', () => {
      if (isAnswered) this.#turns++;
      isAnswered = false;
    });
    server.on('data', () => {
      isAnswered = true;
    });
  }

  #pass(from: Socket, to: Socket): void {
    this.#sockets.set(from, to);
    if (!this.#standsStill) from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => this.#sockets.delete(from));
  }
}
