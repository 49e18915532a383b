/** Names the part or the step of an assembly in its errors. */
import { errorsWithin, invalidRequest, ServiceError } from '../../errors.ts';

export function inPart<T>(index: number, work: () => Promise<T>): Promise<T> {
  return naming(`parts[${index}]`, work);
}

export function inStep<T>(number: number, work: () => Promise<T>): Promise<T> {
  return naming(`steps[${number}]`, work);
}

/** Errors of prints name their option. */
const SIGNATURE = /^options\.signature\b/;

/** Errors name the part or the step. */
async function naming<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === 'invalid_request') throw invalidRequest(errorsWithin(name, error));
    throw error.reword(`${name}: ${error.message.replace(SIGNATURE, 'sign')}`);
  }
}
