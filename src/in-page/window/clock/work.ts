/**
 * Counts asynchronous work of a document that reports its own end: requests, reading, decoding, transactions. It replaces the
 * functions that begin such work before any script of a document runs.
 */
import { apply, type Call, findGetter, replace } from '../../dom/built-ins.ts';

export interface Work {
  /** Number of operations that have not ended. */
  pending: number;
  /** Number of pending parts of scripts that yield to the page in between. They may go on for ever. */
  parts: number;
  /** When a message handler last sent a message, as schedulers with more work do. If it went to a worker, the answer takes time. */
  chainedAt: number;
  /** Number of messages that were sent, to workers or to the document itself. */
  sent: number;
}

export interface EventLoop {
  now(): number;
  /** Whether a timer or frame runs although time was run forward completely. */
  isTicking(): boolean;
  /** Resolves when the page has run its waiting tasks. */
  nextTask(): Promise<void>;
}

/** Counts an operation. Returns the function to call at its end. */
function begin(work: Work, counter: 'pending' | 'parts' = 'pending'): () => void {
  let hasEnded = false;
  work[counter]++;
  return () => {
    if (!hasEnded) work[counter]--;
    hasEnded = true;
  };
}

/** Counts a call until its promise settles. The document gets a promise that settles in the same way. */
function countPromises(work: Work, counter?: 'parts'): (native: Call, self: unknown, args: unknown[]) => unknown {
  const { then } = Promise.prototype as { then: Call };
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

/**
 * Counts a call until its object, or its result, fires one of the events. `onBegin` gets the object and the function that ends
 * the count.
 */
function countEvents(
  work: Work,
  of: 'itself' | 'result',
  events: string[],
  onBegin?: (self: object, end: () => void) => void,
): (native: Call, self: unknown, args: unknown[]) => unknown {
  const { addEventListener } = EventTarget.prototype;
  return (native, self, args) => {
    const end = begin(work);
    const listen = (target: unknown) => {
      for (const event of events) apply(addEventListener, target, [event, end, { once: true }]);
    };
    try {
      if (of === 'itself') listen(self); // a synchronous call ends before it returns
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

function watchPromises(work: Work, prototypeOf: (name: string) => object | undefined): void {
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

function watchEvents(work: Work, prototypeOf: (name: string) => object | undefined): void {
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

/** A pending request that is opened again is aborted without an event. */
function watchRequests(work: Work, prototypeOf: (name: string) => object | undefined): void {
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

function watchBlobs(work: Work, prototypeOf: (name: string) => object | undefined): void {
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

/** `setTimeout` is the replaced function of the document, so that delays are run forward too. */
function watchTasks(work: Work, prototypeOf: (name: string) => object | undefined): void {
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
 * Notes messages that are sent while a message is handled, because their sender has more to do. A message to the document itself has
 * been handled when one that was sent after it arrives. Messages are not noted while timers or frames tick that go on for ever.
 */
function watchMessages(
  work: Work,
  prototypeOf: (name: string) => object | undefined,
  { now, isTicking, nextTask }: EventLoop,
): void {
  const { then } = Promise.prototype as { then: Call };
  const eventOf = findGetter(globalThis, 'event');
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

/** Call it after the timers have been replaced. */
export function watchWork(work: Work, loop: EventLoop): void {
  // The first access to an interface is slow, so interfaces that an opaque origin cannot use are left alone.
  const isLeft = (name: string) =>
    (globalThis as { origin?: unknown }).origin === 'null' && /^(?:IDB|Cache|SubtleCrypto)/.test(name);
  const prototypeOf = (name: string) =>
    isLeft(name) ? undefined : (globalThis as unknown as Record<string, { prototype: object } | undefined>)[name]?.prototype;
  watchPromises(work, prototypeOf);
  watchEvents(work, prototypeOf);
  watchRequests(work, prototypeOf);
  watchBlobs(work, prototypeOf);
  watchTasks(work, prototypeOf);
  watchMessages(work, prototypeOf, loop);
}
