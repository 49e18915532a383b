/** Bytes that cannot be compressed, and are the same in each run, so that a failure can be repeated. */
import { DeterministicRandom } from '../../src/pdf/objects/deterministic-random.ts';

/** Returns this many bytes; others for another seed. */
export function noise(count: number, seed = 0): Buffer {
  return new DeterministicRandom(Buffer.from('noise'), Buffer.from(`${seed}`)).bytes(count);
}
