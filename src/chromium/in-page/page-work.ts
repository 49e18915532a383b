/**
 * Counts what a document has begun and what tells by itself when it has ended: requests, reading, decoding, transactions. The functions
 * below run in the page before any script of a document, sent as text, so they may use nothing but each other.
 */

/** To be sent with what calls `keepWork`. */
export const WORK = [
  replace,
  begin,
  countPromises,
  countEvents,
  keepPromises,
  keepEvents,
  keepRequests,
  keepBlobs,
  keepTasks,
  keepMessages,
  keepWork,
];

export interface Work {
  /** What was begun and has not ended. */
  pending: number;
  /** The same, of parts of scripts that let the page breathe in between; there may be no end of them. */
  parts: number;
  /** When a message was last sent by what handles one, as schedulers do that have more to do: to a worker, which takes its time. */
  chainedAt: number;
  /** How many messages were sent, to workers or to the document itself. */
  sent: number;
}

export interface Turns {
  now(): number;
  /** Whether what runs is a timer or frame of a document whose time was run forward. */
  isTicking(): boolean;
  /** Lets the tasks run that are waiting. */
  nextTask(): Promise<void>;
}

// Typed loosely: this project's code runs in Node and has no DOM types.
type Call = (...args: unknown[]) => unknown;
interface Target {
  addEventListener(type: string, listener: () => void, options: object): void;
}
declare const EventTarget: { prototype: Target };

/** In its place, under its name and as enumerable, a function that looks like it. */
export function replace(owner: object, name: string, call: (native: Call, self: unknown, args: unknown[]) => unknown): void {
  const holder = owner as Record<string, unknown>;
  const { apply } = Reflect;
  const native = holder[name];
  if (typeof native !== 'function') return;
  const ours = (self: unknown, args: unknown[]) => call((...given) => apply(native, self, given), self, args);
  holder[name] = new Proxy(native, { apply: (_, self, args) => ours(self, args) });
}

/** Counts one; returns what is to be called at its end. */
function begin(work: Work, counter: 'pending' | 'parts' = 'pending'): () => void {
  let hasEnded = false;
  work[counter]++;
  return () => {
    if (!hasEnded) work[counter]--;
    hasEnded = true;
  };
}

/** What the document gets is as good as what it would have got. */
function countPromises(work: Work, counter?: 'parts'): (native: Call, self: unknown, args: unknown[]) => unknown {
  const { then } = Promise.prototype as { then: Call };
  const { apply } = Reflect;
  return (native, _, args) => {
    const promise = native(...args);
    const end = begin(work, counter);
    const onValue = (value: unknown) => {
      end();
      return value;
    };
    const onError = (error: unknown) => {
      end();
      throw error;
    };
    return apply(then, promise, [onValue, onError]);
  };
}

/** Until one of the events comes, of what is called or of what that returns. `onBegin` gets what is called and what ends it. */
function countEvents(
  work: Work,
  of: 'itself' | 'result',
  events: string[],
  onBegin?: (self: object, end: () => void) => void,
): (native: Call, self: unknown, args: unknown[]) => unknown {
  const { addEventListener } = EventTarget.prototype;
  const { apply } = Reflect;
  return (native, self, args) => {
    const end = begin(work);
    const listen = (target: unknown) => {
      for (const event of events) apply(addEventListener, target, [event, end, { once: true }]);
    };
    try {
      if (of === 'itself') listen(self); // what is synchronous has ended when it returns
      const result = native(...args);
      if (of === 'result') listen(result);
      onBegin?.(self as object, end);
      return result;
    } catch (error) {
      end();
      throw error;
    }
  };
}

function keepPromises(work: Work, prototypeOf: (name: string) => object | undefined): void {
  const ways: Array<[owner: object | undefined, names: string[]]> = [
    [globalThis, ['fetch', 'createImageBitmap']],
    [prototypeOf('Response'), ['arrayBuffer', 'blob', 'bytes', 'formData', 'json', 'text']],
    [prototypeOf('Blob'), ['arrayBuffer', 'bytes', 'text']],
    [prototypeOf('HTMLImageElement'), ['decode']],
    [prototypeOf('Cache'), ['match', 'matchAll', 'add', 'addAll', 'put', 'delete', 'keys']],
    [prototypeOf('CacheStorage'), ['match', 'open', 'has', 'delete', 'keys']],
    [
      (globalThis as { WebAssembly?: object }).WebAssembly,
      ['compile', 'compileStreaming', 'instantiate', 'instantiateStreaming'],
    ],
    [
      prototypeOf('SubtleCrypto'),
      ['digest', 'encrypt', 'decrypt', 'sign', 'verify', 'deriveBits', 'deriveKey', 'importKey', 'exportKey', 'generateKey'],
    ],
  ];
  const counted = countPromises(work);
  for (const [owner, names] of ways) for (const name of owner ? names : []) replace(owner as object, name, counted);
}

function keepEvents(work: Work, prototypeOf: (name: string) => object | undefined): void {
  const ways: Array<[owner: string, names: string[], of: 'itself' | 'result', events: string[]]> = [
    ['FileReader', ['readAsArrayBuffer', 'readAsBinaryString', 'readAsDataURL', 'readAsText'], 'itself', ['loadend']],
    ['IDBFactory', ['open', 'deleteDatabase'], 'result', ['success', 'error', 'blocked']],
    ['IDBDatabase', ['transaction'], 'result', ['complete', 'abort']],
  ];
  for (const [name, methods, of, events] of ways) {
    const owner = prototypeOf(name);
    for (const method of owner ? methods : []) replace(owner as object, method, countEvents(work, of, events));
  }
}

/** One that is opened again while it is under way gives that up, without an event. */
function keepRequests(work: Work, prototypeOf: (name: string) => object | undefined): void {
  const owner = prototypeOf('XMLHttpRequest');
  if (!owner) return;
  const ends = new WeakMap<object, () => void>();
  const counted = countEvents(work, 'itself', ['loadend'], (request, end) => ends.set(request, end));
  replace(owner, 'send', counted);
  replace(owner, 'open', (native, self, args) => {
    const result = native(...args);
    ends.get(self as object)?.();
    return result;
  });
}

function keepBlobs(work: Work, prototypeOf: (name: string) => object | undefined): void {
  const owner = prototypeOf('HTMLCanvasElement');
  if (!owner) return;
  replace(owner, 'toBlob', (native, _, [callback, ...rest]) => {
    if (typeof callback !== 'function') return native(callback, ...rest);
    const end = begin(work);
    const ended = (blob: unknown) => {
      end();
      callback(blob);
    };
    try {
      return native(ended, ...rest);
    } catch (error) {
      end();
      throw error;
    }
  });
}

/** `setTimeout` is that of the document, whose time is run forward. */
function keepTasks(work: Work, prototypeOf: (name: string) => object | undefined): void {
  const owner = prototypeOf('Scheduler');
  if (!owner) return;
  const { setTimeout } = globalThis;
  const counted = countPromises(work, 'parts');
  replace(owner, 'yield', counted);
  replace(owner, 'postTask', (native, self, [task, options]) => {
    const { delay = 0, ...others } = Object(options) as { delay?: number };
    if (!(delay > 0)) return counted(native, self, [task, options]);
    const given = { ...others, ...('signal' in Object(options) && { signal: Object(options).signal }) };
    return new Promise((resolve) => setTimeout(resolve, delay)).then(() => counted(native, self, [task, given]));
  });
}

/**
 * A message that is sent while one is handled: whoever sends it has more to do. One to the document itself has been handled when a
 * message that is sent after it arrives. Frames that send messages have no end.
 */
function keepMessages(work: Work, prototypeOf: (name: string) => object | undefined, { now, isTicking, nextTask }: Turns): void {
  const { apply, getOwnPropertyDescriptor } = Reflect;
  const { then } = Promise.prototype as { then: Call };
  const eventOf = getOwnPropertyDescriptor(globalThis, 'event')?.get;
  const post = (native: Call, _: unknown, given: unknown[]) => {
    const event = eventOf && apply(eventOf, globalThis, []);
    work.sent++;
    const result = native(...given);
    if ((event as { type?: unknown } | undefined)?.type === 'message' && !isTicking()) {
      work.chainedAt = now();
      apply(then, nextTask(), [begin(work, 'parts')]);
    }
    return result;
  };
  for (const name of ['MessagePort', 'Worker']) {
    const owner = prototypeOf(name);
    if (owner) replace(owner, 'postMessage', post);
  }
}

/** To be called when timers are those of the document. */
export function keepWork(work: Work, turns: Turns): void {
  // To touch an interface for the first time takes long: those that an opaque origin cannot use are left alone.
  const isLeft = (name: string) =>
    (globalThis as { origin?: unknown }).origin === 'null' && /^(?:IDB|Cache|SubtleCrypto)/.test(name);
  const prototypeOf = (name: string) =>
    isLeft(name) ? undefined : (globalThis as unknown as Record<string, { prototype: object } | undefined>)[name]?.prototype;
  keepPromises(work, prototypeOf);
  keepEvents(work, prototypeOf);
  keepRequests(work, prototypeOf);
  keepBlobs(work, prototypeOf);
  keepTasks(work, prototypeOf);
  keepMessages(work, prototypeOf, turns);
}
