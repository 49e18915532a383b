/** Sends raw bytes to the service, for requests that no HTTP library would send. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Returns everything that the service sends until it closes the connection. */
export async function converse(url: string, send: (write: (text: string | Buffer) => void) => void): Promise<string> {
  await using conversation = await Conversation.open(url);
  send((bytes) => conversation.socket.write(bytes));
  return await conversation.rest();
}

/** A connection to the service that stays open between requests. */
export class Conversation {
  readonly socket: Socket;
  #heard = '';
  #closed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('utf8').on('data', (text: string) => {
      this.#heard += text;
    });
    socket.on('error', () => {}); // `close` follows
    socket.on('close', () => {
      this.#closed = true;
    });
  }

  static async open(url: string): Promise<Conversation> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new Conversation(socket);
  }

  /** Returns everything received, after the service has closed the connection. */
  async rest(): Promise<string> {
    if (!this.#closed) await once(this.socket, 'close');
    return this.#heard;
  }

  /** Returns the next status line and headers, and removes them from the received text. */
  async head(): Promise<string> {
    while (!this.#heard.includes('\r\n\r\n')) {
      if (this.#closed) throw new Error(`closed after: ${this.#heard}`);
      await Promise.race([once(this.socket, 'data'), once(this.socket, 'close')]);
    }
    const end = this.#heard.indexOf('\r\n\r\n') + 4;
    const head = this.#heard.slice(0, end);
    this.#heard = this.#heard.slice(end);
    return head;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy();
    if (!this.#closed) await once(this.socket, 'close');
  }
}
