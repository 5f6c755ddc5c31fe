import { ConnectionError } from '../errors/connection-error.ts';
import { OutOfTimeError } from './within-time.ts';

/** Failures before any byte of the request can have arrived, as Node, its `fetch` and Bun name them. */
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/**
 * Node's message for a port that the Fetch standard blocks (https://fetch.spec.whatwg.org/#port-blocking). Node then
 * sends nothing.
 */
const BLOCKED_PORT = 'bad port';

interface FailedCall {
  origin: string;
  /** The option that holds the address. */
  option: string;
  timeoutMs: number;
  idempotencyKey: string | null;
}

/** The error for a failed `fetch`, or for a body that could not be read to its end. */
export function toConnectionError(
  cause: unknown,
  { origin, option, timeoutMs, idempotencyKey }: FailedCall,
): Error {
  if (cause instanceof OutOfTimeError) {
    return new ConnectionError(
      `No complete answer from ${origin} within ${timeoutMs} ms.`,
      { problem: 'timeout', isSent: true, idempotencyKey },
      { cause },
    );
  }
  const code = codeOf(cause);
  const reason = code ?? innermostMessage(cause);
  if (reason === BLOCKED_PORT) {
    return new ConnectionError(
      `There is no connection to ${origin}: fetch refuses to connect to this port.`,
      { problem: 'unreachable', isSent: false, idempotencyKey },
      { cause },
    );
  }
  const detail = ` (${reason})`;
  if (code !== undefined && NEVER_CONNECTED.has(code)) {
    return new ConnectionError(
      `There is no connection to ${origin}${detail}. Is the gate running, and ${option} right?`,
      { problem: 'unreachable', isSent: false, idempotencyKey },
      { cause },
    );
  }
  return new ConnectionError(
    `The connection to ${origin} ended before the answer was complete${detail}.`,
    { problem: 'interrupted', isSent: true, idempotencyKey },
    { cause },
  );
}

function innermostMessage(error: unknown): string {
  let at = error;
  for (let depth = 0; at instanceof Error && at.cause instanceof Error && depth < 4; depth += 1)
    at = at.cause;
  return at instanceof Error ? at.message : String(at);
}

/** Node's `fetch` wraps the cause once or twice. */
function codeOf(error: unknown): string | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    const { code } = at as Error & { code?: unknown };
    if (typeof code === 'string') return code;
  }
  return undefined;
}
