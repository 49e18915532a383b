/** Refuses steps that may break what a part is asked to conform to: parts and steps in, the errors of the steps out. */
import type { FieldError } from '../../errors.ts';
import { brokenClaims } from '../../pdf/assemble/claims.ts';
import type { Claims } from '../../pdf/conformance/profiles.ts';
import type { RenderRequest } from '../request/render-request.ts';
import type { GivenStep } from '../request/schemas/assembly-schema.ts';
import type { GivenFile } from '../request/values/given-file.ts';

const STANDARDS = { archive: 'PDF/A', accessible: 'PDF/UA' } as const;

interface Part {
  from: { request: RenderRequest } | GivenFile;
}

/** A step `conform` makes the claim again, or is refused itself. */
export function findBrokenClaims(parts: readonly Part[], steps: readonly GivenStep[]): FieldError[] {
  const asked = parts.flatMap(({ from }, part) => {
    const finish = 'request' in from ? from.request.finish : undefined;
    return finish?.conformance ? { part, claims: finish.conformance, option: finish.invoice ? 'invoice' : 'conformance' } : [];
  });
  if (!asked.length || steps.some(({ conform }) => conform)) return [];
  return steps.flatMap((step, number): FieldError[] => {
    const broken = asked.find(({ claims }) => breaks(step, claims).length);
    const [claim] = broken ? breaks(step, broken.claims) : [];
    if (!broken || !claim) return [];
    const wanted = `parts[${broken.part}].options.${broken.option}`;
    const message = `may break ${STANDARDS[claim]}, which ${wanted} asks for: leave one of them out, or end with the step conform`;
    return [{ path: `steps[${number}].${Object.keys(step)[0]}`, message }];
  });
}

/** The claims that a step breaks. */
function breaks(step: GivenStep, claims: Claims): Array<keyof Claims> {
  const drawn = step.stamp ?? step.watermark;
  const drawsForeign = drawn?.file !== undefined || drawn?.document_id !== undefined;
  return brokenClaims(Object.keys(step)[0] ?? '', drawsForeign, claims);
}
