/**
 * The DevTools connection: commands in, results and events out, over the two pipes of
 * `--remote-debugging-pipe`. Messages are JSON, and a NUL byte ends each.
 *
 * When the pipe closes, every pending and later command rejects with `DevToolsClosedError`, so that nothing waits
 * for a browser that has ended.
 */
import type { Readable, Writable } from 'node:stream';
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js';

export type Commands = ProtocolMapping.Commands;
export type Events = ProtocolMapping.Events;
export type Params<M extends keyof Commands> = Commands[M]['paramsType'];
export type Result<M extends keyof Commands> = Commands[M]['returnType'];
export type EventListener<E extends keyof Events> = (...payload: Events[E]) => unknown;

/** The reason of a `DevToolsError` if the answer is too large to be read. */
export const TOO_LARGE = 'the answer is too large';

/** The browser answered a command with an error. */
export class DevToolsError extends Error {
  override name = 'DevToolsError';
  readonly method: string;
  readonly reason: string;
  constructor(method: string, reason: string) {
    super(`${method}: ${reason}`);
    this.method = method;
    this.reason = reason;
  }
}

/** The browser or the target of the command does not exist any more. */
class DevToolsClosedError extends Error {
  override name = 'DevToolsClosedError';
}

interface Pending {
  method: string;
  session: Session;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface Message {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { message: string };
}

/** A session with the browser itself or with an attached target. */
export class Session {
  readonly id: string | undefined;
  readonly #connection: Connection;
  /** The session of the page that a worker belongs to. */
  readonly #parent: Session | undefined;
  readonly #listeners = new Map<string, Set<(payload: unknown) => void>>();
  readonly #waiting = new Set<(reason: Error) => void>();
  #closed: Error | undefined;
  /** Is called once, when the target or the browser has ended. */
  onClose: ((reason: Error) => void) | undefined;
  /** Is called with the size of each event of this session and its child sessions, even if it is too large to be read. */
  onEventBytes: ((bytes: number) => void) | undefined;

  constructor(connection: Connection, id?: string, parent?: Session) {
    this.#connection = connection;
    this.id = id;
    this.#parent = parent;
  }

  /** Sends a command. Rejects with `DevToolsError` if it fails, and `DevToolsClosedError` if the target or the browser has ended. */
  send<M extends keyof Commands>(method: M, ...params: Params<M>): Promise<Result<M>> {
    if (this.#closed) return Promise.reject(this.#closed);
    return this.#connection.send(this, method, params[0]);
  }

  /** Listens to an event. The returned function stops listening. */
  on<E extends keyof Events>(event: E, listener: EventListener<E>): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners);
    const added = listener as (payload: unknown) => void;
    listeners.add(added);
    return () => listeners.delete(added);
  }

  /** Waits for the next event that `accepts` returns true for. Rejects when the session closes. */
  next<E extends keyof Events>(event: E, accepts: EventListener<E> = () => true): Promise<Events[E][0]> {
    const { promise, resolve, reject } = Promise.withResolvers<Events[E][0]>();
    promise.catch(() => {}); // the caller may have given up waiting
    if (this.#closed) reject(this.#closed);
    const stop = this.on(event, (...payload) => {
      if (!accepts(...payload)) return;
      stop();
      this.#waiting.delete(reject);
      resolve(payload[0]);
    });
    this.#waiting.add(reject);
    return promise;
  }

  /** The connection calls this to deliver an event. If a listener throws, only this session is closed. */
  dispatch(event: string, payload: unknown): void {
    try {
      for (const listener of this.#listeners.get(event) ?? []) listener(payload);
    } catch (error) {
      this.close(new DevToolsClosedError(`the event ${event} could not be handled`, { cause: error }));
    }
  }

  /** The connection calls this with the size of an event. */
  count(bytes: number): void {
    this.onEventBytes?.(bytes);
    this.#parent?.count(bytes);
  }

  /** Rejects pending and later commands of this session. */
  close(reason: Error): void {
    if (this.#closed) return;
    this.#closed = reason;
    this.#connection.forget(this, reason);
    this.#listeners.clear();
    for (const reject of this.#waiting) reject(reason);
    this.#waiting.clear();
    this.onClose?.(reason);
  }
}

/** A chunk of a PDF has a megabyte, and a third more in base64. Apart from images, no other answer is as large. */
const MAX_MESSAGE_BYTES = 8_388_608;
/** An image comes in a single answer. */
export const MAX_SCREENSHOT_ANSWER_BYTES = 33_554_432;
/** The id of an answer is within these bytes. */
const HEAD_BYTES = 64;
/** The session of an event is within these bytes at its end. */
const TAIL_BYTES = 64;

export class Connection {
  /** The browser's own session. */
  readonly browser: Session;
  /** The time of the last message from the browser, on the clock of `performance`. */
  heardAt = performance.now();
  readonly #input: Writable;
  readonly #pending = new Map<number, Pending>();
  readonly #sessions = new Map<string, Session>();
  readonly #outbox: string[] = [];
  #blocked = false;
  #lastId = 0;
  #parts: Buffer[] = [];
  /** Bytes of the message that is being read. */
  #length = 0;
  #closed: DevToolsClosedError | undefined;
  #onClose: (() => void) | undefined;

  /** `input` is the pipe the browser reads from, `output` the one it writes to. */
  constructor(input: Writable, output: Readable) {
    this.#input = input;
    this.browser = new Session(this);
    const close = () => this.close();
    this.browser.onClose = close;
    input.on('error', close).on('close', close);
    output.on('error', close).on('close', close).on('end', close);
    output.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  /** Is called once, when the connection has ended for any reason. */
  set onClose(listener: () => void) {
    if (this.#closed) listener();
    else this.#onClose = listener;
  }

  /** Opens the session of a target that was attached with `flatten: true`. Its events also count for `parent`. */
  openSession(sessionId: string, parent?: Session): Session {
    const session = new Session(this, sessionId, parent);
    this.#sessions.set(sessionId, session);
    return session;
  }

  /** Sessions call this, see `Session.send`. */
  send<M extends keyof Commands>(session: Session, method: M, params: unknown): Promise<Result<M>> {
    if (this.#closed) return Promise.reject(this.#closed);
    const id = ++this.#lastId;
    return new Promise<Result<M>>((resolve, reject) => {
      this.#pending.set(id, { method, session, resolve: resolve as (result: unknown) => void, reject });
      this.#write(JSON.stringify({ id, method, params, sessionId: session.id }));
    });
  }

  /** Sessions call this when they close. It rejects their pending commands. */
  forget(session: Session, reason: Error): void {
    if (session.id) this.#sessions.delete(session.id);
    for (const [id, pending] of this.#pending) {
      if (pending.session !== session) continue;
      this.#pending.delete(id);
      pending.reject(reason);
    }
  }

  /** Ends the connection. All pending commands of all sessions reject. */
  close(): void {
    if (this.#closed) return;
    this.#closed = new DevToolsClosedError('the connection to the browser is closed');
    this.#outbox.length = 0;
    this.#parts = [];
    this.#input.destroy();
    this.#onClose?.(); // this comes first, so that the handlers of the failures below find the browser closed
    for (const session of [...this.#sessions.values(), this.browser]) session.close(this.#closed);
  }

  /** Collects the messages of this turn of the event loop into one write, because each write wakes the browser. */
  #write(message: string): void {
    this.#outbox.push(message);
    if (this.#outbox.length === 1 && !this.#blocked) process.nextTick(() => this.#flush());
  }

  /** While the pipe is full, messages wait here instead of in the buffer of the stream. */
  #flush(): void {
    if (!this.#outbox.length || this.#blocked) return;
    const messages = this.#outbox.splice(0);
    this.#blocked = !this.#input.write(`${messages.join('\0')}\0`);
    if (!this.#blocked) return;
    this.#input.once('drain', () => {
      this.#blocked = false;
      this.#flush();
    });
  }

  /**
   * Collects the chunks of a message and concatenates them once, so that a large message takes linear time. Ignores what the browser
   * still sends after the connection has ended, such as the rest of a message.
   */
  #read(chunk: Buffer): void {
    this.heardAt = performance.now();
    let start = 0;
    for (let end = chunk.indexOf(0); end >= 0 && !this.#closed; end = chunk.indexOf(0, start)) {
      this.#collect(chunk.subarray(start, end));
      start = end + 1;
      const parts = this.#parts;
      const whole = this.#isReadable(parts[0]);
      const bytes = this.#length;
      this.#parts = [];
      this.#length = 0;
      if (whole) this.#receive(parts, bytes);
      else this.#refuse(parts, bytes);
    }
    if (start < chunk.length && !this.#closed) this.#collect(start ? chunk.subarray(start) : chunk);
  }

  /** Closes the connection if the browser sends anything other than a message. */
  #receive(parts: Buffer[], bytes: number): void {
    const message = parseMessage(parts);
    if (message) this.#dispatch(message, bytes);
    else this.close();
  }

  /** Keeps only the beginning and the end of a message that is too large. */
  #collect(part: Buffer): void {
    this.#length += part.length;
    if (this.#isReadable(this.#parts[0] ?? part)) this.#parts.push(part);
    else {
      const [head = part.subarray(0, HEAD_BYTES), ...rest] = this.#parts;
      this.#parts = [head, Buffer.concat([...rest.slice(-1), part]).subarray(-TAIL_BYTES)];
    }
  }

  /** Whether the message that begins with `head` is within its limit so far. */
  #isReadable(head: Buffer | undefined): boolean {
    if (this.#length <= MAX_MESSAGE_BYTES) return true;
    const isImage = head && this.#pending.get(readId(head))?.method === 'Page.captureScreenshot';
    return Boolean(isImage) && this.#length <= MAX_SCREENSHOT_ANSWER_BYTES;
  }

  /** A page can send messages of any size. An answer that is too large becomes an error, and such an event is dropped. */
  #refuse([head = Buffer.alloc(0), ...rest]: Buffer[], bytes: number): void {
    const id = readId(head);
    const pending = this.#pending.get(id);
    if (!pending) {
      if (Number.isNaN(id)) this.#sessions.get(readSessionId(Buffer.concat(rest)))?.count(bytes);
      return;
    }
    this.#pending.delete(id);
    pending.reject(new DevToolsError(pending.method, TOO_LARGE));
  }

  #dispatch(message: Message, bytes: number): void {
    if (message.id !== undefined) {
      const pending = this.#pending.get(message.id);
      if (!pending) return; // its session was closed in the meantime
      this.#pending.delete(message.id);
      if (message.error) pending.reject(new DevToolsError(pending.method, message.error.message));
      else pending.resolve(message.result);
      return;
    }
    const session = message.sessionId ? this.#sessions.get(message.sessionId) : this.browser;
    session?.dispatch(message.method ?? '', message.params);
    session?.count(bytes);
    if (message.method !== 'Target.detachedFromTarget') return;
    const { sessionId } = message.params as Events['Target.detachedFromTarget'][0];
    this.#sessions.get(sessionId)?.close(new DevToolsClosedError('the target is gone'));
  }
}

/** Returns undefined if it is not a JSON object. */
function parseMessage(parts: Buffer[]): Message | undefined {
  const [first, ...more] = parts;
  try {
    const value: unknown = JSON.parse(String(more.length ? Buffer.concat(parts) : first));
    return typeof value === 'object' && value !== null ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the id of an answer from its beginning. */
function readId(head: Buffer): number {
  return Number(/^\{"id":(\d+)/.exec(head.toString('latin1', 0, HEAD_BYTES))?.[1]);
}

/** Reads the session of an event from its end. */
function readSessionId(tail: Buffer): string {
  return /"sessionId":"(\w+)"\}$/.exec(tail.toString('latin1'))?.[1] ?? '';
}
