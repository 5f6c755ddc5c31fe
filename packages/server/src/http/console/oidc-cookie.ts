/**
 * The cookie that holds sealed state while a browser is at an OpenID provider. It binds the provider's answer to the
 * browser that was sent there. It is Lax, because the way back starts at the provider.
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

/** The cookie is used once, whatever the result. */
export function clearOidcCookie(reply: FastifyReply): void {
  reply.header('set-cookie', stringifySetCookie({ name: COOKIE, value: '', ...ATTRIBUTES, maxAge: 0 }));
}
