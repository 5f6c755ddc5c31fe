/**
 * Resets a forgotten password by a link, sent by email or handed over by the operator. The link signs nobody in, so a
 * second factor is still needed.
 */

import type { Caller } from '../../gate/access/caller.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { addSeconds } from '../../gate/kernel/instant.ts';
import { assertOperator } from '../../gate/projects/create-project.ts';
import { toEmailAddress } from '../../gate/projects/email-address.ts';
import type { ProjectReader, User } from '../../gate/projects/project.ts';
import { deadLink } from '../links/dead-link.ts';
import type { OneTimeLinkReader, OneTimeLinkWriter } from '../links/one-time-link.ts';
import { hashSecretToken, makeSecretToken } from '../links/secret-token.ts';
import { writePassword } from '../passwords/change-password.ts';
import { checkPassword } from '../passwords/check-password.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { recordAccountEvent } from '../record-account-event.ts';
import { accountOf } from '../sign-in/sign-in.ts';

const BY_MAIL_MINUTES = 30;
/** A day, because the person may be asleep when the operator sends the link. */
const BY_OPERATOR_SECONDS = 24 * 60 * 60;

/**
 * Emails a reset link if the address has an account. Returns nothing, and the HTTP handler answers before this call:
 * nobody learns whether there is an account.
 */
export async function requestPasswordReset(
  gate: PeopleDeps<'accountMail' | 'issuer' | 'signInLimits'>,
  input: { email: string; address: string | null },
): Promise<void> {
  const account = accountOf(input.email);
  // Counts by account and address, and by account alone. These counts are never subtracted, so nobody can flood a
  // mailbox.
  try {
    await gate.signInLimits.begin(`reset ${account}`, input.address);
    await gate.signInLimits.begin(`reset ${account}`, null);
  } catch (error) {
    if (error instanceof GateError && error.code === 'rate_limited') return;
    throw error;
  }
  const user = await gate.storage.read.findUserByEmail(account);
  if (!user || !gate.accountMail.configured) return;
  const link = await gate.storage.transaction(async (tx) => {
    const belongs =
      (await tx.findPassword(user.id)) !== undefined || (await tx.listMemberships(user.id)).length > 0;
    return belongs ? insertLink(gate, tx, user, BY_MAIL_MINUTES * 60) : null;
  });
  if (link !== null) gate.accountMail.passwordReset({ to: user.email, link, minutes: BY_MAIL_MINUTES });
}

/**
 * Makes a link for the operator to hand over, valid for a day. It also works for a person who never had a password.
 * @param input.dropSecondFactor Whether to remove the authenticator app and the recovery codes when the link is made,
 * for a person who lost both.
 * @throws GateError `forbidden`, `not_found`
 */
export async function makeResetLink(
  gate: PeopleDeps<'issuer'>,
  caller: Caller,
  input: { email: string; dropSecondFactor?: boolean },
): Promise<{ email: string; link: string; expiresAt: string }> {
  const operator = assertOperator(caller);
  const expiresAt = addSeconds(gate.clock.now(), BY_OPERATOR_SECONDS);
  return gate.storage.transaction(async (tx) => {
    const user = await tx.findUserByEmail(toEmailAddress(input.email) ?? '');
    if (!user || (await tx.listMemberships(user.id)).length === 0)
      throw new GateError('not_found', 'Nobody with this address is a member of a project.', {});
    if (input.dropSecondFactor === true && (await tx.deleteTotp(user.id))) {
      await tx.replaceRecoveryCodes(user.id, []);
      await recordAccountEvent(gate, tx, {
        type: 'second_factor.removed',
        userId: user.id,
        actor: { type: 'operator', id: 'operator', display: operator.display },
        data: { method: 'totp' },
      });
    }
    const link = await insertLink(gate, tx, user, BY_OPERATOR_SECONDS);
    return { email: user.email, link, expiresAt };
  });
}

/**
 * Sets the new password and ends all sessions of the person.
 * @throws GateError `not_found` for an invalid link, `invalid_fields`, `service_unavailable`
 */
export async function finishPasswordReset(
  gate: PeopleDeps<'accountMail' | 'passwords'>,
  input: { token: string; password: string },
): Promise<void> {
  const tokenHash = hashSecretToken(input.token);
  const user = await getPerson(gate, gate.storage.read, tokenHash);
  const hash = await gate.passwords.hash(checkPassword(input.password, user.email));
  await gate.storage.transaction(async (tx) => {
    const current = await getPerson(gate, tx, tokenHash);
    if (!(await tx.takeLink(tokenHash, 'password_reset', gate.clock.now()))) throw deadLink();
    await writePassword(gate, tx, current, { hash, how: 'reset_link', keepsSessionId: null });
  });
}

async function insertLink(
  gate: Pick<PeopleDeps<'issuer'>, 'clock' | 'issuer'>,
  tx: OneTimeLinkWriter,
  user: User,
  lifetimeSeconds: number,
): Promise<string> {
  const { token, tokenHash } = makeSecretToken();
  const createdAt = gate.clock.now();
  const expiresAt = addSeconds(createdAt, lifetimeSeconds);
  await tx.replaceLinks({ tokenHash, kind: 'password_reset', userId: user.id, createdAt, expiresAt });
  return `${gate.issuer}/reset-password#${token}`;
}

async function getPerson(
  gate: Pick<PeopleDeps, 'clock'>,
  reader: OneTimeLinkReader & ProjectReader,
  tokenHash: string,
): Promise<User> {
  const link = await reader.findLink(tokenHash);
  if (link?.kind !== 'password_reset' || link.expiresAt <= gate.clock.now()) throw deadLink();
  const user = await reader.findUser(link.userId);
  if (!user) throw deadLink();
  return user;
}
