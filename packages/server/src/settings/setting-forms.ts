/** Parses settings: text in, a value out, or an Error that describes the required form. */
import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export function readInteger(text: string, least: number, most: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) throw new Error(`must be a whole number from ${least} to ${most}`);
  return value;
}

export function readSwitch(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new Error('must be true or false');
  return text === 'true';
}

export function readHost(text: string): string {
  if (isIP(text) === 0 && !/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(text)) {
    throw new Error('must be an address or a host name, e.g. 127.0.0.1');
  }
  return text;
}

export function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new Error('must be a URL that begins with http:// or https://');
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new Error('must not contain credentials, a query or a fragment');
  }
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '').replace(/\/+$/, '');
  return url.origin + path;
}

export function readLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text.toLowerCase());
  if (!level) throw new Error(`must be one of: ${LOG_LEVELS.join(', ')}`);
  return level;
}

export function readAccessLog(text: string): 'off' | 'on' | 'with_addresses' {
  const word = text.replaceAll('-', '_');
  if (word === 'off' || word === 'on' || word === 'with_addresses') return word;
  throw new Error('must be off, on or with-addresses');
}

export function readTrustProxy(text: string): boolean | number | string[] {
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const addresses = text.split(',').map((part) => part.trim());
  if (!addresses.every(isAddressOrRange)) {
    throw new Error(
      'must be true, false, a number of hops, or addresses and ranges, e.g. 10.0.0.0/8,127.0.0.1',
    );
  }
  return addresses;
}

const NAMED_RANGES: readonly string[] = ['loopback', 'linklocal', 'uniquelocal'];

function isAddressOrRange(text: string): boolean {
  if (NAMED_RANGES.includes(text)) return true;
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

export function readMetricsToken(text: string): string {
  if (!/^[\x21-\x7e]{16,200}$/.test(text))
    throw new Error('must be 16 to 200 printable characters without spaces');
  return text;
}

export function readModulePath(text: string): string {
  if (!isAbsolute(text)) throw new Error('must be an absolute path, e.g. /usr/lib/softhsm/libsofthsm2.so');
  return text;
}

/** A token's label is 32 bytes long, padded with spaces. */
export function readTokenLabel(text: string): string {
  if (Buffer.byteLength(text) > 32) throw new Error('must be a label of at most 32 bytes');
  return text;
}
