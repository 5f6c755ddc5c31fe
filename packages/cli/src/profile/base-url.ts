import { usage } from '../command-failure.ts';

/** Begins with a scheme. */
const WHOLE = /^[a-z][a-z0-9+.-]*:\/\//i;
/** A host that can be meant where no scheme says so: with a dot, a port or brackets, or this machine. */
const HOST = /^(localhost|[^/?#]*[.:\]][^/?#]*)([/?#]|$)/i;

/**
 * Where a gate answers, in one spelling, so that a profile is found again: without a trailing slash or `/v1`. Without a
 * scheme it is `https://`, save on this machine, where a gate that was just started speaks plain HTTP.
 *
 * @throws CommandFailure for what is no address of a gate
 */
export function toBaseUrl(text: string): string {
  const url = WHOLE.test(text) ? parse(text) : HOST.test(text) ? parseHost(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw usage(`${text} is no address of a gate; write it like https://gate.example.org.`);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}`;
}

function parseHost(text: string): URL | undefined {
  const plain = parse(`http://${text}`);
  return plain && isReadOnTheWay(plain.origin) ? parse(`https://${text}`) : plain;
}

/** Whether what is sent there, the credential among it, can be read on the way. */
export function isReadOnTheWay(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !/^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
