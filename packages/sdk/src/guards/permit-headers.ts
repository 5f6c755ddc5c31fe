/** Reads the permit from either place where agents put it: `Authorization: Permit <token>`, or the header `permit`. */
import type { Header } from './guard.ts';

const SCHEME = /^permit +(\S+)$/i;

/** A request with both headers is refused, even if they are equal, because it is unclear which one the sender meant. */
export function readPermitHeaders(header: Header): { token: string | undefined } | { problem: string } {
  const bare = header('permit');
  const authorization = SCHEME.exec(header('authorization')?.trim() ?? '')?.[1];
  if (bare !== undefined && authorization !== undefined)
    return { problem: 'Send the permit once: in `Authorization: Permit …` or in the header `permit`.' };
  return { token: authorization ?? bare?.trim() };
}
