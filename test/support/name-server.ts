/** A DNS server for tests whose names resolve to the canary in every way that names can. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';

/** The answer to the nth query for the A records of a name; it also contains the answer for AAAA. */
type Zone = (nth: number) => { a?: string[]; aaaa?: string[]; fails?: boolean; afterMs?: number; alias?: string };

/** Addresses that every registry lists as public; nothing connects to them. */
const PUBLIC = '198.41.0.4';
const PUBLIC6 = '2d00::1';

/** The address of the allowed site, and of a canary on the same port. */
const SITE = '127.0.0.1';
const NEIGHBOUR = '127.0.0.2';

const ZONES: Record<string, Zone> = {
  private: () => ({ a: ['127.0.0.1'] }),
  private6: () => ({ aaaa: ['::1'] }),
  zero: () => ({ a: ['0.0.0.0'] }),
  zero6: () => ({ aaaa: ['::'] }),
  mapped: () => ({ aaaa: ['::ffff:127.0.0.1'] }),
  mixed: () => ({ a: ['127.0.0.1', PUBLIC] }),
  families: () => ({ a: ['127.0.0.1'], aaaa: [PUBLIC6] }),
  publiclast: () => ({ a: ['127.0.0.1', '127.0.0.2', PUBLIC], aaaa: [PUBLIC6] }),
  neighbours: () => ({ a: [NEIGHBOUR, SITE] }),
  alias: () => ({ alias: 'x.private.test', a: ['127.0.0.1'] }),
  rebind2: (nth) => ({ a: [nth < 2 ? SITE : NEIGHBOUR] }),
  rebind6: (nth) => ({ a: [nth < 6 ? SITE : NEIGHBOUR] }),
  halffailing: () => ({ fails: true, aaaa: ['::1'] }),
  failing: () => ({ fails: true }),
  slow: () => ({ a: ['127.0.0.1'], afterMs: 200 }),
};

const TYPE_A = 1;
const TYPE_CNAME = 5;
const TYPE_AAAA = 28;
const HEADER_BYTES = 12;
const NAME_OF_QUESTION = 0xc000 | HEADER_BYTES;
const NO_SUCH_NAME = 3;
const SERVER_FAILURE = 2;

export class NameServer implements Disposable {
  /** Names that were queried. */
  readonly queriedNames = new Set<string>();
  readonly #socket: Socket;
  readonly #counts = new Map<string, number>();
  readonly #lan: string;

  static async start(lan: string): Promise<NameServer> {
    const server = new NameServer(lan);
    server.#socket.bind(0, '127.0.0.1');
    await once(server.#socket, 'listening');
    return server;
  }

  private constructor(lan: string) {
    this.#lan = lan;
    this.#socket = createSocket('udp4', (message, from) => this.#reply(message, from));
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  close(): void {
    this.#socket.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #reply(message: Buffer, from: RemoteInfo): void {
    const { name, type, end } = readQuestion(message);
    this.queriedNames.add(name);
    const nth = (this.#counts.get(name) ?? 0) + (type === TYPE_A ? 1 : 0);
    this.#counts.set(name, nth);
    const zone = this.#zoneOf(name)?.(nth);
    const { failure, records } = this.#answerOf(zone, type);
    const send = () => this.#socket.send(answerTo(message, end, failure, records), from.port, from.address, () => {});
    if (zone?.afterMs) setTimeout(send, zone.afterMs);
    else send();
  }

  #answerOf(zone: ReturnType<Zone> | undefined, type: number): { failure: number; records: Buffer[] } {
    if (!zone) return { failure: NO_SUCH_NAME, records: [] };
    const addresses = type === TYPE_A ? zone.a : zone.aaaa;
    if (zone.fails && !addresses) return { failure: SERVER_FAILURE, records: [] };
    return { failure: 0, records: recordsOf(addresses ?? [], zone.alias) };
  }

  #zoneOf(name: string): Zone | undefined {
    const zone = name.split('.').at(-2) ?? '';
    return zone === 'lan' ? () => ({ a: [this.#lan] }) : ZONES[zone];
  }
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message[at] ?? 0; length; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function recordsOf(addresses: string[], alias: string | undefined): Buffer[] {
  const ofAddresses = addresses.map((address) => {
    const bytes = ipaddr.parse(address).toByteArray();
    return record(bytes.length === 4 ? TYPE_A : TYPE_AAAA, Buffer.from(bytes), alias);
  });
  return alias && addresses.length ? [record(TYPE_CNAME, nameBytes(alias)), ...ofAddresses] : ofAddresses;
}

/** Builds a record with a TTL of 0. Without `name`, it belongs to the name in the query. */
function record(type: number, data: Buffer, name?: string): Buffer {
  const owner = name ? nameBytes(name) : uint16(NAME_OF_QUESTION);
  return Buffer.concat([owner, uint16(type), uint16(1), uint16(0), uint16(0), uint16(data.length), data]);
}

function answerTo(query: Buffer, end: number, failure: number, records: Buffer[]): Buffer {
  const counts = [1, records.length, 0, 0].map(uint16);
  const flags = uint16(0x8180 | failure); // a response, with recursion desired and available
  return Buffer.concat([query.subarray(0, 2), flags, ...counts, query.subarray(HEADER_BYTES, end), ...records]);
}

function nameBytes(name: string): Buffer {
  return Buffer.concat([
    ...name.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`)),
    Buffer.of(0),
  ]);
}

function uint16(value: number): Buffer {
  return Buffer.of(value >> 8, value & 0xff);
}
