/** Where a gate listens, and how it stops listening. */
import { type AddressInfo, createServer, type Server } from 'node:net';

/** Requests under way get this long to be answered when the server stops. */
const DRAIN_MS = 4000;
const LET_GO_EVERY_MS = 50;

export function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Checks that the gate can listen on this host and port. Returns the port; for port 0, a free one. */
export async function claimPort(host: string, port: number): Promise<number> {
  const probe = createServer();
  await listen(probe, port, host);
  const { port: claimed } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return claimed;
}

/** The address at which this machine reaches a server that listens on the host. */
export function addressFor(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/**
 * Waits for requests under way. Closes a kept-alive connection as soon as its request is answered; otherwise its client
 * could delay the stop. Connections still open after `DRAIN_MS` are cut.
 */
export async function drain(close: () => Promise<void>, letGo: () => void, cut: () => void): Promise<void> {
  const letting = setInterval(letGo, LET_GO_EVERY_MS);
  const cutting = setTimeout(cut, DRAIN_MS);
  await close();
  clearInterval(letting);
  clearTimeout(cutting);
}
