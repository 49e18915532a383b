/**
 * Decides which hosts may be reached: a host and a port in, the addresses to connect to or a refusal out. A name that no rule can
 * allow is not resolved. Any other name is resolved once, each of its addresses is checked, and only checked addresses are
 * connected to.
 */
import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { isPublic, parseAddress } from './address.ts';
import { type Destination, parseRules, type Rule } from './rules.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface OutboundSettings {
  /** `listed` allows only what `outboundAllow` names. `none` allows nothing, whatever the rules say. */
  outbound: 'public' | 'listed' | 'none';
  outboundAllow: string;
  outboundDeny: string;
  /** Ports that may be reached on the public internet. */
  outboundPorts: number[];
  /** Name servers to ask. If the list is empty, names are resolved as the system does. */
  dnsServers: string[];
}

/** The reason why a connection is refused. It is written to the operator's log, and the page does not learn it. */
export class RefusedError extends Error {
  override name = 'RefusedError';
  /** The name of Chromium's network error if the connection is allowed but fails. */
  readonly netError: string | undefined;
  /** Whether the budget of the render refuses the connection, and not the policy. */
  readonly overBudget: boolean;
  /** What the operator can set so that it is allowed. Only the operator may learn it. */
  readonly remedy: string | undefined;

  constructor(reason: string, options: { netError?: string; overBudget?: boolean; remedy?: string } = {}) {
    super(reason);
    this.netError = options.netError;
    this.overBudget = options.overBudget ?? false;
    this.remedy = options.remedy;
  }

  /** Whether the host has no address that may be reached. Callers are not told whether it has none, or one that is refused. */
  get hasNoAddress(): boolean {
    return !this.netError || this.netError === UNRESOLVED.netError;
  }
}

type Resolve = (host: string) => Promise<string[]>;

const RESOLVE_TIMEOUT_MS = 5_000;
const HOSTS_FILE = '/etc/hosts';
const RESOLVE_TRY_MS = 1_000;
const UNRESOLVED = { netError: 'ERR_NAME_NOT_RESOLVED' };

export class OutboundPolicy {
  readonly #settings: OutboundSettings;
  readonly #allow: Rule[];
  readonly #deny: Rule[];
  readonly #ports: ReadonlySet<number>;
  readonly #resolve: Resolve;
  /** Ports on which this process listens. */
  readonly #ownPorts: Set<number>;

  /** Policies that share `ownPorts` protect the same ports. */
  constructor(settings: OutboundSettings, ownPorts = new Set<number>()) {
    this.#settings = settings;
    this.#allow = parseRules(settings.outboundAllow);
    this.#deny = parseRules(settings.outboundDeny);
    this.#ports = new Set(settings.outboundPorts);
    this.#resolve = createResolver(settings.dnsServers);
    this.#ownPorts = ownPorts;
  }

  /** Returns the same policy with other allow rules, for documents from less trusted people. */
  allowing(outboundAllow: string): OutboundPolicy {
    return new OutboundPolicy({ ...this.#settings, outboundAllow }, this.#ownPorts);
  }

  /** Refuses this port on this machine, whatever the rules say. */
  protect(port: number): void {
    this.#ownPorts.add(port);
  }

  unprotect(port: number): void {
    this.#ownPorts.delete(port);
  }

  /** Returns the addresses to try in this order. Throws `RefusedError`. */
  async admit(host: string, port: number): Promise<string[]> {
    if (this.#settings.outbound === 'none') throw unreachable();
    const name = canonicalName(host);
    const addresses = literalAddress(name) ?? (await this.#resolveAddresses(name, port));
    const [refusal] = addresses.flatMap((address) => this.#refusalOf({ host: name, address, port }) ?? []);
    if (refusal) throw refusal;
    return addresses;
  }

  /** The refusal that `admit` would throw. */
  async findRefusal(host: string, port: number): Promise<RefusedError | undefined> {
    return this.admit(host, port).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof RefusedError) return error;
        throw error;
      },
    );
  }

  /** The refusal of a URL with an IP address or `localhost` as its host, if `admit` would refuse that. Nothing is resolved. */
  literalRefusal({ hostname, port, protocol }: URL): RefusedError | undefined {
    const host = canonicalName(hostname);
    const [address] = literalAddress(host) ?? [];
    if (address === undefined) return undefined;
    if (this.#settings.outbound === 'none') return unreachable();
    return this.#refusalOf({ host, address, port: Number(port || (protocol === 'https:' ? 443 : 80)) });
  }

  async #resolveAddresses(host: string, port: number): Promise<string[]> {
    this.#judgeName(host, port);
    const found = await this.#resolve(host);
    if (!found.length) throw new RefusedError('the name has no address', UNRESOLVED);
    return found;
  }

  /**
   * Resolving a name sends a message to its name server. A name that would be refused in any case is therefore not resolved. With
   * `listed`, a name must be allowed by name, because a rule by address would require that every name is resolved.
   */
  #judgeName(host: string, port: number): void {
    const isNamedBy = (rule: Rule) => rule.byName && rule.matches({ host, address: '', port });
    if (this.#deny.some(isNamedBy)) throw denied();
    if (this.#allow.some(isNamedBy)) return;
    if (this.#settings.outbound === 'listed') throw this.#unlisted(NOT_LISTED, { host, port });
    if (this.#ports.has(port) || this.#allow.some((rule) => !rule.byName && rule.includesPort(port))) return;
    throw this.#unlisted(CLOSED_PORT, { host, port });
  }

  #refusalOf(to: Destination): RefusedError | undefined {
    const isOwn = isOfThisMachine(to.address);
    if (isOwn && this.#ownPorts.has(to.port)) return new RefusedError('the port belongs to the service itself');
    if (this.#deny.some((rule) => rule.matches(to))) return denied();
    if (this.#allow.some((rule) => rule.matches(to))) return undefined;
    if (this.#settings.outbound === 'listed') return this.#unlisted(NOT_LISTED, to);
    if (isOwn || !isPublic(to.address)) return this.#unlisted('not in the public internet', to);
    return this.#ports.has(to.port) ? undefined : this.#unlisted(CLOSED_PORT, to);
  }

  #unlisted(reason: string, { host, port }: Pick<Destination, 'host' | 'port'>): RefusedError {
    const rule = `PLATEN_OUTBOUND_ALLOW=${host.includes(':') ? `[${host}]` : host}:${port}`;
    const beside = this.#allow.length ? ', beside what it names now,' : '';
    return new RefusedError(reason, { remedy: `${rule}${beside} allows it` });
  }
}

const NOT_LISTED = 'PLATEN_OUTBOUND_ALLOW does not include it';
const CLOSED_PORT = 'the port is not in PLATEN_OUTBOUND_PORTS';
const unreachable = () => new RefusedError('PLATEN_OUTBOUND is none', { remedy: 'PLATEN_OUTBOUND=none forbids it' });
const denied = () => new RefusedError('PLATEN_OUTBOUND_DENY names it', { remedy: 'PLATEN_OUTBOUND_DENY forbids it' });

/**
 * Returns the name in the form that the connection uses. `URL` has normalized unusual digits, and a trailing dot has no meaning.
 */
function canonicalName(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

/** Returns the addresses that are known without resolving the name. */
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

function createResolver(servers: string[]): Resolve {
  const resolver = new Resolver({ timeout: RESOLVE_TRY_MS, tries: Math.ceil(RESOLVE_TIMEOUT_MS / RESOLVE_TRY_MS) });
  if (servers.length) resolver.setServers(servers);
  const resolve = servers.length ? askServers(resolver) : resolveAsTheSystem(askServers(resolver));
  return (host) =>
    unlessAborted(resolve(host), AbortSignal.timeout(RESOLVE_TIMEOUT_MS)).catch((error: unknown) => {
      throw error instanceof DOMException ? new RefusedError('the name could not be resolved in time', UNRESOLVED) : error;
    });
}

/** Sends queries itself. When the system resolves names, a name server that does not answer blocks other look-ups. */
function askServers(resolver: Resolver): Resolve {
  return async (host) => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}

/**
 * Reads the hosts file and then asks the system's name servers. Only the system can complete a name without a dot. Documents have
 * no influence on how long that takes.
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

/** The hosts file is small and may change while the service runs, so that it is read each time. */
async function inHostsFile(host: string): Promise<string[]> {
  const text = await readFile(HOSTS_FILE, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = (line.split('#')[0] ?? '').trim().toLowerCase().split(/\s+/);
    return names.includes(host) && parseAddress(address) ? [address] : [];
  });
}
