import { usage } from '../command-failure.ts';

/** Begins with a scheme. */
const WHOLE = /^[a-z][a-z0-9+.-]*:\/\//i;
/** Text that can be a host without a scheme: it has a dot, a port or brackets, or is `localhost`. */
const HOST = /^(localhost|[^/?#]*[.:\]][^/?#]*)([/?#]|$)/i;

/**
 * The address of a gate in one spelling, so that its profile is found again: without a trailing slash or `/v1`. Without
 * a scheme it becomes `https://`. On this machine it becomes `http://`, because a gate that was just started speaks
 * plain HTTP.
 *
 * @throws CommandFailure for text that is not an address of a gate
 */
export function toBaseUrl(text: string): string {
  const url = WHOLE.test(text) ? parse(text) : HOST.test(text) ? parseHost(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw usage(`${text} is not the address of a gate. Write it like https://gate.example.org.`);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}`;
}

function parseHost(text: string): URL | undefined {
  const plain = parse(`http://${text}`);
  return plain && isReadOnTheWay(plain.origin) ? parse(`https://${text}`) : plain;
}

/** Whether others can read the traffic to this address, including the credential. */
export function isReadOnTheWay(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !/^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
