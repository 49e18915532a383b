/** Fails a render whose resources failed, if its caller wants no PDF in that case. */
import { ServiceError, type Subject } from '../../errors.ts';
import type { FailConditions } from './load-settings.ts';
import type { FailedResource } from './monitors/network-monitor.ts';

/** Number of resources of each kind that are named. */
export const MAX_NAMED = 100;

/** Throws `render_gate_failed`. */
export function requireResources(
  failed: FailedResource[],
  failures: number,
  { httpStatus, resourceError }: FailConditions,
): void {
  const { resources, isIgnored = () => false } = httpStatus;
  const answered = failed.filter(({ status, url }) => status !== undefined && resources.has(status) && !isIgnored(url));
  if (answered.length) throw gateFailed('failing_status', answered, answered.length);
  if (resourceError && failures) throw gateFailed('failing_resource', failed, failures);
}

function gateFailed(about: Subject, failed: FailedResource[], failures: number): ServiceError {
  const [first] = failed;
  const what = first?.refused ? 'refused' : (first?.status ?? first?.netError ?? first?.reason);
  const more = failures > 1 ? `, and ${failures - 1} more` : '';
  return new ServiceError('render_gate_failed', `{option}: ${first?.url} (${what})${more}`, {
    members: { resources: failed.slice(0, MAX_NAMED).map(describeFailure) },
    remedy: first?.remedy,
    about,
  });
}

function describeFailure({ url, refused, status, netError, reason }: FailedResource) {
  return {
    url,
    ...(refused && { refused }),
    ...(status !== undefined && { status }),
    ...(netError && { net_error: netError }),
    ...(reason && { reason }),
  };
}
