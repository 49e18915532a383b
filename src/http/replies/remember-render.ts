/** Records the answer to a render under its Idempotency-Key, in the transaction that charges for it. */
import type { Plan } from '../../accounts/plans.ts';
import type { StoredDocument } from '../../documents/documents.ts';
import type { Answer, Claim, Idempotency } from '../../idempotency/idempotency.ts';
import type { CommitHook, Delivery, ImageDelivery } from '../../render/render.ts';
import type { ImageRequest } from '../../render/request/image-request.ts';
import type { RenderRequest } from '../../render/request/render-request.ts';

interface Rendered {
  /** Undefined if the result was not stored. */
  document: StoredDocument | undefined;
}

export function rememberPdf(
  idempotency: Idempotency,
  claim: Claim,
  { store, filename }: Pick<RenderRequest, 'store' | 'filename'>,
  plan: Plan,
): CommitHook<Delivery> {
  return rememberRender<Delivery>(idempotency, claim, plan, {
    chunksOf: ({ pdf }) => pdf.chunks,
    answerOf({ pdf: { bytes, pages, report }, document, remaining }) {
      if (document) return { kind: 'document', documentId: document.id, asked: store === true, remaining };
      return { kind: 'pdf', bytes, pages, filename: filename ?? null, remaining, report };
    },
  });
}

export function rememberImage(
  idempotency: Idempotency,
  claim: Claim,
  { store, filename, capture }: Pick<ImageRequest, 'store' | 'filename' | 'capture'>,
  plan: Plan,
): CommitHook<ImageDelivery> {
  return rememberRender<ImageDelivery>(idempotency, claim, plan, {
    chunksOf: ({ image }) => image.chunks,
    answerOf({ image: { bytes, width, height, report }, document, remaining }) {
      if (document) return { kind: 'document', documentId: document.id, asked: store === true, remaining };
      const facts = { bytes, width, height, filename: filename ?? null, remaining, report };
      return { kind: 'image', type: `image/${capture.type}`, ...facts };
    },
  });
}

/** If the plan stores nothing, the result is not kept for the key either. */
function rememberRender<D extends Rendered>(
  idempotency: Idempotency,
  claim: Claim,
  plan: Plan,
  { chunksOf, answerOf }: { chunksOf(delivery: D): Buffer[]; answerOf(delivery: D): Answer },
): CommitHook<D> {
  let keeping: Promise<string> | undefined;
  let blob: string | undefined;
  return {
    async prepare(delivery) {
      if (delivery.document || !plan.retentionMs) return;
      keeping = idempotency.keep(chunksOf(delivery));
      blob = await keeping;
    },
    async write(delivery, query) {
      const { document } = delivery;
      const answer: Answer = document || blob !== undefined ? answerOf(delivery) : { kind: 'not_kept' };
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
