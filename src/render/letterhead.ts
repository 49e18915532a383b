/** Prints on letterheads, which are stored or given PDFs of any program. */
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Principal } from '../accounts/accounts.ts';
import type { Deadline } from '../deadline.ts';
import type { Documents } from '../documents/documents.ts';
import { hasCode, invalidField, ServiceError } from '../errors.ts';
import type { Letterhead } from '../pdf/finish-settings.ts';
import type { Validated } from '../pdf/validate/validate.ts';
import { type PrintEngine, type RenderedPdf, renderPdf } from './pdf.ts';
import type { PrintOrder } from './print-order.ts';
import type { RenderOwner } from './render-owner.ts';
import type { FinishPlan } from './request/finish-options.ts';

export interface LetterheadServices {
  documents: Pick<Documents, 'find' | 'read'>;
  /** See `uploads/letterheads.ts`. */
  letterheads: { prepare(owner: string, digest: string, read: () => Promise<Uint8Array>): Promise<Letterhead> };
  /** See `uploads/validate-uploads.ts`. */
  uploadValidation: {
    validate(
      owner: string,
      content: Uint8Array,
      profiles: undefined,
      signal?: AbortSignal,
    ): Promise<Pick<Validated, 'violations'>>;
  };
}

type Owner = Pick<Principal, 'keyId' | 'accountId'>;

/** For whom, and until when. */
interface Circumstances {
  principal: Owner;
  owner: RenderOwner;
  deadline: Deadline;
}

/** Like `renderPdf`, on the letterhead that the order names. */
export async function printOnLetterhead(
  engine: PrintEngine,
  order: PrintOrder,
  services: LetterheadServices,
  { principal, owner, deadline }: Circumstances,
): Promise<RenderedPdf> {
  const { finish } = order;
  const letterhead = await openLetterhead(services, finish.letterhead, principal, deadline);
  const printed = await renderPdf(engine, { ...order, letterhead }, owner, deadline);
  await requireConforming(services, finish, printed.chunks, principal, deadline);
  return printed;
}

/** Throws `invalid_request`, `not_found`, and what preparing it throws. */
export async function openLetterhead(
  { documents, letterheads }: Pick<LetterheadServices, 'documents' | 'letterheads'>,
  given: FinishPlan['letterhead'],
  { keyId, accountId }: Owner,
  deadline: Deadline,
): Promise<Letterhead | undefined> {
  if (!given) return undefined;
  try {
    if ('content' in given) {
      const digest = createHash('sha256').update(given.content).digest('hex');
      return await deadline.race(letterheads.prepare(accountId, digest, async () => given.content));
    }
    const document = await documents.find(keyId, given.documentId);
    if (document.image) throw invalidField('', 'is an image');
    const read = async () => buffer(await documents.read(document));
    return await deadline.race(letterheads.prepare(accountId, document.sha256, read));
  } catch (error) {
    if (hasCode(error, 'resource_limit')) throw error.reword(error.message.replace(/^parts\[0\]/, 'options.letterhead'));
    throw hasCode(error, 'invalid_request') ? invalidField('options.letterhead', UNUSABLE) : error;
  }
}

const UNUSABLE = 'is damaged, is protected by a password, has hidden layers, or is not a PDF';

const REMEDY = 'Use a letterhead whose fonts are embedded and whose colours are those of the profile.';

/** Checks what a PDF with a letterhead claims, because the letterhead may break it. Throws `not_conformant`. */
async function requireConforming(
  { uploadValidation }: Pick<LetterheadServices, 'uploadValidation'>,
  { letterhead, conformance }: Pick<FinishPlan, 'letterhead' | 'conformance'>,
  chunks: readonly Buffer[],
  { accountId }: Owner,
  deadline: Deadline,
): Promise<void> {
  if (!letterhead || !conformance) return;
  const checked = uploadValidation.validate(accountId, Buffer.concat(chunks), undefined, deadline.signal);
  const [first, ...more] = (await deadline.race(checked)).violations;
  if (!first) return;
  const violations = [first, ...more].map(({ rule, clause, message }) => {
    return { rule, clause, message, selector: null, snippet: null, remedy: REMEDY };
  });
  throw new ServiceError('not_conformant', `with options.letterhead, the PDF breaks ${first.rule}: ${first.message}`, {
    members: { violations },
  });
}
