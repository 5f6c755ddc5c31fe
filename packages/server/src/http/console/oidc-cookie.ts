/**
 * What a browser keeps while it is at an OpenID provider, sealed: it binds what comes back to the browser that left.
 * Lax, for the way back begins at the provider.
 */
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

const COOKIE = '__Host-permitry_oidc';
const ATTRIBUTES = { httpOnly: true, secure: true, sameSite: 'lax', path: '/' } as const;

export function readOidcCookie(request: FastifyRequest): string | undefined {
  const header = request.headers.cookie;
  return header === undefined ? undefined : parseCookie(header)[COOKIE];
}

export function setOidcCookie(reply: FastifyReply, value: string, lifetimeSeconds: number): void {
  reply.header(
    'set-cookie',
    stringifySetCookie({ name: COOKIE, value, ...ATTRIBUTES, maxAge: lifetimeSeconds }),
  );
}

/** Whatever comes of it, it is used once. */
export function clearOidcCookie(reply: FastifyReply): void {
  reply.header('set-cookie', stringifySetCookie({ name: COOKIE, value: '', ...ATTRIBUTES, maxAge: 0 }));
}
