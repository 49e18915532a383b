/** Finds stored certificates whose secret key is missing, so that they cannot sign, and says what the operator can do. */
import { join } from 'node:path';
import { OWN_FILE, SecretKeys } from '../certificates/secret-keys.ts';
import type { Config } from '../config.ts';

type Settings = Pick<Config['services'], 'storage' | 'secretKeys'>;

/** `certificates` are their numbers by the id of their secret key. Throws `SecretKeyError`. */
export function countLostCertificates(settings: Settings, certificates: Record<string, number>): { all: number; lost: number } {
  const keys = new SecretKeys({ ...settings.secretKeys, isShared: settings.storage.databaseUrl !== '' });
  const counts = Object.entries(certificates);
  const sum = (some: typeof counts) => some.reduce((total, [, count]) => total + count, 0);
  return { all: sum(counts), lost: sum(counts.filter(([id]) => !keys.has(id))) };
}

/** The file with the secret key. */
export function secretKeyFile({ storage, secretKeys }: Settings): string {
  if (secretKeys.secretKeyFile) return secretKeys.secretKeyFile;
  return storage.databaseUrl ? 'the file that PLATEN_SECRET_KEY_FILE names' : join(secretKeys.dataDir, OWN_FILE);
}

export function describeLack(file: string): string {
  return `the secret key that encrypts their private keys is not in ${file}`;
}

export function describeRemedy(file: string): string {
  return `copy the key of the service that stored them to ${file}, as another line if the file exists, and restart the service; or set PLATEN_SECRET_KEY_FILE to it; without it, the certificates have to be uploaded again`;
}
