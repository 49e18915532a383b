/** Emulates the device that a document is shown on, and resets it before the next document. */
import type { Commands, Params, Session } from './connection.ts';

export interface Device {
  mediaType: 'print' | 'screen';
  colorScheme: 'light' | 'dark' | undefined;
  viewport: Viewport | undefined;
  /** A BCP 47 tag such as `de-AT`. */
  locale: string | undefined;
  /** A name of the IANA database such as `Europe/Vienna`. */
  timezone: string | undefined;
  userAgent: string | undefined;
  javascript: boolean;
  /** Whether areas that the document does not paint stay transparent. */
  transparent: boolean;
  /** Whether animations are wanted. Otherwise `prefers-reduced-motion` is set. */
  motion: boolean;
}

export interface Viewport {
  /** The width in CSS pixels. */
  width: number;
  height: number;
  deviceScaleFactor: number;
}

export const DEFAULT_DEVICE: Device = {
  mediaType: 'print',
  colorScheme: undefined,
  viewport: undefined,
  locale: undefined,
  timezone: undefined,
  userAgent: undefined,
  javascript: true,
  transparent: false,
  motion: false,
};

/** Device pixels per CSS pixel that canvases find on paper: 192 dpi at full size. */
export const PAPER_RATIO = 2;

const TRANSPARENT = { r: 0, g: 0, b: 0, a: 0 };

function mediaOf({ mediaType, colorScheme, motion }: Device) {
  const features = [
    ...(motion ? [] : [{ name: 'prefers-reduced-motion', value: 'reduce' }]),
    ...(colorScheme ? [{ name: 'prefers-color-scheme', value: colorScheme }] : []),
  ];
  return { media: mediaType, features };
}

/** Emulates the print medium while loading, so that fonts and images of print rules are loaded, too. */
export function setMedia(session: Session): Promise<unknown> {
  return session.send('Emulation.setEmulatedMedia', mediaOf(DEFAULT_DEVICE));
}

/**
 * The area that is painted for a screen. Nobody sees it, and painting a whole window would take a tenth of the CPU time of a
 * render.
 */
const PAINTED_AREA = { x: 0, y: 0, width: 1, height: 1, scale: 1 };
/**
 * The default size of the headless shell. It must be set when an area is chosen, because the page would be laid out in that area.
 */
export const DEFAULT_WINDOW: Viewport = { width: 800, height: 600, deviceScaleFactor: 1 };

/** Lays the page out in a window of this size, although only `PAINTED_AREA` is painted. A page uses `Emulation.resize`. */
export function setWindow(session: Session, size = DEFAULT_WINDOW): Promise<unknown> {
  return session.send('Emulation.setDeviceMetricsOverride', { ...size, mobile: false, viewport: PAINTED_AREA });
}

export class Emulation {
  readonly #session: Session;
  #window = DEFAULT_WINDOW;
  /** Functions that undo the emulation. */
  #undo: Array<() => Promise<unknown>> = [];

  constructor(session: Session) {
    this.#session = session;
  }

  /** Rejects when the browser does not know the locale or the time zone. */
  async apply(device: Device): Promise<void> {
    const { mediaType, colorScheme, motion, locale, timezone, userAgent } = device;
    const overrides: Array<Promise<unknown>> = [];
    if (mediaType !== 'print' || colorScheme || motion)
      overrides.push(this.#override('Emulation.setEmulatedMedia', mediaOf(device), mediaOf(DEFAULT_DEVICE)));
    if (timezone) overrides.push(this.#override('Emulation.setTimezoneOverride', { timezoneId: timezone }, { timezoneId: '' }));
    if (locale) overrides.push(this.#override('Emulation.setLocaleOverride', { locale }, {}));
    if (locale || userAgent !== undefined) {
      const agent = { userAgent: userAgent ?? '', ...(locale && { acceptLanguage: locale }) };
      overrides.push(this.#override('Emulation.setUserAgentOverride', agent, { userAgent: '' }));
    }
    if (!device.javascript)
      overrides.push(this.#override('Emulation.setScriptExecutionDisabled', { value: true }, { value: false }));
    if (device.transparent)
      overrides.push(this.#override('Emulation.setDefaultBackgroundColorOverride', { color: TRANSPARENT }, {}));
    await Promise.all(overrides);
  }

  /** Ignores the document's content security policy, so that tags can be added to it. */
  ignorePolicy(): Promise<unknown> {
    return this.#override('Page.setBypassCSP', { enabled: true }, { enabled: false });
  }

  /** The window in which the page is laid out. */
  get window(): Viewport {
    return this.#window;
  }

  /** Lays the page out in a window of this size, also the next documents. */
  async resize(window: Viewport): Promise<void> {
    const { width, height, deviceScaleFactor } = this.#window;
    if (window.width === width && window.height === height && window.deviceScaleFactor === deviceScaleFactor) return;
    this.#window = window;
    await setWindow(this.#session, window);
  }

  /** Resets everything that was emulated, except the window. */
  async undo(): Promise<void> {
    await Promise.all(this.#undo.splice(0).map((undo) => undo()));
  }

  /** Sends the command with `value`, and later with `before` to undo it. */
  #override<M extends keyof Commands>(method: M, value: Params<M>[0], before: Params<M>[0]): Promise<unknown> {
    const send = (parameters: Params<M>[0]) => this.#session.send(method, ...([parameters] as Params<M>));
    this.#undo.push(() => send(before));
    return send(value);
  }
}
