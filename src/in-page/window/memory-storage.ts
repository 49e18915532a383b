/**
 * Storage and cookies in memory for a document from HTML. In its opaque origin, `localStorage`, `sessionStorage` and
 * `document.cookie` would throw, and stop a script that only reads the theme, for example. The values are lost with the window, and
 * after a document that runs scripts, the page gets another window.
 */

/**
 * Chromium's limit for an origin, in UTF-16 code units of names and values (`kPerStorageAreaQuota`, in bytes:
 * https://source.chromium.org/chromium/chromium/src/+/main:components/services/storage/dom_storage/dom_storage_constants.h).
 */
const MAX_STORED = 5 * 1024 * 1024;
const MAX_COOKIES = 180;
/** Limits the length of name and value together. */
const MAX_COOKIE = 4_096;

/** Frames that have an origin keep their own storage. */
export function storeInMemory(): void {
  if (self.origin !== 'null') return;
  keepStorage(MAX_STORED);
  keepCookies(MAX_COOKIES, MAX_COOKIE);
}

interface Kept {
  values: Map<string, string>;
  stored: number;
  maxStored: number;
}

function atLeast(count: number, given: unknown[]): void {
  if (given.length < count)
    throw new TypeError(`${count} argument${count > 1 ? 's' : ''} required, but only ${given.length} present.`);
}

function put(kept: Kept, key: string, value: string): void {
  const before = kept.values.get(key);
  const stored = kept.stored + value.length - (before?.length ?? -key.length);
  if (stored > kept.maxStored) throw new DOMException(`Setting the value of '${key}' exceeded the quota.`, 'QuotaExceededError');
  kept.values.set(key, value);
  kept.stored = stored;
}

function drop(kept: Kept, key: string): boolean {
  kept.stored -= key.length + (kept.values.get(key)?.length ?? -key.length);
  kept.values.delete(key);
  return true;
}

/** Defines the methods on `Storage.prototype`, because libraries look for them there, and wrap them. */
function defineMethods(keptBy: (storage: object) => Kept): void {
  const methods = {
    get length() {
      return keptBy(this).values.size;
    },
    key(...given: unknown[]) {
      atLeast(1, given);
      return [...keptBy(this).values.keys()][Math.trunc(Number(given[0])) || 0] ?? null;
    },
    getItem(...given: unknown[]) {
      atLeast(1, given);
      return keptBy(this).values.get(`${given[0]}`) ?? null;
    },
    setItem(...given: unknown[]) {
      atLeast(2, given);
      put(keptBy(this), `${given[0]}`, `${given[1]}`);
    },
    removeItem(...given: unknown[]) {
      atLeast(1, given);
      drop(keptBy(this), `${given[0]}`);
    },
    clear() {
      const kept = keptBy(this);
      kept.values.clear();
      kept.stored = 0;
    },
  };
  for (const [name, method] of Object.entries(Object.getOwnPropertyDescriptors(methods)))
    Object.defineProperty(Storage.prototype, name, method);
}

/**
 * Returns an object that has each value as a property (https://html.spec.whatwg.org/multipage/webstorage.html#the-storage-interface).
 * Names of the interface's own members behave as usual.
 */
function makeStorage(kept: Kept): object {
  const { values } = kept;
  const shows = (target: object, key: string | symbol): key is string =>
    typeof key === 'string' && values.has(key) && !(key in target);
  return new Proxy(Object.create(Storage.prototype) as object, {
    get: (target, key, receiver) => (shows(target, key) ? values.get(key) : Reflect.get(target, key, receiver)),
    has: (target, key) => shows(target, key) || Reflect.has(target, key),
    set(target, key, value, receiver) {
      if (typeof key === 'symbol' || key in target) return Reflect.set(target, key, value, receiver);
      put(kept, key, `${value}`);
      return true;
    },
    defineProperty(target, key, property) {
      if (typeof key === 'symbol' || key in target) return Reflect.defineProperty(target, key, property);
      put(kept, key, `${property.value}`);
      return true;
    },
    deleteProperty: (target, key) => (shows(target, key) ? drop(kept, key) : Reflect.deleteProperty(target, key)),
    ownKeys: (target) => [...[...values.keys()].filter((key) => shows(target, key)), ...Reflect.ownKeys(target)],
    getOwnPropertyDescriptor: (target, key) =>
      shows(target, key)
        ? { value: values.get(key), writable: true, enumerable: true, configurable: true }
        : Reflect.getOwnPropertyDescriptor(target, key),
    preventExtensions: () => false,
  });
}

function keepStorage(maxStored: number): void {
  const all = new WeakMap<object, Kept>();
  defineMethods((storage) => {
    const kept = all.get(storage);
    if (!kept) throw new TypeError('Illegal invocation');
    return kept;
  });
  for (const name of ['localStorage', 'sessionStorage']) {
    const kept = { values: new Map<string, string>(), stored: 0, maxStored };
    const storage = makeStorage(kept);
    all.set(storage, kept);
    Object.defineProperty(globalThis, name, { get: () => storage, enumerable: true, configurable: true });
  }
}

/** Returns when a cookie expires. `Max-Age` takes precedence over `Expires`; an invalid value of either is ignored. */
function cookieExpiry(attributes: Map<string, string>): number {
  const age = attributes.get('max-age') ?? '';
  if (/^-?\d+$/.test(age)) return Date.now() + 1_000 * Number(age);
  const expires = Date.parse(attributes.get('expires') ?? '');
  return Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires;
}

/** Without a `=`, a cookie has only a value, and an attribute only a name. */
function splitPair(part: string, bare: 'name' | 'value'): [name: string, value: string] {
  const text = part.trim();
  const at = text.indexOf('=');
  if (at < 0) return bare === 'name' ? [text, ''] : ['', text];
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/** Ignores paths and domains, because the document has neither. */
function keepCookies(maxCookies: number, maxCookie: number): void {
  const jar = new Map<string, { value: string; until: number }>();
  Object.defineProperty(Document.prototype, 'cookie', {
    get() {
      for (const [name, { until }] of jar) if (until <= Date.now()) jar.delete(name);
      return [...jar].map(([name, { value }]) => (name ? `${name}=${value}` : value)).join('; ');
    },
    set(given: unknown) {
      const [first = '', ...rest] = `${given}`.split(';');
      const [name, value] = splitPair(first, 'value');
      const attributes = new Map(rest.map((part) => splitPair(part, 'name')).map(([key, text]) => [key.toLowerCase(), text]));
      const size = name.length + value.length;
      if (!size || size > maxCookie || /[^\t\P{Cc}]/u.test(first) || attributes.has('httponly')) return;
      const until = cookieExpiry(attributes);
      if (value !== jar.get(name)?.value || until <= Date.now()) jar.delete(name); // a changed cookie becomes the last
      if (until > Date.now() && (jar.has(name) || jar.size < maxCookies)) jar.set(name, { value, until });
    },
    enumerable: true,
    configurable: true,
  });
}
