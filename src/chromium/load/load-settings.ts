/** The content of a page, and the settings with which it is loaded. */
import type { HostedFile, HostedFiles } from '../../egress/hosted-assets.ts';
import { DEFAULT_DEVICE, type Device } from '../devtools/emulation.ts';

export type { HostedFile, HostedFiles };

/** Limits a document from markup or a URL to 5 MB of UTF-8. */
export const MAX_DOCUMENT_BYTES = 5_242_880;

export type Content =
  | {
      kind: 'html';
      html: string;
      /** The base of relative URLs. */
      baseUrl: string | undefined;
      /** Files to which relative URLs lead. They cannot be combined with `baseUrl`. */
      assets?: HostedFiles | undefined;
    }
  | { kind: 'url'; url: string };

export type WaitUntil = 'finished' | 'load' | 'domcontentloaded' | 'networkidle0' | 'networkidle2';

export interface SelectorWait {
  selector: string;
  /**
   * `attached` means in the document, `visible` that it has a box and is not hidden by a style, and `hidden` the opposite of
   * visible.
   */
  state: 'attached' | 'visible' | 'hidden';
}

/** Secrets, and the only origin that they are sent to, but for those that name other addresses. */
export interface Target {
  /** Undefined if all of them name their addresses. */
  origin: string | undefined;
  headers: Record<string, string>;
  cookies: Cookie[];
  credentials: { username: string; password: string } | undefined;
  /** Headers of requests to every URL that `matches`, in linear time. */
  scopedHeaders?: ScopedHeader[];
}

interface ScopedHeader {
  name: string;
  value: string;
  matches(url: string): boolean;
}

export interface Cookie {
  name: string;
  value: string;
  path: string;
  /** Another host than that of the origin, and its subdomains if it begins with a dot. */
  domain?: string;
  /** Only for `domain`: whether it is sent over HTTPS alone. */
  secure?: boolean;
  /** Seconds since 1970, or -1 for the end of the render. */
  expires: number;
  httpOnly: boolean;
  sameSite?: 'Strict' | 'Lax' | 'None';
}

/** Statuses that fail a render: those of the document at `url`, and those of any resource. */
export interface FailingStatus {
  document: ReadonlySet<number>;
  resources: ReadonlySet<number>;
  /** Whether a resource at this address may have any status. */
  isIgnored?: (url: string) => boolean;
}

/** A status has three digits. */
export const ERROR_STATUSES: ReadonlySet<number> = new Set(Array.from({ length: 600 }, (_, index) => 400 + index));

/** Conditions that fail a render although it could be printed. */
export interface FailConditions {
  httpStatus: FailingStatus;
  resourceError: boolean;
  consoleError: boolean;
}

/** A style sheet or script of the caller. */
export interface AddedTag {
  element: 'style' | 'script';
  from: { content: string } | { url: string };
  /** The type of a script, for example `module`. */
  type?: string;
}

export interface LoadSettings {
  waitUntil: WaitUntil;
  /** Whether time is run forward before the print, so that animations are at their end. */
  finishesAnimations: boolean;
  waitForSelector: SelectorWait | undefined;
  /** An expression, or a function to call, that is waited for until it is truthy. */
  waitForFunction: string | undefined;
  waitForTimeoutMs: number;
  /** Undefined for the limit of the operator. */
  resourceTimeoutMs: number | undefined;
  device: Device;
  /** Tags that are added in this order when the document has loaded. */
  added: AddedTag[];
  target: Target | undefined;
  failsOn: FailConditions;
  /** Whether every request is refused. */
  offline: boolean;
}

/** The default settings. */
export const DEFAULT_LOAD: LoadSettings = {
  waitUntil: 'finished',
  finishesAnimations: true,
  waitForSelector: undefined,
  waitForFunction: undefined,
  waitForTimeoutMs: 0,
  resourceTimeoutMs: undefined,
  device: DEFAULT_DEVICE,
  added: [],
  target: undefined,
  failsOn: { httpStatus: { document: ERROR_STATUSES, resources: new Set() }, resourceError: false, consoleError: false },
  offline: false,
};

/** Whether the page keeps something that cannot be reset, so that it may be used only once. */
export function needsOwnPage(content: Content, { target }: LoadSettings): boolean {
  return content.kind === 'url' || target !== undefined;
}
