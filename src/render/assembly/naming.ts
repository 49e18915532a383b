/** Names the part or the step of an assembly in its errors, as the body of the request has it. */
import { errorsWithin, hasCode, invalidRequest, ServiceError } from '../../errors.ts';
import { stepPath } from '../../pdf/assemble/steps.ts';

export function inPart<T>(index: number, work: () => Promise<T>): Promise<T> {
  return naming(`parts[${index}]`, work);
}

export function inStep<T>(
  { number, step }: { number: number; step: Parameters<typeof stepPath>[1] },
  work: () => Promise<T>,
): Promise<T> {
  return naming(stepPath(number, step), work);
}

/** Where in the request the work has come to. */
interface Progress {
  at: string;
  note(at: string): void;
}

/** Names what `work` has last noted if the time is over, because who waits for it learns nothing else. */
export async function namingLate<T>(work: (progress: Progress) => Promise<T>): Promise<T> {
  const progress: Progress = {
    at: '',
    note(at) {
      progress.at = at;
    },
  };
  try {
    return await work(progress);
  } catch (error) {
    throw progress.at && hasCode(error, 'render_timeout') ? error.reword(`${progress.at}: ${error.message}`) : error;
  }
}

/** What errors of prints begin with, where it is the step itself. */
const SIGNATURE = /^options\.signature\b/;
/** What errors about a member begin with. */
const MEMBER = /^(?:options|data)[.\w[\]]*: /;

/** Errors name the part or the step. */
async function naming<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === 'invalid_request') throw invalidRequest(errorsWithin(name, error));
    const message = error.message.replace(SIGNATURE, '');
    throw error.reword(`${name}${joint(message)}${message}`);
  }
}

function joint(message: string): string {
  if (/^[.:]/.test(message)) return '';
  return MEMBER.test(message) ? '.' : ': ';
}
