/**
 * Intercepts requests of a page that would replace the document, those that carry a secret, and photographs that come sideways. A
 * secret goes to one origin, and each redirect is checked again.
 */
import type { Events, Params, Session } from '../devtools/connection.ts';
import type { Content, Cookie, Target } from './load-settings.ts';
import { uprightPhoto } from './upright-photos.ts';

/**
 * Media types of responses that may be a JPEG. Chromium recognizes images by their content (`SniffMimeTypeInternal`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/renderer/platform/image-decoders/image_decoder.cc).
 */
const MAYBE_JPEG = /^(?:image\/(?:pjpeg|jpe?g)|application\/octet-stream|binary\/octet-stream)?\s*(?:;|$)/i;
/** Headers that do not apply to the picture that replaces a response. */
const REPLACED_HEADERS = ['content-type', 'content-length', 'content-encoding', 'content-security-policy'];
const UPRIGHT_TYPE = { name: 'Content-Type', value: 'image/svg+xml' };
const MAX_PHOTO_BYTES = 33_554_432;

type Paused = Events['Fetch.requestPaused'][0];

/** An empty document in a sandbox, so that it has an opaque origin at any address. Its scripts may do whatever they may at about:blank. */
const EMPTY_DOCUMENT = {
  responseCode: 200,
  responseHeaders: Object.entries({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy':
      'sandbox allow-scripts allow-forms allow-modals allow-popups allow-downloads allow-pointer-lock allow-presentation allow-orientation-lock',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  }).map(([name, value]) => ({ name, value })),
};

export class Interception {
  readonly #root: Session;
  readonly #contextId: string;
  readonly #session: Session;
  readonly #frameId: string;
  #target: Target | undefined;
  /**
   * The request for a document of another origin that the page is navigating to. Its content may be shown before its event
   * arrives.
   */
  #leavingBy: string | undefined;
  #sendsCookies = false;
  /** Requests whose credentials a server has refused once. */
  readonly #answered = new Set<string>();
  #stopsNavigations = false;
  #opensEmpty = false;
  #seesPhotos = false;
  /** Whether photographs are to be shown by a form that a PDF can embed. */
  turnsPhotos = false;
  /** Whether the document may not navigate. */
  blocksNavigation = true;

  constructor(root: Session, session: Session, { frameId, contextId }: { frameId: string; contextId: string }) {
    this.#root = root;
    this.#contextId = contextId;
    this.#session = session;
    this.#frameId = frameId;
    session.on('Fetch.requestPaused', (request) => this.#answer(request));
    session.on('Fetch.authRequired', (challenge) => this.#authenticate(challenge));
  }

  /** Intercepts navigations from now on, which makes every later document of the page a little slower. */
  async interceptNavigations(): Promise<void> {
    if (this.#stopsNavigations || this.#target) return;
    this.#stopsNavigations = true;
    await this.#enable();
  }

  /** Looks at images from now on, if `turnsPhotos` is set. */
  async interceptPhotos(): Promise<void> {
    if (this.#seesPhotos) return;
    this.#seesPhotos = true;
    await this.#enable();
  }

  async #enable(): Promise<void> {
    const patterns: NonNullable<Params<'Fetch.enable'>[0]>['patterns'] = [];
    if (this.#seesPhotos) patterns.push({ urlPattern: '*', resourceType: 'Image', requestStage: 'Response' });
    if (this.#target) patterns.push({ urlPattern: '*' });
    else if (this.#stopsNavigations) patterns.push({ urlPattern: '*', resourceType: 'Document' });
    await this.#session.send('Fetch.enable', { patterns, handleAuthRequests: this.#target !== undefined });
  }

  /** The navigation that `navigate` begins gets an empty document with an opaque origin. Nothing is sent. */
  async openEmpty(navigate: () => Promise<void>): Promise<void> {
    await this.interceptNavigations();
    this.#opensEmpty = true;
    try {
      await navigate();
    } finally {
      this.#opensEmpty = false;
    }
  }

  /** Stops sending secrets if the document is not from the target any more. */
  checkOrigin(url: string): void {
    if (URL.parse(url)?.origin !== this.#target?.origin) this.#target = undefined;
  }

  /**
   * Adds the headers to requests to the target. For a document from a URL, cookies are in the cookie store of the browser. A
   * document from markup sends them as headers, because the store would treat them as third-party cookies.
   */
  async setTarget(target: Target, kind: Content['kind']): Promise<void> {
    this.#target = target;
    this.#leavingBy = undefined;
    this.#sendsCookies = kind === 'html';
    await this.#enable();
    if (kind === 'url' && target.cookies.length) await this.#store(target);
  }

  async #store({ origin, cookies }: Target): Promise<void> {
    const bound = cookies.map((cookie) =>
      cookie.domain === undefined && origin ? { ...cookie, ...cookieSource(origin) } : { ...cookie, ...ANY_SOURCE },
    );
    await this.#root.send('Storage.setCookies', { browserContextId: this.#contextId, cookies: bound });
  }

  /** The target, unless the page is leaving its origin: its requests may then come from the other document. */
  get #recipient(): Target | undefined {
    return this.#leavingBy === undefined ? this.#target : undefined;
  }

  #answer(paused: Paused): void {
    const { requestId, networkId = '', frameId, resourceType, request } = paused;
    if (paused.responseStatusCode !== undefined || paused.responseErrorReason) return void this.#answerImage(paused);
    const isNavigation = resourceType === 'Document' && frameId === this.#frameId;
    const isEmpty = isNavigation && this.#opensEmpty;
    if (isNavigation && !isEmpty) this.#noteNavigation(networkId, request.url);
    const answer = isEmpty
      ? this.#session.send('Fetch.fulfillRequest', { requestId, ...EMPTY_DOCUMENT })
      : isNavigation && this.blocksNavigation
        ? this.#session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
        : this.#session.send('Fetch.continueRequest', { requestId, ...this.#selectHeaders(request.url, request.headers) });
    answer.catch(() => {}); // the frame does not exist any more
  }

  /** Replaces a photograph by its upright picture. Other responses continue. */
  async #answerImage(paused: Paused): Promise<void> {
    const { requestId, responseStatusCode, responseHeaders = [] } = paused;
    const photo = this.turnsPhotos && mayBePhoto(paused) ? await this.#readPhoto(requestId) : undefined;
    const kept = responseHeaders.filter(({ name }) => !REPLACED_HEADERS.includes(name.toLowerCase()));
    const answer = photo
      ? this.#session.send('Fetch.fulfillRequest', {
          requestId,
          responseCode: responseStatusCode ?? 200,
          responseHeaders: [...kept, UPRIGHT_TYPE],
          body: Buffer.from(photo).toString('base64'),
        })
      : this.#session.send('Fetch.continueRequest', { requestId });
    answer.catch(() => {}); // the frame does not exist any more
  }

  /** Undefined if the response is no such photograph, or cannot be read. */
  async #readPhoto(requestId: string): Promise<string | undefined> {
    try {
      const { body, base64Encoded } = await this.#session.send('Fetch.getResponseBody', { requestId });
      return uprightPhoto(Buffer.from(body, base64Encoded ? 'base64' : 'latin1'));
    } catch {
      return undefined;
    }
  }

  /**
   * Notes whether a navigation leaves the origin. Only a redirect of that request can lead back: another may be the other
   * document's.
   */
  #noteNavigation(networkId: string, url: string): void {
    const leaves = !this.blocksNavigation && URL.parse(url)?.origin !== this.#target?.origin;
    if (leaves) this.#leavingBy ??= networkId;
    else if (this.#leavingBy === networkId) this.#leavingBy = undefined;
  }

  #selectHeaders(url: string, sent: Record<string, string>) {
    const target = this.#recipient;
    if (!target) return {};
    const cookies = this.#sendsCookies ? cookieHeader(target, url) : undefined;
    const scoped = (target.scopedHeaders ?? []).filter((header) => header.matches(url)).map(({ name, value }) => [name, value]);
    const added: Record<string, string> = {
      ...(URL.parse(url)?.origin === target.origin && target.headers),
      ...Object.fromEntries(scoped),
      ...(cookies && { Cookie: cookies }),
    };
    if (!Object.keys(added).length) return {};
    const replaced = new Set(Object.keys(added).map((name) => name.toLowerCase()));
    const kept = Object.entries(sent).filter(([name]) => !replaced.has(name.toLowerCase()));
    return { headers: [...kept, ...Object.entries(added)].map(([name, value]) => ({ name, value })) };
  }

  #authenticate({ requestId, authChallenge }: Events['Fetch.authRequired'][0]): void {
    const credentials = this.#selectCredentials(requestId, authChallenge);
    this.#answered.add(requestId);
    const response = credentials
      ? ({ response: 'ProvideCredentials', ...credentials } as const)
      : { response: 'CancelAuth' as const };
    this.#session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse: response }).catch(() => {});
  }

  #selectCredentials(requestId: string, { source, origin }: Events['Fetch.authRequired'][0]['authChallenge']) {
    const target = this.#recipient;
    if (source !== 'Server' || !target?.origin || URL.parse(origin)?.origin !== target.origin || this.#answered.has(requestId))
      return undefined;
    return target.credentials;
  }
}

function mayBePhoto({ responseStatusCode, responseHeaders = [] }: Paused): boolean {
  const header = (wanted: string) => responseHeaders.find(({ name }) => name.toLowerCase() === wanted)?.value ?? '';
  return (
    responseStatusCode === 200 && MAYBE_JPEG.test(header('content-type')) && Number(header('content-length')) <= MAX_PHOTO_BYTES
  );
}

/** Without these, the browser would send a cookie for a host only to its port 80 by HTTP, or to 443 if it is `secure`. */
const ANY_SOURCE = { sourceScheme: 'Unset', sourcePort: -1 } as const;

function cookieSource(origin: string) {
  const { protocol, port } = new URL(origin);
  const secure = protocol === 'https:';
  return {
    url: origin,
    secure,
    sourceScheme: secure ? ('Secure' as const) : ('NonSecure' as const),
    sourcePort: Number(port || (secure ? 443 : 80)),
  };
}

function cookieHeader({ origin, cookies }: Target, url: string): string {
  const { pathname = '', hostname = '', protocol, origin: requested } = URL.parse(url) ?? {};
  const isForHost = ({ domain, secure }: Cookie) => {
    if (domain === undefined) return requested === origin;
    const host = domain.replace(/^\./, '');
    const isHost = hostname === host || (domain.startsWith('.') && hostname.endsWith(`.${host}`));
    return isHost && (protocol === 'https:' || !secure);
  };
  const matching = cookies
    .filter(isForHost)
    .filter(({ path }) => pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`));
  return matching.map(({ name, value }) => `${name}=${value}`).join('; ');
}
