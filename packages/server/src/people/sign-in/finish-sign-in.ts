import type { SignInMethod } from '../../gate/access/session.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { type CodeUse, readCode, useCode } from '../second-factor/use-code.ts';
import { type Browser, type StartedSession, startSession } from '../sessions/start-session.ts';
import { findTicket } from './sign-in-ticket.ts';

/**
 * The second step, after a password or a provider. It takes the ticket of the first step, and a code of the
 * authenticator app or a recovery code. A ticket allows five tries in five minutes. Each code works for one sign-in,
 * even for concurrent requests.
 * @throws GateError `unauthorized` for a ticket that is no longer valid, `invalid_proof` for a wrong code,
 * `rate_limited`
 */
export async function finishSignIn(
  gate: PeopleDeps<'secretEncryption' | 'signInLimits'>,
  input: { ticket: string; code: string },
  browser: Browser,
): Promise<StartedSession> {
  // Reads first: an invented ticket must not cost a write.
  const found = await findTicket(gate.storage.read, input.ticket);
  if (!found) throw ended();
  const { tokenHash, first } = found;
  const ticket = await gate.storage.transaction(async (tx) =>
    (await tx.tryTicket(tokenHash, gate.clock.now())) ? tx.findTicket(tokenHash) : undefined,
  );
  if (!ticket) throw ended();
  const code = await readCode(gate, ticket.userId, input.code);
  const started = await gate.storage.transaction(async (tx) => {
    if (!(await tx.takeTicket(tokenHash))) throw ended();
    await useCode(gate, tx, ticket.userId, code);
    return startSession(gate, tx, { userId: ticket.userId, methods: [first, methodOf(code)] }, browser);
  });
  await code.attempt?.succeeded();
  const user = await gate.storage.read.findUser(ticket.userId);
  if (user) await gate.signInLimits.welcome(user.email, browser.address);
  return started;
}

function methodOf(code: CodeUse): SignInMethod {
  return code.kind === 'totp' ? 'totp' : 'recovery_code';
}

function ended(): GateError<'unauthorized'> {
  return new GateError('unauthorized', 'This sign-in took too long or too many attempts. Start again.', {});
}
