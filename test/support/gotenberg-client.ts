/** Sends forms to the routes of Gotenberg, as its clients do. */
import { expect } from 'vitest';

/** Values by their names. Members with a dot in their name are files of the field `files`; a list sends a field several times. */
export type Fields = Record<string, string | Uint8Array | readonly (string | File)[]>;

export function formOf(fields: Fields): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    if (Array.isArray(value)) for (const each of value as Array<string | File>) form.append(name, each as string);
    else if (name.includes('.')) form.append('files', new Blob([value as string]), name);
    else form.append(name, value as string);
  return form;
}

export class GotenbergClient {
  readonly url: string;
  readonly key: string;

  constructor(url: string, key: string) {
    this.url = url;
    this.key = key;
  }

  /** `path` is below `/forms`. */
  post(path: string, fields: Fields, headers: Record<string, string> = {}): Promise<Response> {
    const authorization = `Bearer ${this.key}`;
    return fetch(`${this.url}/forms/${path}`, { method: 'POST', headers: { authorization, ...headers }, body: formOf(fields) });
  }
}

/** The text of a refusal with this status. */
export async function refusal(reply: Promise<Response>, code: number): Promise<string> {
  const response = await reply;
  expect(response.status).toBe(code);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=UTF-8');
  expect(response.headers.get('gotenberg-trace')).toBeTruthy();
  return response.text();
}
