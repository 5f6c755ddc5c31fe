import type { IncomingMessage } from 'node:http';

/** Why a proxy may have parsed a request differently, and the status of the answer. */
export interface FramingProblem {
  message: string;
  status: number;
}

/**
 * Finds what Node accepts but RFC 9112 forbids: two hosts (§3.2), and a transfer coding that is not decoded here
 * (§6.1).
 */
export function findFramingProblem({ headers, rawHeaders }: IncomingMessage): FramingProblem | undefined {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1) return { status: 400, message: 'Send one Host header.' };
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked')
    return { status: 501, message: 'This gate supports no transfer coding except chunked.' };
  return undefined;
}
