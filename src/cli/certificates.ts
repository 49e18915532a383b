/** `platen certificates`: manages certificates in the database directly, also while the service runs. */
import { Certificates } from '../certificates/certificates.ts';
import { Pkcs12Reader } from '../certificates/pkcs12-reader.ts';
import { loadConfig } from '../config.ts';
import { openSecretKeys } from '../services.ts';
import { openDatabase } from '../storage/database.ts';
import { print } from './terminal/print.ts';

/** Re-encrypts private keys with the first key of PLATEN_SECRET_KEY_FILE. */
export async function reencryptCertificates(): Promise<void> {
  const { storage, secretKeys } = loadConfig().services;
  await using database = await openDatabase(storage);
  const certificates = new Certificates(database, Date.now, new Pkcs12Reader(), openSecretKeys(secretKeys, database));
  print(`re-encrypted ${await certificates.reencrypt()} certificates`);
}
