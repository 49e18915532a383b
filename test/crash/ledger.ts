/** The ledger: what was asked for, and every answer that came, told or found. */
import { expect } from 'vitest';
import { Client, type DocumentRecord } from '../support/client.ts';
import type { IssuedKey, Service } from '../support/service.ts';
import { sha256 } from '../support/sha256.ts';

const ACCOUNTS = ['plain', 'auto', 'named', 'short'] as const;

/** One account. On `plain` and `auto` everything is stored and nothing has a name; on the others every request has one. */
export interface Account {
  name: (typeof ACCOUNTS)[number];
  issued: IssuedKey;
  client: Client;
  /** Renders that were answered with success, and those the kill left without an answer. */
  answered: number;
  lost: number;
  /** Of the lost ones, those that turned out to have been stored. */
  found: number;
}

/** A document somebody was told of. */
export interface Kept {
  id: string;
  account: Account;
  filename: string | undefined;
  sha256: string | undefined;
  expiresAt: number | undefined;
  /** `deleting`: the answer to a DELETE got lost. */
  state: 'kept' | 'deleting' | 'deleted';
  /** Found to be gone once: looked at again in the end only. */
  buried: boolean;
}

/** A request under an Idempotency-Key, sent until it is answered. */
export interface Named {
  name: string;
  account: Account;
  kind: 'document' | 'pdf' | 'template';
  /** What the first answer was: an id, or the digest of a PDF. Undefined: none came yet. */
  result: string | undefined;
  /** The first answer that came was a replay: the service had answered, and nobody had heard it. */
  unheard: boolean;
}

/** A template that one worker replaces, again and again. */
export interface Replaced {
  id: string;
  worker: number;
  version: number;
  /** The answer to the last PUT got lost. */
  pending: boolean;
}

export interface Reply {
  status: number;
  headers: Headers;
  /** Undefined: the service died in the middle. */
  bytes: Buffer | undefined;
}

export class Ledger {
  readonly accounts: Readonly<Record<Account['name'], Account>>;
  readonly documents = new Map<string, Kept>();
  readonly named: Named[] = [];
  readonly replaced: Replaced[] = [];
  /** Requests without a name. */
  unnamed = 0;

  private constructor(accounts: Account[]) {
    this.accounts = Object.fromEntries(accounts.map((account) => [account.name, account])) as Ledger['accounts'];
  }

  /** Opens the accounts, and a template for each worker. */
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

  /** The service has been started anew. */
  moveTo(service: Service): void {
    for (const account of Object.values(this.accounts)) account.client = new Client(service.url, account.issued.key);
  }

  /** Notes a document from any answer that names one. */
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

  /** What is known of a document: nothing but its id, when it is new. */
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

/** Whether its time is over, as far as anybody was told when that is. */
export function mayBeOver({ account, expiresAt }: Kept): boolean {
  return expiresAt === undefined ? account.name === 'short' : expiresAt <= Date.now();
}

export function isNamed({ name }: Account): boolean {
  return name === 'named' || name === 'short';
}

/** Several pages of text, all of which tell the version. */
export function htmlOf(worker: number, version: number): string {
  return `<p>{{x}}</p>${`<p>worker ${worker}, version ${version}</p>`.repeat(500)}`;
}
