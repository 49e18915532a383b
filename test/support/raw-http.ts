/** Sends raw bytes to the service, for requests that no HTTP library would send. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Returns everything that the service sends until it closes the connection. */
export async function exchange(url: string, send: (write: (text: string | Buffer) => void) => void): Promise<string> {
  await using conversation = await RawConnection.open(url);
  send((bytes) => conversation.socket.write(bytes));
  return await conversation.rest();
}

/** A connection to the service that stays open between requests. */
export class RawConnection {
  readonly socket: Socket;
  #received = '';
  #closed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('utf8').on('data', (text: string) => {
      this.#received += text;
    });
    socket.on('error', () => {}); // `close` follows
    socket.on('close', () => {
      this.#closed = true;
    });
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  /** Returns everything received, after the service has closed the connection. */
  async rest(): Promise<string> {
    if (!this.#closed) await once(this.socket, 'close');
    return this.#received;
  }

  /** Returns the next status line and headers, and removes them from the received text. */
  async head(): Promise<string> {
    while (!this.#received.includes('\r\n\r\n')) {
      if (this.#closed) throw new Error(`closed after: ${this.#received}`);
      await Promise.race([once(this.socket, 'data'), once(this.socket, 'close')]);
    }
    const end = this.#received.indexOf('\r\n\r\n') + 4;
    const head = this.#received.slice(0, end);
    this.#received = this.#received.slice(end);
    return head;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy();
    if (!this.#closed) await once(this.socket, 'close');
  }
}
