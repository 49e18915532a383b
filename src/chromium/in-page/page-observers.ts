/**
 * Tells the intersection observers and scroll listeners of a window that everything is visible, because nobody scrolls. The functions
 * below run in the page before any script of a document, sent as text, so they may use only each other.
 */

/** The symbol under which a window keeps its `ShowAll`. */
export const OBSERVERS = 'platen.observers';

/** Limits the calls of `ShowAll`, because observers may observe more each time. */
const MAX_TIMES = 3;

/** Must be evaluated in a window before any script of a document. */
export const PAGE_OBSERVERS = `(() => { ${[entryOf, showTo, keepScrolling, keepObservers].join('\n')} keepObservers(${JSON.stringify(OBSERVERS)}, ${MAX_TIMES}) })()`;

/** Reports each target to its observer once. Returns the number of targets, plus one if there are scroll listeners. */
export type ShowAll = () => number;

// Typed loosely: this project's code runs in Node and has no DOM types.
type Call = (...args: unknown[]) => unknown;
interface Box {
  width: number;
}
interface Entry {
  target: object;
  isIntersecting: boolean;
  intersectionRatio: number;
}
/** Who has reported that a target is completely visible. */
type Teller = 'chromium' | 'us' | undefined;
interface Observed {
  callback: (entries: Entry[], observer: object) => void;
  targets: Map<object, Teller>;
}
interface PageWindow extends EventTarget {
  innerHeight: number;
  onscroll: unknown;
  scrollTo: Call;
  document: EventTarget & { onscroll: unknown; documentElement: { scrollHeight: number } | null };
}
interface Observer {
  observe: Call;
  unobserve: Call;
  disconnect: Call;
}
declare const Element: { prototype: { getBoundingClientRect(): Box } };
declare const reportError: (error: unknown) => void;
declare const IntersectionObserverEntry: { prototype: object };
declare let IntersectionObserver: { prototype: Observer; new (callback: Call, options?: object): object };

function entryOf(target: object, time: number, boxOf: (target: object) => unknown): Entry {
  const box = boxOf(target);
  const values = { target, time, boundingClientRect: box, intersectionRect: box, rootBounds: null, intersectionRatio: 1 };
  const properties = Object.getOwnPropertyDescriptors({ ...values, isIntersecting: true, isVisible: false });
  return Object.create(IntersectionObserverEntry.prototype, properties) as Entry;
}

function showTo(observer: object, { callback, targets }: Observed, boxOf: (target: object) => unknown): number {
  const unseen = [...targets].filter(([, teller]) => !teller).map(([target]) => target);
  for (const target of unseen) targets.set(target, 'us');
  if (unseen.length)
    callback(
      unseen.map((target) => entryOf(target, performance.now(), boxOf)),
      observer,
    );
  return unseen.length;
}

/**
 * For scripts that measure on scroll events what is visible. The returned function first makes the window appear as high as the
 * document. Later calls scroll to the end, for scripts that know the height in another way, and back. It returns whether anything
 * listens to scroll events.
 */
function keepScrolling(self: PageWindow): () => boolean {
  let listens = false;
  let grownTo = 0;
  let ownHeight = 0;
  let isAtEnd = false;
  const { scrollTo } = self;
  const { apply } = Reflect;
  const native = EventTarget.prototype.addEventListener;
  const { dispatchEvent } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = new Proxy(native, {
    apply(_, target, given: unknown[]) {
      listens ||= given[0] === 'scroll' && (target === self || target === self.document || target === undefined);
      return apply(native, target, given);
    },
  });
  /** Restores the height of the window if the document grew with it, because it is laid out by that height. */
  const shrink = (root: { scrollHeight: number }) => {
    if (grownTo === Number.POSITIVE_INFINITY || root.scrollHeight <= 1.2 * grownTo) return;
    grownTo = Number.POSITIVE_INFINITY;
    Reflect.deleteProperty(root, 'clientHeight');
    Object.defineProperty(self, 'innerHeight', { value: ownHeight, configurable: true, writable: true });
    for (const name of ['resize', 'scroll']) apply(dispatchEvent, self, [new Event(name)]);
  };
  const scroll = (root: { scrollHeight: number }) => {
    shrink(root);
    isAtEnd = !isAtEnd;
    apply(scrollTo, self, [{ top: isAtEnd ? root.scrollHeight : 0, behavior: 'instant' }]);
    return true;
  };
  return () => {
    const root = self.document.documentElement;
    if (!root || !(listens || self.onscroll || self.document.onscroll)) return false;
    if (grownTo) return scroll(root);
    const height = Math.max(root.scrollHeight, self.innerHeight);
    grownTo = root.scrollHeight;
    ownHeight = self.innerHeight;
    const grows = height > ownHeight; // scripts draw again after a resize, and not always as well as before
    Object.defineProperty(self, 'innerHeight', { value: height, configurable: true, writable: true });
    Object.defineProperty(root, 'clientHeight', { value: height, configurable: true });
    for (const name of grows ? ['resize', 'scroll'] : ['scroll']) apply(dispatchEvent, self, [new Event(name)]);
    apply(dispatchEvent, self.document, [new Event('scroll')]);
    return true;
  };
}

function keepObservers(key: string, maxTimes: number): void {
  if (Symbol.for(key) in globalThis) return; // the script runs again when a document is written into the window
  const { apply, construct } = Reflect;
  const { getBoundingClientRect } = Element.prototype;
  const report = reportError;
  const all = new Map<object, Observed>();
  const boxOf = (target: object) => apply(getBoundingClientRect, target, []);
  const Native = IntersectionObserver;
  const { prototype } = Native;
  const thresholds = Reflect.getOwnPropertyDescriptor(prototype, 'thresholds')?.get as () => number[];
  const thresholdsOf = (observer: object) => apply(thresholds, observer, []);
  const wrap = (name: keyof Observer, note: (observed: Observed, target: object) => void) => {
    const native = prototype[name];
    prototype[name] = new Proxy(native, {
      apply(_, observer, given) {
        const result = apply(native, observer, given);
        const observed = all.get(observer);
        if (observed) note(observed, given[0]);
        return result;
      },
    });
  };
  wrap('observe', ({ targets }, target) => targets.has(target) || targets.set(target, undefined));
  wrap('unobserve', ({ targets }, target) => targets.delete(target));
  wrap('disconnect', ({ targets }) => targets.clear());
  IntersectionObserver = new Proxy(Native, {
    construct(_, [callback, ...rest], target) {
      if (typeof callback !== 'function') return construct(Native, [callback, ...rest], target);
      const targets: Observed['targets'] = new Map();
      // A visible target is not hidden again, and not reported twice, because a growing list would request two parts at once.
      const listener = (entries: Entry[], observer: object) => {
        const highest = Math.max(...thresholdsOf(observer));
        const isNews = (teller: Teller, isIntersecting: boolean) => !teller || (teller === 'chromium' && isIntersecting);
        const kept = entries.filter(({ target, isIntersecting }) => isNews(targets.get(target), isIntersecting));
        for (const { target, isIntersecting, intersectionRatio } of kept)
          if (targets.has(target) && isIntersecting && intersectionRatio >= highest) targets.set(target, 'chromium');
        if (kept.length) apply(callback, observer, [kept, observer]);
      };
      const observer = construct(Native, [listener, ...rest], target);
      all.set(observer, { callback: (entries, self) => apply(callback, self, [entries, self]), targets });
      return observer;
    },
  });
  prototype.constructor = IntersectionObserver;
  const grow = keepScrolling(globalThis as unknown as PageWindow);
  let times = 0;
  const showAll: ShowAll = () => {
    if (times++ >= maxTimes) return 0;
    let shown = grow() ? 1 : 0;
    for (const [observer, observed] of [...all]) {
      try {
        shown += showTo(observer, observed, boxOf);
      } catch (error) {
        report(error);
      }
    }
    return shown;
  };
  Object.defineProperty(globalThis, Symbol.for(key), { value: showAll });
}
