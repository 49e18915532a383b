/** The operator's rules: text such as `10.0.0.0/8, [::1]:8080, *.example.com` in, rules that match a destination out. */
import ipaddr from 'ipaddr.js';
import { isIn, parseAddress } from './address.ts';

/** The target of a connection. */
export interface Destination {
  /** The name in lower case without a trailing dot, or the address if the URL has one. */
  host: string;
  address: string;
  port: number;
}

export interface Rule {
  /** Whether the rule matches the name, not the address that the name resolves to. */
  byName: boolean;
  /** Whether the rule covers this port, on any host. */
  includesPort(port: number): boolean;
  matches(destination: Destination): boolean;
}

const NAME = /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?$/i;

/** Entries are separated by commas or blanks. Throws an Error that names every invalid entry. */
export function parseRules(text: string): Rule[] {
  const entries = text.split(/[\s,]+/).filter(Boolean);
  const rules = entries.map(parseRule);
  const errors = entries.filter((_, n) => !rules[n]);
  if (errors.length)
    throw new Error(
      `use addresses, CIDR ranges or names, each with an optional port; not ${errors.map((f) => `"${f}"`).join(', ')}.`,
    );
  return rules.filter((rule) => rule !== undefined);
}

function parseRule(entry: string): Rule | undefined {
  const { host, port } = splitPort(entry);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  const includesPort = (wanted: number) => port === undefined || port === wanted;
  const onPort = (byName: boolean, matchesHost: (to: Destination) => boolean): Rule => ({
    byName,
    includesPort,
    matches: (destination) => includesPort(destination.port) && matchesHost(destination),
  });
  const range = parseRange(host);
  if (range) return onPort(false, ({ address }) => isInRange(address, range));
  if (!NAME.test(host) || /^[\d.]+$/.test(host)) return undefined;
  const name = host.toLowerCase();
  if (name.startsWith('*.')) return onPort(true, ({ host: wanted }) => wanted.endsWith(name.slice(1)));
  return onPort(true, ({ host: wanted }) => wanted === name);
}

function splitPort(entry: string): { host: string; port?: number } {
  const bracketed = /^\[([^\]]+)\](?::(\d{1,5}))?$/.exec(entry);
  const [, host = entry, port] = bracketed ?? /^([^:]+):(\d{1,5})$/.exec(entry) ?? [];
  return port === undefined ? { host } : { host, port: Number(port) };
}

function parseRange(host: string): ReturnType<typeof ipaddr.parseCIDR> | undefined {
  if (ipaddr.isValidCIDR(host)) return ipaddr.parseCIDR(host);
  const address = /^[\d.]+$/.test(host) && !ipaddr.IPv4.isValidFourPartDecimal(host) ? undefined : parseAddress(host);
  return address && [address, address.kind() === 'ipv4' ? 32 : 128];
}

function isInRange(text: string, range: ReturnType<typeof ipaddr.parseCIDR>): boolean {
  const address = parseAddress(text);
  return address !== undefined && isIn(address, range);
}
