/** Which addresses belong to the public internet, in every notation and embedding. */
import { describe, expect, test } from 'vitest';
import { isPublic } from '../../src/egress/address.ts';

describe('is not public', () => {
  test.each([
    ['loopback', '127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1'],
    ['unspecified and this network', '0.0.0.0', '0.1.2.3', '::'],
    ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd00:ec2::254', 'fd12::1'],
    ['link-local', '169.254.169.254', '169.254.1.1', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
    ['site-local', 'fec0::1'],
    ['carrier-grade NAT', '100.64.0.1', '100.127.255.255', '100.100.100.200'],
    ['protocol assignments', '192.0.0.1', '192.0.0.192', '192.0.0.170'],
    ['documentation', '192.0.2.1', '198.51.100.7', '203.0.113.9', '2001:db8::1', '3fff::1'],
    ['benchmarking', '198.18.0.1', '198.19.255.255', '2001:2::1'],
    ['old 6to4 relays', '192.88.99.1'],
    ['multicast', '224.0.0.1', '239.255.255.250', 'ff02::1', 'ff0e::1'],
    ['reserved and broadcast', '240.0.0.1', '255.255.255.255', '250.1.1.1'],
    ['cloud services on public addresses', '168.63.129.16'],
    ['IPv4 mapped', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:169.254.169.254'],
    ['IPv4 compatible', '::127.0.0.1', '::10.0.0.1', '::a00:1'],
    ['NAT64', '64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b:1::7f00:1', '64:ff9b:1::808:808'],
    ['6to4', '2002:7f00:1::', '2002:a00:1::1', '2002:808:808::1'],
    ['Teredo', '2001:0:7f00:1::', '2001::1'],
    ['ISATAP to a private address', '2001:4860::5efe:10.0.0.1', '2001:4860::200:5efe:7f00:1'],
    ['ORCHID, discard, dummy, segment routing', '2001:10::1', '2001:20::1', '100::1', '100:0:0:1::1', '5f00::1'],
    ['never given out', '4000::1', '8000::1', '1::1', '200::1'],
    ['odd spellings', '2130706433', '0x7f000001', '0177.0.0.1', '127.1', '0', '0x0a.1'],
    ['no address', '', 'localhost', 'example.com', '1.2.3.4.5', '300.1.1.1', '::g', '127.0.0.1:80', '[::1]'],
  ])('%s', (_name, ...addresses) => {
    for (const address of addresses) expect(isPublic(address), address).toBe(false);
  });
});

test('is public', () => {
  for (const address of [
    '1.1.1.1',
    '8.8.8.8',
    '93.184.215.14',
    '172.32.0.1',
    '172.15.255.255',
    '192.167.255.255',
    '100.63.255.255',
    '100.128.0.1',
    '223.255.255.254',
    '2606:4700:4700::1111',
    '2a00:1450:4001::200e',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ])
    expect(isPublic(address), address).toBe(true);
});
