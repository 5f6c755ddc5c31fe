import { CommandFailure } from '../command-failure.ts';

/**
 * Where a gate answers, in one spelling, so that a profile is found again: without a trailing slash or `/v1`.
 *
 * @throws CommandFailure for what is no address of a gate
 */
export function toBaseUrl(text: string): string {
  const url = parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new CommandFailure(2, `${text} is no address of a gate; write it like https://gate.example.org.`);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}`;
}

/** Whether what is sent there, the credential among it, can be read on the way. */
export function isReadOnTheWay(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !/^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
