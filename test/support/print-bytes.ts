/** Returns the bytes of a PDF reply, to compare them with those of another. */
import { expect } from 'vitest';
import { bytesOf } from './client.ts';

export async function printBytes(response: Response): Promise<string> {
  expect(response.status, response.ok ? '' : await response.clone().text()).toBe(200);
  return withoutDates(await bytesOf(response));
}

/** Removes the dates, which change every second, and everything derived from them. */
export function withoutDates(pdf: Buffer): string {
  return pdf
    .toString('latin1')
    .replace(/\(D:\d{14}[^)]*\)/g, '(date)')
    .replace(/\/ID ?\[[^\]]*\]/g, '/ID');
}
