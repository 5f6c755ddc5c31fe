import { assertPresent } from '../../gate/access/assert-present.ts';
import type { SessionCaller } from '../../gate/access/caller.ts';
import type { SessionWriter } from '../../gate/access/session.ts';
import type { AuditWriter } from '../../gate/audit/audit-event.ts';
import type { AfterCommit } from '../../gate/kernel/storage.ts';
import type { NotificationReader } from '../../gate/notifications/notification.ts';
import type { OutboxWriter } from '../../gate/outbox/delivery.ts';
import type { ProjectReader } from '../../gate/projects/project.ts';
import type { OneTimeLinkWriter } from '../links/one-time-link.ts';
import type { PairingWriter } from '../pairings/pairing.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { asActor, recordAccountEvent } from '../record-account-event.ts';
import { assertStillSignedIn } from '../sessions/assert-still-signed-in.ts';
import { assertPassword } from '../sign-in/confirm-presence.ts';
import { checkPassword } from './check-password.ts';
import type { PasswordReader, PasswordWriter } from './password.ts';

/**
 * Sets a new password, or the first one. Ends all other sessions, and all earlier links, tickets and pairings.
 * @param input.current The current password. It shows that the person is there, if they have not shown it recently.
 * @throws GateError `proof_required`, `invalid_proof`, `invalid_fields`, `rate_limited`, `service_unavailable`,
 * `unauthorized` when the session has ended meanwhile
 */
export async function changePassword(
  gate: PeopleDeps<'accountMail' | 'passwords' | 'signInLimits'>,
  caller: SessionCaller,
  input: { current?: string | undefined; password: string; address: string | null },
): Promise<void> {
  const { user } = caller;
  const password = checkPassword(input.password, user.email);
  if (input.current === undefined) assertPresent(gate, caller);
  else await assertPassword(gate, caller, { password: input.current, address: input.address });
  const hash = await gate.passwords.hash(password);
  await gate.storage.transaction(async (tx) => {
    await assertStillSignedIn(gate, tx, caller);
    await writePassword(gate, tx, user, { hash, how: 'account', keepsSessionId: caller.credentialId });
  });
}

/**
 * Stores the new hash in the caller's transaction. Ends the sessions, links and tickets of the old password, and
 * pairings whose token no program has received yet.
 */
export async function writePassword(
  gate: PeopleDeps<'accountMail'>,
  tx: AfterCommit &
    AuditWriter &
    NotificationReader &
    OutboxWriter &
    OneTimeLinkWriter &
    PairingWriter &
    PasswordReader &
    PasswordWriter &
    ProjectReader &
    SessionWriter,
  user: { id: string; email: string },
  input: {
    hash: string;
    how: 'account' | 'reset_link' | 'set_up_link' | 'invitation';
    keepsSessionId: string | null;
  },
): Promise<void> {
  const now = gate.clock.now();
  const isFirst = (await tx.findPassword(user.id)) === undefined;
  await tx.savePassword({ userId: user.id, hash: input.hash, changedAt: now });
  await tx.endSessions(user.id, input.keepsSessionId, now);
  await tx.deleteLinksOf(user.id);
  await tx.deletePairingsOf(user.id);
  await recordAccountEvent(gate, tx, {
    type: 'password.changed',
    userId: user.id,
    actor: asActor(user),
    data: { how: input.how },
  });
  // A person who follows a link expects to set a first password, so no email is needed. A first password set in a
  // session is announced: the session may be stolen.
  if (isFirst && input.how !== 'account') return;
  const by = input.how === 'account' ? 'account' : 'link';
  const timeZone = (await tx.findPreferences(user.id))?.quietHours?.timeZone;
  tx.afterCommit(() => gate.accountMail.passwordChanged({ to: user.email, at: now, by, timeZone }));
}
