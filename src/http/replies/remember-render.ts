/** Records the answer to a render under its Idempotency-Key, in the transaction that charges for it. */
import type { Plan } from '../../accounts/plans.ts';
import type { Answer, Claim, Idempotency } from '../../idempotency/idempotency.ts';
import type { AnyRequest, CommitHook, Delivery } from '../../render/render.ts';

/** If the plan stores nothing, the result is not kept for the key either. */
export function rememberRender(idempotency: Idempotency, claim: Claim, request: AnyRequest, plan: Plan): CommitHook {
  let keeping: Promise<string> | undefined;
  let blob: string | undefined;
  return {
    async prepare(delivery) {
      if (delivery.document || !plan.retentionMs) return;
      keeping = idempotency.keep(delivery.file.chunks);
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

function toAnswer(request: AnyRequest, delivery: Delivery): Answer {
  const { file, document, remaining } = delivery;
  if (document) return { kind: 'document', documentId: document.id, asked: request.store === true, remaining };
  const { chunks: _chunks, timings: _timings, ...facts } = file;
  return { kind: 'file', ...facts, filename: request.filename ?? null, remaining };
}
