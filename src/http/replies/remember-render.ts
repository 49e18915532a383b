/** Records the answer to a render under its Idempotency-Key, in the transaction that charges for it. */
import type { Plan } from '../../accounts/plans.ts';
import type { Answer, Claim, Idempotency } from '../../idempotency/idempotency.ts';
import type { CommitHook, Delivery, ImageDelivery } from '../../render/render.ts';
import type { ImageRequest } from '../../render/request/image-request.ts';
import type { RenderRequest } from '../../render/request/render-request.ts';
import { PDF } from '../server/negotiation.ts';

type AnyDelivery = Delivery | ImageDelivery;

export function deliveredFile(delivery: AnyDelivery) {
  return 'pdf' in delivery ? delivery.pdf : delivery.image;
}

/** The media type of the file that a request asks for. */
export function requestedType(request: RenderRequest | ImageRequest): string {
  return 'capture' in request ? `image/${request.capture.type}` : PDF;
}

/** If the plan stores nothing, the result is not kept for the key either. */
export function rememberRender(
  idempotency: Idempotency,
  claim: Claim,
  request: RenderRequest | ImageRequest,
  plan: Plan,
): CommitHook<AnyDelivery> {
  let keeping: Promise<string> | undefined;
  let blob: string | undefined;
  return {
    async prepare(delivery) {
      if (delivery.document || !plan.retentionMs) return;
      keeping = idempotency.keep(deliveredFile(delivery).chunks);
      blob = await keeping;
    },
    async write(delivery, query) {
      const { document } = delivery;
      const answer: Answer = document || blob !== undefined ? toAnswer(request, delivery) : { kind: 'not_kept' };
      await idempotency.complete(claim, answer, query, {
        ...(document && { resourceId: document.id }),
        ...(blob !== undefined && { blob: { name: blob, keptMs: plan.retentionMs } }),
      });
    },
    async undo(reason) {
      // The write may still be running when the deadline of the render ends.
      keeping?.then((kept) => idempotency.discard(kept, reason)).catch(() => {});
    },
  };
}

function toAnswer(request: RenderRequest | ImageRequest, delivery: AnyDelivery): Answer {
  const { document, remaining } = delivery;
  if (document) return { kind: 'document', documentId: document.id, asked: request.store === true, remaining };
  const { chunks: _chunks, timings: _timings, ...facts } = deliveredFile(delivery);
  return { kind: 'file', type: requestedType(request), ...facts, filename: request.filename ?? null, remaining };
}
