/**
 * Addresses: text in, and whether it is an address of the public internet out. Everything else, in whatever wrapping, is
 * somebody's own network. By the IANA registries of special-purpose addresses, IPv4 and IPv6.
 */
import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.parse>;
type Range = [Address, number];

/** Public by the registries, but the way to a cloud's own services. */
const CLOUD_SERVICES: Range[] = ['168.63.129.16/32'].map((range) => ipaddr.parseCIDR(range));
/** All of IPv6 that has been given out for the public internet. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96');
const ISATAP = 0x5efe;

/** The address itself, free of the wrappings that mean an IPv4 address; undefined for what is no address. */
export function parseAddress(text: string): Address | undefined {
  return ipaddr.isValid(text) ? unwrap(ipaddr.parse(text)) : undefined;
}

/** Whether the address is in the public internet. What is no address is not. */
export function isPublic(text: string): boolean {
  const address = parseAddress(text);
  if (!address || (address.kind() === 'ipv6' && (address as { zoneId?: string }).zoneId)) return false;
  if (address.range() !== 'unicast' && !isNat64OfPublic(address)) return false;
  if (address.kind() === 'ipv4') return !CLOUD_SERVICES.some((range) => isIn(address, range));
  return (isIn(address, GLOBAL_UNICAST) || isNat64OfPublic(address)) && !isIsatapOfPrivate(address);
}

/** Whether an address lies in a range of its own kind. */
export function isIn(address: Address, [network, bits]: Range): boolean {
  return address.kind() === network.kind() && address.match(network as never, bits);
}

/** `::ffff:a.b.c.d` and `::a.b.c.d` are the IPv4 address. */
function unwrap(address: Address): Address {
  return ipaddr.process(address.toString());
}

/** 64:ff9b::/96 leads to the IPv4 address in its last groups, on networks that have no IPv4. */
function isNat64OfPublic(address: Address): boolean {
  return isIn(address, NAT64) && isPublic(embedded(address, 6));
}

/** An interface named ...:5efe:a.b.c.d is a tunnel to that IPv4 address. */
function isIsatapOfPrivate(address: Address): boolean {
  const parts = partsOf(address);
  return parts[5] === ISATAP && (parts[4] === 0 || parts[4] === 0x200) && !isPublic(embedded(address, 6));
}

/** The IPv4 address in two groups of an IPv6 address. */
function embedded(address: Address, group: number): string {
  const [high = 0, low = 0] = partsOf(address).slice(group, group + 2);
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

function partsOf(address: Address): number[] {
  return (address as { parts?: number[] }).parts ?? [];
}
