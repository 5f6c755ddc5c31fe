/**
 * The cookie that carries a session (RFC 6265bis). It is bound to this host and to secure transport, and hidden from
 * scripts.
 */
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_LIFETIME_SECONDS } from '../../gate/access/session.ts';

/** Browsers require Secure, Path=/ and no Domain for `__Host-` cookies. They treat http://localhost as secure. */
const SESSION_COOKIE = '__Host-permitry_session';

const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/;

const ATTRIBUTES = { httpOnly: true, secure: true, sameSite: 'strict', path: '/' } as const;

/** The token that a browser sent. Undefined when there is none of the right form. */
export function readSessionToken(request: FastifyRequest): string | undefined {
  const header = request.headers.cookie;
  if (header === undefined) return undefined;
  const token = parseCookie(header)[SESSION_COOKIE];
  return token !== undefined && TOKEN_FORM.test(token) ? token : undefined;
}

export function setSessionCookie(reply: FastifyReply, token: string): void {
  reply.header(
    'set-cookie',
    stringifySetCookie({
      name: SESSION_COOKIE,
      value: token,
      ...ATTRIBUTES,
      maxAge: SESSION_LIFETIME_SECONDS,
    }),
  );
}

export function clearSessionCookie(reply: FastifyReply): void {
  reply.header(
    'set-cookie',
    stringifySetCookie({ name: SESSION_COOKIE, value: '', ...ATTRIBUTES, maxAge: 0 }),
  );
}
