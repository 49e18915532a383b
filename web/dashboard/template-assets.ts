/** Changes the files of a stored template. */
import type { TemplateRecord } from './records.ts';
import { call, ifVersion } from './session.ts';

export function assetPath(id: string, path: string): string {
  return `/v1/templates/${encodeURIComponent(id)}/assets/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** Adds or replaces a file, and returns the new version. Throws with status 412 if there is a newer one already. */
export function putAsset(template: Versioned, path: string, file: Blob): Promise<TemplateRecord> {
  const headers = { 'content-type': file.type || 'application/octet-stream' };
  return changeAsset(template, path, { method: 'PUT', headers, body: file });
}

export async function changeAsset({ template_id, version }: Versioned, path: string, init: RequestInit): Promise<TemplateRecord> {
  const headers = { ...(init.headers as Record<string, string> | undefined), ...ifVersion(version) };
  return (await (await call(assetPath(template_id, path), { ...init, headers })).json()) as TemplateRecord;
}

type Versioned = Pick<TemplateRecord, 'template_id' | 'version'>;
