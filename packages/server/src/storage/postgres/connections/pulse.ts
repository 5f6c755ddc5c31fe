/**
 * Whether a server listens at an address of a database. Asks on a separate connection, and only the part of the server
 * that answers greetings. A slow statement does not prevent the answer; a cut wire does.
 */
import { connect } from 'node:net';
import { Client } from 'pg';

/**
 * `SSLRequest` (postgresql.org/docs/current/protocol-message-formats.html): the answer is one byte, before any login.
 */
const GREETING = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
/** A server that expects TLS from the first byte does not answer a greeting in clear. */
const SPEAKS_TLS_AT_ONCE = /[?&]sslnegotiation=direct\b/;

/** Errors of this machine, not of the server: no descriptors, memory or ports left. */
const OURS: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL']);
const STEPS = 10;

/**
 * Whether a server listens. Also true when this machine cannot ask, because that says nothing about the server.
 *
 * @param address `postgres://…` of one host
 */
export async function isThere(address: string, withinMs: number): Promise<boolean> {
  const target = findAddress(address);
  if (!target) return true;
  const { host, port } = target;
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  // Counts the time in steps, so that a suspension of this process counts as one step at most. An answer that arrived
  // during the suspension is read before the last step ends the wait.
  let steps = 0;
  const patience = setInterval(() => {
    steps += 1;
    if (steps === STEPS) setImmediate(() => resolve(false));
  }, withinMs / STEPS);
  socket.on('error', (error: NodeJS.ErrnoException) => resolve(OURS.has(error.code)));
  socket.on('connect', () => {
    if (SPEAKS_TLS_AT_ONCE.test(address)) resolve(true);
    else socket.write(GREETING);
  });
  // Any answer shows that the server is there, even if it hangs up.
  socket.on('data', () => resolve(true));
  socket.on('end', () => resolve(true));
  return promise.finally(() => {
    clearInterval(patience);
    socket.destroy();
  });
}

/** Undefined while a file that the address names, such as a certificate, cannot be read. */
function findAddress(address: string): { host: string; port: number } | undefined {
  try {
    return new Client(address);
  } catch {
    return undefined;
  }
}
