/**
 * Tells the intersection observers and scroll listeners of a window that everything is visible, because nobody scrolls. It replaces the
 * constructor of observers before any script of a document runs.
 */
import { apply, type Call, construct, deleteProperty, findGetter } from '../dom/built-ins.ts';
import type { ShowAll } from '../dom/prepared-window.ts';

/** Limits the calls of `ShowAll`, because observers may observe more each time. */
const MAX_TIMES = 3;

/** Who has reported that a target is completely visible. */
type ReportedBy = 'browser' | 'platen' | undefined;

interface Observed {
  callback: IntersectionObserverCallback;
  targets: Map<Element, ReportedBy>;
}

type Observer = Record<'observe' | 'unobserve' | 'disconnect', Call>;

const { getBoundingClientRect } = Element.prototype;

function createEntry(target: Element): IntersectionObserverEntry {
  const box = apply(getBoundingClientRect, target, []);
  const values = { target, time: performance.now(), boundingClientRect: box, intersectionRect: box, rootBounds: null };
  const properties = Object.getOwnPropertyDescriptors({
    ...values,
    intersectionRatio: 1,
    isIntersecting: true,
    isVisible: false,
  });
  return Object.create(IntersectionObserverEntry.prototype, properties) as IntersectionObserverEntry;
}

function showTo(observer: IntersectionObserver, { callback, targets }: Observed): number {
  const unseen = [...targets].filter(([, reportedBy]) => !reportedBy).map(([target]) => target);
  for (const target of unseen) targets.set(target, 'platen');
  if (unseen.length) callback(unseen.map(createEntry), observer);
  return unseen.length;
}

/**
 * For scripts that measure on scroll events what is visible. The returned function first makes the window appear as high as the
 * document. Later calls scroll to the end, for scripts that know the height in another way, and back. It returns whether anything
 * listens to scroll events.
 */
function watchScrolling(): () => boolean {
  let listens = false;
  let grownTo = 0;
  let ownHeight = 0;
  let isAtEnd = false;
  const { scrollTo } = window;
  const native = EventTarget.prototype.addEventListener;
  const { dispatchEvent } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = new Proxy(native, {
    apply(_, target, given: unknown[]) {
      listens ||= given[0] === 'scroll' && (target === window || target === document || target === undefined);
      return apply(native, target, given);
    },
  });
  /** Restores the height of the window if the document grew with it, because it is laid out by that height. */
  const shrink = (root: Element) => {
    if (grownTo === Number.POSITIVE_INFINITY || root.scrollHeight <= 1.2 * grownTo) return;
    grownTo = Number.POSITIVE_INFINITY;
    deleteProperty(root, 'clientHeight');
    Object.defineProperty(window, 'innerHeight', { value: ownHeight, configurable: true, writable: true });
    for (const name of ['resize', 'scroll']) apply(dispatchEvent, window, [new Event(name)]);
  };
  const scroll = (root: Element) => {
    shrink(root);
    isAtEnd = !isAtEnd;
    apply(scrollTo as Call, window, [{ top: isAtEnd ? root.scrollHeight : 0, behavior: 'instant' }]);
    return true;
  };
  return () => {
    const root: Element | null = document.documentElement;
    if (!root || !(listens || window.onscroll || document.onscroll)) return false;
    if (grownTo) return scroll(root);
    const height = Math.max(root.scrollHeight, window.innerHeight);
    grownTo = root.scrollHeight;
    ownHeight = window.innerHeight;
    const grows = height > ownHeight; // scripts draw again after a resize, and not always as well as before
    Object.defineProperty(window, 'innerHeight', { value: height, configurable: true, writable: true });
    Object.defineProperty(root, 'clientHeight', { value: height, configurable: true });
    for (const name of grows ? ['resize', 'scroll'] : ['scroll']) apply(dispatchEvent, window, [new Event(name)]);
    apply(dispatchEvent, document, [new Event('scroll')]);
    return true;
  };
}

export function watchObservers(): ShowAll {
  const report = reportError;
  const all = new Map<object, Observed>();
  const Native = IntersectionObserver;
  const prototype = Native.prototype as unknown as Observer & { constructor: unknown };
  const thresholds = findGetter(prototype, 'thresholds') as Call;
  const wrap = (name: keyof Observer, note: (observed: Observed, target: Element) => void) => {
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
  window.IntersectionObserver = new Proxy(Native, {
    construct(_, [callback, ...rest], target) {
      if (typeof callback !== 'function') return construct(Native, [callback, ...rest], target);
      const targets: Observed['targets'] = new Map();
      // A visible target is not hidden again, and not reported twice, because a growing list would request two parts at once.
      const listener = (entries: IntersectionObserverEntry[], observer: object) => {
        const highest = Math.max(...(apply(thresholds, observer, []) as number[]));
        const isNews = (by: ReportedBy, isIntersecting: boolean) => !by || (by === 'browser' && isIntersecting);
        const news = entries.filter((entry) => isNews(targets.get(entry.target), entry.isIntersecting));
        for (const { target, isIntersecting, intersectionRatio } of news)
          if (targets.has(target) && isIntersecting && intersectionRatio >= highest) targets.set(target, 'browser');
        if (news.length) apply(callback, observer, [news, observer]);
      };
      const observer = construct(Native, [listener, ...rest], target);
      all.set(observer, { callback: (entries, self) => apply(callback, self, [entries, self]), targets });
      return observer;
    },
  });
  prototype.constructor = IntersectionObserver;
  const showOnScroll = watchScrolling();
  let times = 0;
  return () => {
    if (times++ >= MAX_TIMES) return 0;
    let shown = showOnScroll() ? 1 : 0;
    for (const [observer, observed] of [...all]) {
      try {
        shown += showTo(observer as IntersectionObserver, observed);
      } catch (error) {
        report(error);
      }
    }
    return shown;
  };
}
