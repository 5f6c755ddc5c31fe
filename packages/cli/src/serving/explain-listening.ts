import type { Config } from '@permitry/server';
import { refused } from '../command-failure.ts';

/** Explains a failure to listen, and says what to do. Returns any other error unchanged. */
export function explainListening(error: unknown, config: Pick<Config, 'host' | 'port'>): unknown {
  const { host } = config;
  // The metrics port may be the one in use.
  const { code = '', port = config.port } = error as NodeJS.ErrnoException & { port?: number };
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is in use already; stop what listens there or choose another with --port`,
    EACCES: `Listening on port ${port} takes rights this user does not have; choose a port above 1023 with --port`,
    EADDRNOTAVAIL: `${host} is no address of this machine; choose another with --host`,
    ENOTFOUND: `${host} is no known host; choose another with --host`,
  };
  const sentence = sentences[code];
  if (sentence === undefined) return error;
  return refused(`${sentence}.`, 'port_unavailable', error);
}
