/** The bytes of a PDF, to be compared with those of another. */
import { expect } from 'vitest';
import { bytesOf } from './client.ts';

export async function printBytes(response: Response): Promise<string> {
  expect(response.status, response.ok ? '' : await response.clone().text()).toBe(200);
  return withoutDates(await bytesOf(response));
}

/** But for the dates, which differ from second to second, and what is made of them. */
export function withoutDates(pdf: Buffer): string {
  return pdf
    .toString('latin1')
    .replace(/\(D:\d{14}[^)]*\)/g, '(date)')
    .replace(/\/ID ?\[[^\]]*\]/g, '/ID');
}
