import type { Config } from '@permitry/server';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

export function isBeyondThisMachine({ host }: Pick<Config, 'host'>): boolean {
  return !LOOPBACK.test(host);
}

/** One sentence on what does not work without a base URL, for a gate that others can reach. */
export function findMissingBaseUrl(
  config: Pick<Config, 'host' | 'baseUrl'>,
  issuer: string,
): string | undefined {
  return isBeyondThisMachine(config) && config.baseUrl === null
    ? `approval links and permits contain ${issuer}, which others cannot reach. Set --base-url to the address that people and agents use`
    : undefined;
}
