import type { IncomingMessage } from 'node:http';

/** Why a request cannot be told from another one that a proxy may have read, and the status of the answer. */
export interface FramingProblem {
  message: string;
  status: number;
}

/** What Node lets through and RFC 9112 does not: two hosts (§3.2), and a coding that is not undone here (§6.1). */
export function findFramingProblem({ headers, rawHeaders }: IncomingMessage): FramingProblem | undefined {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1) return { status: 400, message: 'Send one Host header.' };
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked')
    return { status: 501, message: 'This gate knows no transfer coding but chunked.' };
  return undefined;
}
