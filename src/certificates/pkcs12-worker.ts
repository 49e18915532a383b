/** The process that opens untrusted PKCS#12 files: a file and its password in; its key pair, or why it is unusable, out. */
import { serveTasks } from '../queue/serve-tasks.ts';
import {
  type CertificateFacts,
  checkChain,
  readFacts,
  type SigningKey,
  UnsuitableCertificateError,
} from './certificate-facts.ts';
import { trySigning } from './cms.ts';
import { NoKeyPairError, openPkcs12 } from './pkcs12.ts';
import { TooManyIterationsError, UnsupportedCipherError, WrongPasswordError } from './pkcs12-ciphers.ts';

export interface Pkcs12Task {
  content: Uint8Array;
  password: string;
}

export interface KeyPair {
  facts: CertificateFacts;
  /** PKCS#8. */
  key: Uint8Array;
  /** Starts with the certificate of the key. In DER. */
  chain: Uint8Array[];
}

export type OpenedPkcs12 = KeyPair | { wrongPassword: true } | { unusable: string };

serveTasks(open);

function open({ content, password }: Pkcs12Task): OpenedPkcs12 {
  try {
    const opened = openPkcs12(content, password);
    const key = opened.key.export({ format: 'der', type: 'pkcs8' });
    const chain = opened.chain.map(({ raw }) => raw);
    checkChain(chain);
    const pair = { facts: readFacts(opened), key, chain };
    requireTrialSignature(pair);
    return pair;
  } catch (error) {
    return error instanceof WrongPasswordError ? { wrongPassword: true } : { unusable: describeReason(error) };
  }
}

/** Makes a trial signature, so that problems are reported now and not with each document. */
function requireTrialSignature(pair: SigningKey): void {
  try {
    trySigning(pair);
  } catch (cause) {
    throw new UnsuitableCertificateError('no signature can be made with its key and its certificates', { cause });
  }
}

/** The reason does not quote the content of the file. */
function describeReason(error: unknown): string {
  if (error instanceof UnsuitableCertificateError) return error.message;
  if (error instanceof NoKeyPairError) return 'it contains no private key for its certificate';
  if (error instanceof UnsupportedCipherError)
    return `it uses ${error.message}, which is not supported; export it with AES-256 and SHA-256`;
  if (error instanceof TooManyIterationsError)
    return 'its key derivation uses too many iterations; export it with at most 100,000';
  return 'it is damaged, or not a PKCS#12 file';
}
