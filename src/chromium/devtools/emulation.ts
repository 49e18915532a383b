/** Emulates the device that a document is shown on, and resets it before the next document. */
import type { Session } from './connection.ts';

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

/** Emulates the print medium while loading, so that fonts and images of print rules are loaded, too. */
export function setMedia(session: Session, { mediaType, colorScheme, motion } = DEFAULT_DEVICE): Promise<unknown> {
  const features = [
    ...(motion ? [] : [{ name: 'prefers-reduced-motion', value: 'reduce' }]),
    ...(colorScheme ? [{ name: 'prefers-color-scheme', value: colorScheme }] : []),
  ];
  return session.send('Emulation.setEmulatedMedia', { media: mediaType, features });
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
    const session = this.#session;
    const overrides: Array<Promise<unknown>> = [];
    if (mediaType !== 'print' || colorScheme || motion)
      overrides.push(this.#override(setMedia(session, device), () => setMedia(session)));
    if (timezone) overrides.push(this.#override(this.#setTimezone(timezone), () => this.#setTimezone('')));
    if (locale) overrides.push(this.#override(this.#setLocale(locale), () => this.#setLocale(undefined)));
    if (locale || userAgent !== undefined)
      overrides.push(this.#override(this.#setUserAgent(userAgent, locale), () => this.#setUserAgent('', undefined)));
    if (!device.javascript) overrides.push(this.#override(this.#setScript(false), () => this.#setScript(true)));
    if (device.transparent)
      overrides.push(this.#override(this.#setBackground(TRANSPARENT), () => this.#setBackground(undefined)));
    await Promise.all(overrides);
  }

  /** Ignores the document's content security policy, so that tags can be added to it. */
  ignorePolicy(): Promise<unknown> {
    const set = (enabled: boolean) => this.#session.send('Page.setBypassCSP', { enabled });
    return this.#override(set(true), () => set(false));
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

  #override(work: Promise<unknown>, undo: () => Promise<unknown>): Promise<unknown> {
    this.#undo.push(undo);
    return work;
  }

  #setTimezone(timezoneId: string): Promise<unknown> {
    return this.#session.send('Emulation.setTimezoneOverride', { timezoneId });
  }

  #setLocale(locale: string | undefined): Promise<unknown> {
    return this.#session.send('Emulation.setLocaleOverride', locale === undefined ? {} : { locale });
  }

  #setBackground(color: typeof TRANSPARENT | undefined): Promise<unknown> {
    return this.#session.send('Emulation.setDefaultBackgroundColorOverride', color ? { color } : {});
  }

  #setUserAgent(userAgent: string | undefined, locale: string | undefined): Promise<unknown> {
    return this.#session.send('Emulation.setUserAgentOverride', {
      userAgent: userAgent ?? '',
      ...(locale && { acceptLanguage: locale }),
    });
  }

  #setScript(enabled: boolean): Promise<unknown> {
    return this.#session.send('Emulation.setScriptExecutionDisabled', { value: !enabled });
  }
}
