/** Documents, settings and a finish function for the tests of finishing. */

import type { FinishSettings, PageStamp } from '../../src/pdf/finish-settings.ts';
import { Finisher, type FinisherSettings } from '../../src/pdf/finisher.ts';
import { PIXEL_URL } from './pixel.ts';

export const SECRET = Buffer.alloc(32, 7);

export const DOCUMENT = `<!doctype html><html lang=en><title>Quarterly “report” №1</title><h1>First</h1><p>Hello <b>bold</b> and <i>italic</i>
<img src="${PIXEL_URL}" alt=dot> <a href="https://example.com/">link</a><h2 style="break-before: page">Second</h2><p>Żółw, Ελληνικά</p>`;

export const TAGGED = { tagged: true, outline: true };

/** 500 rows of 4 cells, tagged. */
export const TABLE = `<!doctype html><html lang=en><title>Table</title><table>${Array.from(
  { length: 500 },
  (_, row) => `<tr><td>row ${row}<td>item ${row * 7}<td>${row * 3.5}<td>note`,
).join('')}</table>`;

export function settings(changes: Partial<FinishSettings> = {}): FinishSettings {
  return {
    boundary: 'key',
    metadata: {},
    compress: false,
    attachments: [],
    watermark: undefined,
    password: undefined,
    ...changes,
  };
}

export function watermark(stamp: Buffer, changes: Partial<PageStamp> = {}): PageStamp {
  return { stamp: [Buffer.from(stamp)], pages: [], opacity: 0.5, layer: 'over', rotate: 0, ...changes };
}

export function openFinisher(changes: Partial<FinisherSettings> = {}): Finisher {
  return new Finisher({ threads: 1, heapMb: 256, secret: SECRET, ...changes });
}

/** Finishes a copy of the PDF and leaves the original unchanged. */
export async function finish(
  finisher: Finisher,
  pdf: Buffer,
  changes: Partial<FinishSettings> = {},
  signal = new AbortController().signal,
): Promise<Buffer> {
  return Buffer.concat(await finisher.finish(inChunks(pdf), settings(changes), signal));
}

export function inChunks(pdf: Buffer, size = 5_000): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < pdf.length; at += size) pieces.push(Buffer.from(pdf.subarray(at, at + size)));
  return pieces;
}
