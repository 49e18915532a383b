/** What a page is to show, and how it is to be loaded. */
import type { HostedFile, HostedFiles } from '../../egress/hosted-assets.ts';
import { type Device, PLAIN_DEVICE } from '../devtools/emulation.ts';

export type { HostedFile, HostedFiles };

/** Of a document, from its markup or from its address: 5 MB of UTF-8. */
export const MAX_DOCUMENT_BYTES = 5_242_880;

export type Content =
  | {
      kind: 'html';
      html: string;
      /** For relative addresses. */
      baseUrl: string | undefined;
      /** What relative addresses lead to; not with `baseUrl`. */
      assets?: HostedFiles | undefined;
    }
  | { kind: 'url'; url: string };

export type WaitUntil = 'finished' | 'load' | 'domcontentloaded' | 'networkidle0' | 'networkidle2';

export interface SelectorWait {
  selector: string;
  /** `attached`: in the document; `visible`: has a box and is not hidden by style; `hidden`: neither. */
  state: 'attached' | 'visible' | 'hidden';
}

/** Who is told what: nobody but this origin. */
export interface Target {
  origin: string;
  headers: Record<string, string>;
  cookies: Cookie[];
  credentials: { username: string; password: string } | undefined;
}

export interface Cookie {
  name: string;
  value: string;
  path: string;
  /** Seconds since 1970; -1: with the render. */
  expires: number;
  httpOnly: boolean;
  sameSite?: 'Strict' | 'Lax' | 'None';
}

/**
 * Statuses that fail a render: `none`; `target`: from 400 on, of the document at `url`; `all`: from 400 on, of anything; a set:
 * what `target` says and, of anything, what is in it.
 */
export type FailingStatus = 'none' | 'target' | 'all' | ReadonlySet<number>;

/** What fails a render although it could be printed. */
export interface FailConditions {
  httpStatus: FailingStatus;
  resourceError: boolean;
  consoleError: boolean;
}

/** A style sheet or a script of the caller's. */
export interface AddedTag {
  element: 'style' | 'script';
  from: { content: string } | { url: string };
  /** Of a script; for example `module`. */
  type?: string;
}

export interface LoadSettings {
  waitUntil: WaitUntil;
  /** Whether time is run forward before the print, so that no animation is seen in its course. */
  finishesAnimations: boolean;
  waitForSelector: SelectorWait | undefined;
  /** An expression, or a function to call, until it is truthy. */
  waitForFunction: string | undefined;
  waitForTimeoutMs: number;
  /** Undefined: the operator's. */
  resourceTimeoutMs: number | undefined;
  device: Device;
  /** Added to the document once it is loaded, in this order. */
  added: AddedTag[];
  target: Target | undefined;
  failsOn: FailConditions;
  /** Nothing may be asked for: everything is refused. */
  offline: boolean;
}

/** How a document is loaded when nothing is said about it. */
export const PLAIN_LOAD: LoadSettings = {
  waitUntil: 'finished',
  finishesAnimations: true,
  waitForSelector: undefined,
  waitForFunction: undefined,
  waitForTimeoutMs: 0,
  resourceTimeoutMs: undefined,
  device: PLAIN_DEVICE,
  added: [],
  target: undefined,
  failsOn: { httpStatus: 'target', resourceError: false, consoleError: false },
  offline: false,
};

/** Whether the page holds something afterwards that is not undone: then it serves once. */
export function needsOwnPage(content: Content, { target }: LoadSettings): boolean {
  return content.kind === 'url' || target !== undefined;
}

export function failsTarget(failing: FailingStatus, status: number): boolean {
  return (failing !== 'none' && status >= 400) || (failing instanceof Set && failing.has(status));
}

export function failsResource(failing: FailingStatus, status: number): boolean {
  return (failing === 'all' && status >= 400) || (failing instanceof Set && failing.has(status));
}
