import type { FastifyReply } from 'fastify';
import type { StartedSession } from '../../people/sessions/start-session.ts';
import { setSessionCookie } from '../admission/session-cookie.ts';

/** Sends the session in its cookie, and nowhere else. */
export function answerSignedIn(reply: FastifyReply, { token }: StartedSession): { status: 'signed_in' } {
  setSessionCookie(reply, token);
  return { status: 'signed_in' };
}
