/**
 * Decides whether an IP address belongs to the public internet. Any other address, also one that is embedded in an IPv6 address,
 * belongs to a private network. The rules follow the IANA registries of special-purpose IPv4 and IPv6 addresses.
 */
import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.parse>;
type Range = [Address, number];

/** These addresses are public in the registries, but lead to internal services of a cloud. */
const CLOUD_SERVICES: Range[] = ['168.63.129.16/32'].map((range) => ipaddr.parseCIDR(range));
/** The part of IPv6 that is allocated for the public internet. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96');

/** Parses an address and extracts an embedded IPv4 address. Returns undefined if the text is not an address. */
export function parseAddress(text: string): Address | undefined {
  return ipaddr.isValid(text) ? unwrap(ipaddr.parse(text)) : undefined;
}

/** Whether the text is an address of the public internet. */
export function isPublic(text: string): boolean {
  const address = parseAddress(text);
  if (!address || (address.kind() === 'ipv6' && (address as { zoneId?: string }).zoneId)) return false;
  if (address.range() !== 'unicast' && !isNat64OfPublic(address)) return false;
  if (address.kind() === 'ipv4') return !CLOUD_SERVICES.some((range) => isIn(address, range));
  return (isIn(address, GLOBAL_UNICAST) || isNat64OfPublic(address)) && !isIsatapOfPrivate(address);
}

/** Whether the address is in the range. An IPv4 address is in no IPv6 range, and vice versa. */
export function isIn(address: Address, [network, bits]: Range): boolean {
  return address.kind() === network.kind() && address.match(network as never, bits);
}

/** `::ffff:a.b.c.d` and `::a.b.c.d` stand for the IPv4 address. */
function unwrap(address: Address): Address {
  return ipaddr.process(address.toString());
}

/** On networks without IPv4, 64:ff9b::/96 leads to the IPv4 address in its last four bytes. */
function isNat64OfPublic(address: Address): boolean {
  return isIn(address, NAT64) && isPublic(readEmbedded(address));
}

/** An interface identifier ...:5efe:a.b.c.d is a tunnel to that IPv4 address. */
function isIsatapOfPrivate(address: Address): boolean {
  const identifier = Buffer.from(address.toByteArray()).toString('hex', 8, 12);
  return /^0[02]005efe$/.test(identifier) && !isPublic(readEmbedded(address));
}

/** Returns the IPv4 address in the last four bytes of an IPv6 address. */
function readEmbedded(address: Address): string {
  return address.toByteArray().slice(-4).join('.');
}
