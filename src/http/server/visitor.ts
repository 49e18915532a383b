/** Identifies the sender of a request without a key by its IP address, which a trusted proxy may state. */
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.parse>;
type AddressRange = ReturnType<typeof ipaddr.parseCIDR>;

/** Number of groups of an IPv6 address that identify a household or machine. */
const OWN_GROUPS = 4;

/** Returns an IPv4 address, or the /64 network of an IPv6 address. */
export function identifyVisitor(request: FastifyRequest, trusted: readonly AddressRange[]): string {
  const address = clientAddress(request, trusted);
  if (address?.kind() === 'ipv6')
    return `${(address as ipaddr.IPv6).parts
      .slice(0, OWN_GROUPS)
      .map((group) => group.toString(16))
      .join(':')}::/64`;
  return address?.toString() ?? 'unknown';
}

/**
 * X-Forwarded-For is read from its right end, where the nearest proxy appended its entry. An entry counts only if a trusted proxy
 * wrote it. Clients can forge the entries further left. (Fastify's `trustProxy` would also believe X-Forwarded-Host and -Proto.)
 */
function clientAddress({ socket, headers }: FastifyRequest, trusted: readonly AddressRange[]): Address | undefined {
  let address = parse(socket.remoteAddress);
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').reverse();
  for (const entry of forwarded) {
    const before = parse(entry);
    if (!address || !before || !trusted.some((range) => isIn(address as Address, range))) break;
    address = before;
  }
  return address;
}

/** Matches an address with a port, which some proxies add. */
const WITH_PORT = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/;

function parse(text = ''): Address | undefined {
  const given = text.trim();
  const [, ipv6, ipv4] = WITH_PORT.exec(given) ?? [];
  const plain = ipv6 ?? ipv4 ?? given;
  return ipaddr.IPv6.isValid(plain) || ipaddr.IPv4.isValidFourPartDecimal(plain) ? ipaddr.process(plain) : undefined;
}

function isIn(address: Address, [network, bits]: AddressRange): boolean {
  return address.kind() === network.kind() && address.match(network as never, bits);
}
