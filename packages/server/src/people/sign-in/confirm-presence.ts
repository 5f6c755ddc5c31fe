import type { SessionCaller } from '../../gate/access/caller.ts';
import { signInFirst } from '../../gate/access/unauthorized.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { normalisePassword } from '../passwords/check-password.ts';
import type { PeopleDeps } from '../people-deps.ts';

/**
 * The session's person enters their password, and so counts as present for the next 15 minutes.
 * @throws GateError `invalid_proof`, `rate_limited`, `service_unavailable`, `unauthorized` when the session has ended
 */
export async function confirmWithPassword(
  gate: PeopleDeps<'passwords' | 'signInLimits'>,
  caller: SessionCaller,
  input: { password: string; address: string | null },
): Promise<void> {
  await assertPassword(gate, caller, input);
  const confirmed = await gate.storage.transaction((tx) =>
    tx.confirmSession(caller.credentialId, gate.clock.now()),
  );
  if (!confirmed) throw signInFirst();
}

/** A try counts like a sign-in, so that a stolen cookie gives no free tries. */
export async function assertPassword(
  gate: PeopleDeps<'passwords' | 'signInLimits'>,
  { user }: SessionCaller,
  { password, address }: { password: string; address: string | null },
): Promise<void> {
  const attempt = await gate.signInLimits.begin(user.email, address);
  let fits: boolean;
  try {
    const stored = await gate.storage.read.findPassword(user.id);
    fits = await gate.passwords.verify(stored?.hash ?? null, normalisePassword(password));
  } catch (error) {
    await attempt.withdrawn();
    throw error;
  }
  if (!fits) throw new GateError('invalid_proof', 'The password is wrong.', {});
  await attempt.succeeded();
}
