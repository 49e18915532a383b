/** What workers do until the kill: store, delete, replace, and send requests with keys. They record every reply in the ledger. */
import { expect } from 'vitest';
import { type Account, htmlOf, mayBeOver } from './ledger.ts';
import { type Load, send, textOf } from './load.ts';
import { sendAnyName, sendNewName, sendUnansweredName } from './names.ts';
import { pick } from './random.ts';

/** Approximate number of documents stored at one time. */
const CROWD = 60;
/** Frequent actions are listed several times. */
const ACTIONS: Array<(load: Load) => Promise<void>> = [
  storeUnnamed,
  storeUnnamed,
  storeUnnamed,
  storeUnnamed,
  storeNamed,
  storeNamed,
  storeNamed,
  sendUnansweredName,
  sendAnyName,
  remove,
  remove,
  replace,
];

export async function work(load: Load): Promise<void> {
  while (!load.killed) {
    const crowded = load.ledger.deletable().length > CROWD && load.random() < 0.6;
    await (crowded ? remove(load) : pick(ACTIONS, load.random)(load));
  }
}

function storeUnnamed(load: Load): Promise<void> {
  const { plain, auto } = load.ledger.accounts;
  return store(load, load.random() < 0.6 ? plain : auto);
}

function storeNamed(load: Load): Promise<void> {
  const { named, short } = load.ledger.accounts;
  return sendNewName(load, load.random() < 0.6 ? named : short);
}

async function store(load: Load, account: Account): Promise<void> {
  const isStored = account.name === 'plain';
  const label = `unnamed ${++load.ledger.unnamed}`;
  const body = { html: `<p>${label}`, filename: `${label}.pdf`, ...(isStored && { store: true }) };
  const accept = load.random() < 0.5 ? 'application/pdf' : 'application/json, */*';
  account.lost++; // until there is a reply
  const reply = await send(load, account, 'POST', '/v1/pdf', body, { accept });
  if (!reply) return;
  account.lost--;
  account.answered++;
  expect(reply.status, textOf(reply)).toBe(isStored ? 201 : 200);
  load.ledger.keep(account, body.filename, reply);
}

async function remove(load: Load): Promise<void> {
  const candidates = load.ledger.deletable();
  if (!candidates.length) return storeUnnamed(load);
  const document = pick(candidates, load.random);
  document.state = 'deleting';
  const reply = await send(load, document.account, 'DELETE', `/v1/documents/${document.id}`);
  if (!reply) return;
  const wasLate = mayBeOver(document) && reply.status === 410;
  if (!wasLate) expect(reply.status, textOf(reply)).toBe(204);
  document.state = wasLate ? 'kept' : 'deleted';
}

async function replace(load: Load): Promise<void> {
  const { accounts, replaced } = load.ledger;
  const template = replaced[load.worker];
  if (!template || template.pending) return;
  template.pending = true;
  const html = htmlOf(template.worker, template.version + 1);
  const reply = await send(load, accounts.plain, 'PUT', `/v1/templates/${template.id}`, { html });
  if (!reply) return;
  expect(reply.status, textOf(reply)).toBe(200);
  template.version++;
  template.pending = false;
}
