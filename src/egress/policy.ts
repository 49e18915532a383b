/**
 * What may be reached: a host and a port in, the addresses that may be connected to out, or a refusal. A name that no rule can
 * allow is not resolved. Any other is resolved once, every address it has is judged, and only what was judged is connected to.
 */
import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { isPublic, parseAddress } from './address.ts';
import { type Destination, parseRules, type Rule } from './rules.ts';

export interface OutboundSettings {
  /** `listed`: only what `outboundAllow` names; `none`: nothing at all, whatever the rules say. */
  outbound: 'public' | 'listed' | 'none';
  outboundAllow: string;
  outboundDeny: string;
  /** Ports that may be reached in the public internet. */
  outboundPorts: number[];
  /** Name servers to ask; empty: as the system resolves names. */
  dnsServers: string[];
}

/** Why a connection is not made. The reason is for the operator's log: a page is told nothing. */
export class Refusal extends Error {
  override name = 'Refusal';
  /** Set where it is not refused but cannot be done, in the words of Chromium's network errors. */
  readonly netError: string | undefined;
  /** By the budget of the render, not by the policy. */
  readonly overBudget: boolean;

  constructor(reason: string, { netError, overBudget = false }: { netError?: string; overBudget?: boolean } = {}) {
    super(reason);
    this.netError = netError;
    this.overBudget = overBudget;
  }
}

type Resolve = (host: string) => Promise<string[]>;

const RESOLVE_TIMEOUT_MS = 5_000;
const HOSTS_FILE = '/etc/hosts';
const RESOLVE_TRY_MS = 1_000;
const UNRESOLVED = { netError: 'ERR_NAME_NOT_RESOLVED' };

export class OutboundPolicy {
  readonly #settings: OutboundSettings;
  readonly #reach: OutboundSettings['outbound'];
  readonly #allow: Rule[];
  readonly #deny: Rule[];
  readonly #ports: ReadonlySet<number>;
  readonly #resolve: Resolve;
  /** Ports of this process. */
  readonly #ownPorts: Set<number>;

  /** `ownPorts` is for policies that protect the same ones. */
  constructor(settings: OutboundSettings, ownPorts = new Set<number>()) {
    this.#settings = settings;
    this.#reach = settings.outbound;
    this.#allow = parseRules(settings.outboundAllow);
    this.#deny = parseRules(settings.outboundDeny);
    this.#ports = new Set(settings.outboundPorts);
    this.#resolve = resolverOf(settings.dnsServers);
    this.#ownPorts = ownPorts;
  }

  /** The same policy with other rules of what is allowed, for documents of people who are trusted less. */
  allowing(outboundAllow: string): OutboundPolicy {
    return new OutboundPolicy({ ...this.#settings, outboundAllow }, this.#ownPorts);
  }

  /** Nothing can make this port of this machine reachable. */
  protect(port: number): void {
    this.#ownPorts.add(port);
  }

  unprotect(port: number): void {
    this.#ownPorts.delete(port);
  }

  /** The addresses to try, in this order. Throws `Refusal`. */
  async admit(host: string, port: number): Promise<string[]> {
    if (this.#reach === 'none') throw new Refusal('PLATEN_OUTBOUND is none');
    const name = canonicalName(host);
    const addresses = literalAddress(name) ?? (await this.#addressesOf(name, port));
    for (const address of addresses) this.#judge({ host: name, address, port });
    return addresses;
  }

  async #addressesOf(host: string, port: number): Promise<string[]> {
    this.#judgeName(host, port);
    const found = await this.#resolve(host);
    if (!found.length) throw new Refusal('the name has no address', UNRESOLVED);
    return found;
  }

  /**
   * A look-up is a message to whoever answers for the name: what it could not change is refused without one. With `listed` a name
   * has to be allowed by name; otherwise a rule by address would have every name looked up, to see where it leads.
   */
  #judgeName(host: string, port: number): void {
    const isNamedBy = (rule: Rule) => rule.byName && rule.matches({ host, address: '', port });
    if (this.#deny.some(isNamedBy)) throw denied();
    if (this.#allow.some(isNamedBy)) return;
    if (this.#reach === 'listed') throw notListed();
    if (this.#ports.has(port) || this.#allow.some((rule) => !rule.byName && rule.includesPort(port))) return;
    throw onClosedPort();
  }

  #judge(to: Destination): void {
    const isOwn = isOfThisMachine(to.address);
    if (isOwn && this.#ownPorts.has(to.port)) throw new Refusal('the port belongs to the service itself');
    if (this.#deny.some((rule) => rule.matches(to))) throw denied();
    if (this.#allow.some((rule) => rule.matches(to))) return;
    if (this.#reach === 'listed') throw notListed();
    if (isOwn || !isPublic(to.address)) throw new Refusal('not in the public internet');
    if (!this.#ports.has(to.port)) throw onClosedPort();
  }
}

const denied = () => new Refusal('PLATEN_OUTBOUND_DENY names it');
const notListed = () => new Refusal('PLATEN_OUTBOUND_ALLOW does not include it');
const onClosedPort = () => new Refusal('the port is not in PLATEN_OUTBOUND_PORTS');

/** As the connection will read it: URL has turned odd digits and odd numbers into plain ones; the last dot means nothing. */
function canonicalName(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

/** What can be told without a look-up. */
function literalAddress(host: string): string[] | undefined {
  if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1']; // RFC 6761
  const address = parseAddress(host);
  return address && [address.toString()];
}

function isOfThisMachine(text: string): boolean {
  const address = parseAddress(text);
  if (!address || ['loopback', 'unspecified'].includes(address.range())) return true;
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return own.some((each) => parseAddress(each.address)?.toString() === address.toString());
}

function resolverOf(servers: string[]): Resolve {
  const resolver = new Resolver({ timeout: RESOLVE_TRY_MS, tries: Math.ceil(RESOLVE_TIMEOUT_MS / RESOLVE_TRY_MS) });
  if (servers.length) resolver.setServers(servers);
  const resolve = servers.length ? askServers(resolver) : resolveAsTheSystem(askServers(resolver));
  return async (host) => {
    const { promise, reject } = Promise.withResolvers<never>();
    const late = () => reject(new Refusal('the name could not be resolved in time', UNRESOLVED));
    const timer = setTimeout(late, RESOLVE_TIMEOUT_MS);
    try {
      return await Promise.race([resolve(host), promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Asks over the network itself: name servers that do not answer hold nobody else up, as they do where the system asks. */
function askServers(resolver: Resolver): Resolve {
  return async (host) => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}

/**
 * The hosts file, then the system's name servers. A name without a dot may have to be completed, which the system alone can do; who
 * sends documents has no say in how long that takes.
 */
function resolveAsTheSystem(ask: Resolve): Resolve {
  return async (host) => {
    const known = await inHostsFile(host);
    if (known.length) return known;
    if (host.includes('.')) return ask(host);
    const found = await lookup(host, { all: true, order: 'ipv4first' }).catch(() => []);
    return found.map(({ address }) => address);
  };
}

/** Read anew each time: it may change while the service runs, and is small. */
async function inHostsFile(host: string): Promise<string[]> {
  const text = await readFile(HOSTS_FILE, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = (line.split('#')[0] ?? '').trim().toLowerCase().split(/\s+/);
    return names.includes(host) && parseAddress(address) ? [address] : [];
  });
}
