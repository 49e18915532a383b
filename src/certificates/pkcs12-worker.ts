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
import { openPkcs12 } from './pkcs12.ts';
import { WrongPasswordError } from './pkcs12-ciphers.ts';

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
    if (error instanceof WrongPasswordError) return { wrongPassword: true };
    const isExplained = error instanceof UnsuitableCertificateError;
    return { unusable: isExplained ? error.message : 'it is damaged, or not a PKCS#12 file' };
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
