/**
 * State that a browser keeps, sealed, while it is at an OpenID provider. It binds the answer to the browser that left.
 * The cookie is Lax, because the way back starts at the provider.
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

/** It is used once, whatever the result. */
export function clearOidcCookie(reply: FastifyReply): void {
  reply.header('set-cookie', stringifySetCookie({ name: COOKIE, value: '', ...ATTRIBUTES, maxAge: 0 }));
}
