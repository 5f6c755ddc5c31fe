import ipaddr from 'ipaddr.js';

/** A range of addresses, as in CIDR notation. */
export type AddressRange = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** The public internet of IPv6 (RFC 4291 §2.4). No address outside this range is routed on the public internet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Parses a list such as `10.20.0.0/16, 127.0.0.1`. An address alone is a range of one.
 *
 * @throws Error naming the entry that is not a range
 */
export function readAddressRanges(text: string): AddressRange[] {
  return text.split(',').map((part) => {
    const range = part.trim();
    const address = range.split('/')[0] ?? '';
    // ipaddr.js also reads `10.1` and `0x7f000001`. A setting that opens network access must be written in full.
    const whole = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
    if (!whole) throw badRange(range);
    if (!range.includes('/')) {
      const one = ipaddr.parse(range);
      return [one, one.kind() === 'ipv4' ? 32 : 128];
    }
    if (!ipaddr.isValidCIDR(range)) throw badRange(range);
    return ipaddr.parseCIDR(range);
  });
}

function badRange(range: string): Error {
  return new Error(`must be addresses and ranges, e.g. 10.20.0.0/16,127.0.0.1; this is neither: ${range}`);
}

/**
 * Whether the address belongs to the public internet. Private, loopback, link-local (including metadata services),
 * shared, reserved and multicast addresses do not. IPv6 addresses that contain an IPv4 address (mapped, 6to4, Teredo,
 * NAT64) do not either, because the IPv4 address may be private.
 */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address?.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(GLOBAL_UNICAST);
}

/** Whether one of the ranges contains the address. An IPv4 address written as IPv6 is looked up as IPv4. */
export function isInRanges(text: string, ranges: readonly AddressRange[]): boolean {
  const address = parseAddress(text);
  if (!address) return false;
  const plain = unwrapMapped(address);
  return ranges.some(([network, bits]) => {
    return network.kind() === plain.kind() && plain.match(network, bits);
  });
}

function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return ipaddr.isValid(text) ? ipaddr.parse(text) : undefined;
}

function unwrapMapped(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address.kind() === 'ipv4') return address;
  const six = address as ipaddr.IPv6;
  return six.isIPv4MappedAddress() ? six.toIPv4Address() : six;
}
