import type { Config } from '@permitry/server';
import { refused } from '../command-failure.ts';

/** Explains a failure to listen, and says what to do. Returns any other error unchanged. */
export function explainListening(error: unknown, config: Pick<Config, 'host' | 'port'>): unknown {
  const { host } = config;
  // The port in use may be the metrics port.
  const { code = '', port = config.port } = error as NodeJS.ErrnoException & { port?: number };
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is already in use. Stop what listens there, or choose another port with --port`,
    EACCES: `This user may not listen on port ${port}. Choose a port above 1023 with --port`,
    EADDRNOTAVAIL: `${host} is not an address of this machine. Choose another one with --host`,
    ENOTFOUND: `The host ${host} is unknown. Choose another one with --host`,
  };
  const sentence = sentences[code];
  if (sentence === undefined) return error;
  return refused(`${sentence}.`, 'port_unavailable', error);
}
