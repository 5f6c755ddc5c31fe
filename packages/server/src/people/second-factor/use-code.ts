import type { AuditWriter } from '../../gate/audit/audit-event.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import type { AfterCommit } from '../../gate/kernel/storage.ts';
import type { NotificationReader } from '../../gate/notifications/notification.ts';
import type { OutboxWriter } from '../../gate/outbox/delivery.ts';
import type { ProjectReader } from '../../gate/projects/project.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { asActor, recordAccountEvent } from '../record-account-event.ts';
import type { SignInTry } from '../sign-in-tries/sign-in-limits.ts';
import { hashRecoveryCode } from './recovery-codes.ts';
import type { SecondFactorReader, SecondFactorWriter } from './second-factor.ts';
import { findTotpStep } from './totp.ts';

/** A code that was checked but is not used up yet. */
export type CodeUse =
  | { kind: 'totp'; step: number; attempt: SignInTry }
  | { kind: 'recovery_code'; hash: string; attempt?: undefined };

const TOTP_CODE = /^\d{6}$/;

/** The purpose that binds the encryption of the app's secret to the person. */
export function totpPurpose(userId: string): string {
  return `totp ${userId}`;
}

/**
 * Reads a typed code. App codes are few enough to guess, so all tries on an account count together, wherever they come
 * from. Recovery codes cannot be guessed, so they do not count.
 * @throws GateError `invalid_proof`, `rate_limited`
 */
export async function readCode(
  gate: PeopleDeps<'secretEncryption' | 'signInLimits'>,
  userId: string,
  typed: string,
): Promise<CodeUse> {
  const code = typed.replace(/\s/g, '');
  if (!TOTP_CODE.test(code)) return { kind: 'recovery_code', hash: hashRecoveryCode(typed) };
  const attempt = await gate.signInLimits.begin(`code ${userId}`, null);
  const totp = await gate.storage.read.findTotp(userId);
  const secret = totp && gate.secretEncryption.decrypt(totpPurpose(userId), totp.secret);
  const step = secret && findTotpStep(secret, code, Date.parse(gate.clock.now()));
  if (totp?.confirmedAt == null || !step) throw wrongCode();
  return { kind: 'totp', step, attempt };
}

/**
 * Uses the code up in the caller's transaction: of two requests with the same code, only one succeeds.
 * @throws GateError `invalid_proof`
 */
export async function useCode(
  gate: PeopleDeps,
  tx: AfterCommit &
    AuditWriter &
    NotificationReader &
    OutboxWriter &
    ProjectReader &
    SecondFactorReader &
    SecondFactorWriter,
  userId: string,
  code: CodeUse,
): Promise<void> {
  if (code.kind === 'totp') {
    if (!(await tx.takeTotpStep(userId, code.step))) throw wrongCode();
    return;
  }
  // A recovery code replaces an app, so it is worthless without an app.
  const enrolled = (await tx.findTotp(userId))?.confirmedAt != null;
  if (!enrolled || !(await tx.takeRecoveryCode(userId, code.hash))) throw wrongCode();
  const user = await tx.findUser(userId);
  if (!user) throw wrongCode();
  await recordAccountEvent(gate, tx, {
    type: 'recovery_code.used',
    userId,
    actor: asActor(user),
    data: { left: await tx.countRecoveryCodes(userId) },
  });
}

export function wrongCode(): GateError<'invalid_proof'> {
  return new GateError('invalid_proof', 'The code is wrong or was already used.', {});
}
