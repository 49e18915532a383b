/** The process that opens PKCS#12 files from outside: a file and its password in, the key pair with its facts out, or why it is of no use. */
import { serveTasks } from '../queue/serve-tasks.ts';
import { type CertificateFacts, checkChain, factsOf, type SigningKey, Unsuitable } from './certificate-facts.ts';
import { trySigning } from './cms.ts';
import { NoKeyPair, openPkcs12 } from './pkcs12.ts';
import { TooCostly, Unsupported, WrongPassword } from './pkcs12-ciphers.ts';

export interface Pkcs12Task {
  content: Uint8Array;
  password: string;
}

export interface KeyPair {
  facts: CertificateFacts;
  /** PKCS#8. */
  key: Uint8Array;
  /** The certificate of the key first. */
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
    const pair = { facts: factsOf(opened), key, chain };
    requireSignature(pair);
    return pair;
  } catch (error) {
    return error instanceof WrongPassword ? { wrongPassword: true } : { unusable: reasonOf(error) };
  }
}

/** Whatever keeps it from signing is to be known now, and not by each document. */
function requireSignature(pair: SigningKey): void {
  try {
    trySigning(pair);
  } catch (cause) {
    throw new Unsuitable('no signature can be made with its key and its certificates', { cause });
  }
}

/** Says nothing of what is in the file. */
function reasonOf(error: unknown): string {
  if (error instanceof Unsuitable) return error.message;
  if (error instanceof NoKeyPair) return 'it holds no private key with its certificate';
  if (error instanceof Unsupported) return `it uses ${error.message}, which is not supported; export it with AES-256 and SHA-256`;
  if (error instanceof TooCostly) return 'its key derivation asks for too many iterations; export it with at most 100,000';
  return 'it is damaged, or not a PKCS#12 file';
}
