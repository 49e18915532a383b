/** The unsaved text in the editor of a template, which is kept if the key is refused. */
import type { Engine, TemplateRecord } from './records.ts';
import { onSignOut, session } from './session.ts';

export interface Draft {
  name: string;
  engine: Engine;
  html: string;
}

export interface Unsaved {
  /** Null for a new template. */
  templateId: string | null;
  /** The version in which the visitor began to write. */
  version: number | undefined;
  draft: Draft;
}

const BLANK: Draft = { name: '', engine: 'placeholders', html: '' };

let unsaved: (Unsaved & { accountId: string | undefined }) | undefined;
onSignOut(forgetUnsaved);

export function toDraft(template: TemplateRecord | null): Draft {
  return template ? { name: template.name, engine: template.engine, html: template.html ?? '' } : BLANK;
}

export function isSame(one: Draft, other: Draft): boolean {
  return one.name === other.name && one.engine === other.engine && one.html === other.html;
}

export function keepUnsaved(text: Unsaved): void {
  unsaved = { accountId: session.value?.account.account_id, ...text };
}

export function forgetUnsaved(): void {
  unsaved = undefined;
}

/** Returns the unsaved text of this template, after sign-in with a key of the same account. */
export function findUnsaved(templateId: string | null): Unsaved | undefined {
  if (unsaved?.templateId !== templateId || unsaved.accountId !== session.value?.account.account_id) return undefined;
  return unsaved;
}
