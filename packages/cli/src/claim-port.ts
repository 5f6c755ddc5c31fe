import { type AddressInfo, createServer } from 'node:net';
import { CommandFailure } from './command-failure.ts';

/** Whether the gate will be able to listen there; answers the port, a free one for 0. */
export async function claimPort(host: string, port: number): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, host, port)));
    probe.listen(port, host, resolve);
  });
  const { port: claimed } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return claimed;
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): CommandFailure {
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is in use already; stop what listens there or choose another with --port`,
    EACCES: `Listening on port ${port} takes rights this user does not have; choose a port above 1023 with --port`,
    EADDRNOTAVAIL: `${host} is no address of this machine; choose another with --host`,
    ENOTFOUND: `${host} is no known host; choose another with --host`,
  };
  return new CommandFailure(1, `${sentences[error.code ?? ''] ?? error.message}.`, {
    cause: error,
    code: 'port_unavailable',
  });
}
