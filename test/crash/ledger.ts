/** The ledger records every request and every reply. */
import { expect } from 'vitest';
import { Client, type DocumentRecord } from '../support/client.ts';
import type { IssuedKey, Service } from '../support/service.ts';
import { sha256 } from '../support/sha256.ts';

const ACCOUNTS = ['plain', 'auto', 'named', 'short'] as const;

/** One account. `plain` and `auto` store everything, without keys; requests of the others have an Idempotency-Key. */
export interface Account {
  name: (typeof ACCOUNTS)[number];
  issued: IssuedKey;
  client: Client;
  /** Renders that succeeded, and those that a kill left without a reply. */
  answered: number;
  lost: number;
  /** Renders without a reply that turned out to be stored. */
  found: number;
}

/** A document that a reply named. */
export interface Kept {
  id: string;
  account: Account;
  filename: string | undefined;
  sha256: string | undefined;
  expiresAt: number | undefined;
  /** `deleting`: the reply to a DELETE was lost. */
  state: 'kept' | 'deleting' | 'deleted';
  /** Was found to be gone once. It is checked again only at the end. */
  buried: boolean;
}

/** A request with an Idempotency-Key, repeated until it has a reply. */
export interface Named {
  name: string;
  account: Account;
  kind: 'document' | 'pdf' | 'template';
  /** The first reply: an id, or the digest of a PDF. Undefined until there is one. */
  result: string | undefined;
  /** Whether the first received reply was a replay, because the original one was lost. */
  unheard: boolean;
}

/** A template that one worker replaces repeatedly. */
export interface Replaced {
  id: string;
  worker: number;
  version: number;
  /** Whether the reply to the last PUT was lost. */
  pending: boolean;
}

export interface Reply {
  status: number;
  headers: Headers;
  /** Undefined if the service was killed meanwhile. */
  bytes: Buffer | undefined;
}

export class Ledger {
  readonly accounts: Readonly<Record<Account['name'], Account>>;
  readonly documents = new Map<string, Kept>();
  readonly named: Named[] = [];
  readonly replaced: Replaced[] = [];
  /** Requests without an Idempotency-Key. */
  unnamed = 0;

  private constructor(accounts: Account[]) {
    this.accounts = Object.fromEntries(accounts.map((account) => [account.name, account])) as Ledger['accounts'];
  }

  /** Creates the accounts, and a template for each worker. */
  static async open(service: Service, workers: number): Promise<Ledger> {
    const accounts: Account[] = [];
    for (const name of ACCOUNTS) {
      const issued = await service.createKey(name === 'short' ? 'short' : 'free');
      accounts.push({ name, issued, client: new Client(service.url, issued.key), answered: 0, lost: 0, found: 0 });
    }
    const ledger = new Ledger(accounts);
    const { auto, plain } = ledger.accounts;
    expect((await auto.client.send('PATCH', '/v1/account', { auto_store: true })).status).toBe(200);
    for (let worker = 0; worker < workers; worker++) {
      const { template_id: id } = await plain.client.template(htmlOf(worker, 1));
      ledger.replaced.push({ id, worker, version: 1, pending: false });
    }
    return ledger;
  }

  /** Call it after the service was restarted. */
  moveTo(service: Service): void {
    for (const account of Object.values(this.accounts)) account.client = new Client(service.url, account.issued.key);
  }

  /** Records a document from any reply that names one. */
  keep(account: Account, filename: string, { headers, bytes }: Reply): Kept {
    const id = headers.get('platen-document-id') ?? '';
    const isPdf = headers.get('content-type') === 'application/pdf';
    const record = bytes && !isPdf ? (JSON.parse(bytes.toString()) as DocumentRecord) : undefined;
    const digest = isPdf && bytes ? sha256(bytes) : record?.sha256;
    const document = this.document(account, id);
    if (digest) expect(document.sha256 ?? digest).toBe(digest);
    document.sha256 ??= digest;
    document.filename ??= filename;
    document.expiresAt ??= record && Date.parse(record.expires_at);
    return document;
  }

  /** Returns what is known about a document: only its id if it is new. */
  document(account: Account, id: string): Kept {
    const known = this.documents.get(id);
    if (known) return known;
    expect(id).toMatch(/^doc_[0-9A-Za-z]{22}$/);
    const nothing = { filename: undefined, sha256: undefined, expiresAt: undefined };
    const document: Kept = { id, account, ...nothing, state: 'kept', buried: false };
    this.documents.set(id, document);
    return document;
  }

  deletable(): Kept[] {
    return [...this.documents.values()].filter((document) => document.state === 'kept' && !mayBeOver(document));
  }

  unanswered(): Named[] {
    return this.named.filter(({ result }) => result === undefined);
  }
}

/** Whether the expiry that the service reported has passed. */
export function mayBeOver({ account, expiresAt }: Kept): boolean {
  return expiresAt === undefined ? account.name === 'short' : expiresAt <= Date.now();
}

export function isNamed({ name }: Account): boolean {
  return name === 'named' || name === 'short';
}

/** Several pages of text, each with the version. */
export function htmlOf(worker: number, version: number): string {
  return `<p>{{x}}</p>${`<p>worker ${worker}, version ${version}</p>`.repeat(500)}`;
}
