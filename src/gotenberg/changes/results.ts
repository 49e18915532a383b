/** The results of changes: what they must conform to, and how they are sent. */
import type { Principal } from '../../accounts/accounts.ts';
import { invalidField, ServiceError } from '../../errors.ts';
import type { RouteServices } from '../../http/routes/services.ts';
import { PDF } from '../../http/server/negotiation.ts';
import { ALL_PROFILES, type AnyProfile } from '../../pdf/conformance/profiles.ts';
import { archiveOf } from '../../render/assembly/archive.ts';
import type { Packed } from '../../render/assembly/assembly-request.ts';
import { toConformance } from '../form.ts';
import type { GotenbergForm } from '../sent-form.ts';

export interface NamedFile {
  name: string;
  content: Buffer;
}

/** The profiles that the form asks for. Throws `invalid_request` for a field that none of them allows. */
export function readProfiles({ values, aliases, embeds }: GotenbergForm): AnyProfile[] {
  const { conformance = [] } = toConformance(values);
  const isKnown = (name: unknown): name is AnyProfile => ALL_PROFILES.some((profile) => profile === name);
  const archives = ALL_PROFILES.filter((each) => each.startsWith('PDF/A'));
  const field = values.has('pdfa') ? (aliases.get('pdfa') ?? 'pdfa') : 'nativePdfa';
  if (!conformance.every(isKnown)) throw invalidField(field, `is invalid: must be one of ${archives.join(', ')}`);
  const password = ['userPassword', 'ownerPassword'].find((name) => values.has(name));
  if (conformance.length && password) throw invalidField(password, 'cannot be combined with pdfa or pdfua');
  if (conformance.includes('PDF/A-1b') && embeds.length) throw invalidField('embeds', 'cannot be combined with PDF/A-1b');
  return conformance.filter(isKnown);
}

/** Throws `not_conformant` for the first PDF that breaks a rule. */
export async function requireConformance(
  { uploadValidation }: Pick<RouteServices, 'uploadValidation'>,
  contents: readonly Buffer[],
  profiles: AnyProfile[],
  { principal, client }: { principal: Pick<Principal, 'accountId'>; client: AbortSignal },
): Promise<void> {
  for (const content of profiles.length ? contents : []) {
    const { violations } = await uploadValidation.validate(principal.accountId, content, profiles, client);
    if (violations.length)
      throw new ServiceError('not_conformant', `the PDF does not conform to ${profiles.join(' and ')}`, {
        members: { violations },
      });
  }
}

export function nameFiles(contents: readonly Buffer[], stem: string, isSplit: boolean): NamedFile[] {
  return contents.map((content, index) => ({ name: isSplit ? `${stem}_${index}.pdf` : `${stem}.pdf`, content }));
}

/** One file is sent as it is, and several in an archive. */
export async function packFiles(files: readonly NamedFile[], type = PDF): Promise<Packed & { name?: string | undefined }> {
  const contents = files.map(({ content }) => content);
  const chunks = contents.length === 1 ? contents : [await archiveOf(contents, (index) => files[index]?.name ?? '')];
  const isOne = contents.length === 1;
  return { type: isOne ? type : 'application/zip', chunks, bytes: bytesOf(chunks), name: isOne ? files[0]?.name : undefined };
}

export function bytesOf(contents: readonly Buffer[]): number {
  return contents.reduce((sum, { length }) => sum + length, 0);
}
