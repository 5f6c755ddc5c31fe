/** A person's second factor: an authenticator app, and recovery codes to use instead. */

import { assertPresent } from '../../gate/access/assert-present.ts';
import type { SessionCaller } from '../../gate/access/caller.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { asActor, recordAccountEvent } from '../record-account-event.ts';
import { assertStillSignedIn } from '../sessions/assert-still-signed-in.ts';
import { makeRecoveryCodes } from './recovery-codes.ts';
import { findTotpStep, makeTotpSecret, totpUri } from './totp.ts';
import { totpPurpose, wrongCode } from './use-code.ts';

/**
 * Makes a secret for the person's app. Sign-in starts to ask for codes once the person has confirmed the app with a first code.
 * @throws GateError `proof_required`, `conflict` when there is already an app
 */
export async function beginTotp(
  gate: PeopleDeps<'issuer' | 'secretEncryption'>,
  caller: SessionCaller,
): Promise<{ secret: string; uri: string }> {
  const { user } = assertPresent(gate, caller);
  const secret = makeTotpSecret();
  const sealed = gate.secretEncryption.encrypt(totpPurpose(user.id), secret);
  const now = gate.clock.now();
  const saved = await gate.storage.transaction(async (tx) => {
    await assertStillSignedIn(gate, tx, caller);
    return tx.saveUnconfirmedTotp({
      userId: user.id,
      secret: sealed,
      lastStep: 0,
      createdAt: now,
      confirmedAt: null,
    });
  });
  if (!saved) throw new GateError('conflict', 'An authenticator app is already set up. Remove it first.', {});
  return { secret, uri: totpUri(secret, user.email, `Permitry ${new URL(gate.issuer).host}`) };
}

/**
 * Confirms the app: sign-in asks for a code from now on. Returns the recovery codes, which are shown only this once.
 * @throws GateError `proof_required`, `invalid_proof`, `rate_limited`, `conflict`
 */
export async function confirmTotp(
  gate: PeopleDeps<'secretEncryption' | 'signInLimits'>,
  caller: SessionCaller,
  input: { code: string },
): Promise<{ recoveryCodes: string[] }> {
  const { user } = assertPresent(gate, caller);
  const attempt = await gate.signInLimits.begin(`code ${user.id}`, null);
  const totp = await gate.storage.read.findTotp(user.id);
  if (!totp || totp.confirmedAt !== null)
    throw new GateError('conflict', 'No authenticator app is waiting for its first code. Start again.', {});
  const now = gate.clock.now();
  const secret = gate.secretEncryption.decrypt(totpPurpose(user.id), totp.secret);
  const step = secret && findTotpStep(secret, input.code.replace(/\s/g, ''), Date.parse(now));
  if (!step) throw wrongCode();
  const { codes, hashes } = makeRecoveryCodes();
  await gate.storage.transaction(async (tx) => {
    await assertStillSignedIn(gate, tx, caller);
    if ((await tx.findTotp(user.id))?.secret !== totp.secret) throw wrongCode();
    if (!(await tx.confirmTotp(user.id, step, now))) throw wrongCode();
    await tx.replaceRecoveryCodes(user.id, hashes);
    await recordAccountEvent(gate, tx, {
      type: 'second_factor.enabled',
      userId: user.id,
      actor: asActor(user),
      data: { method: 'totp' },
    });
  });
  await attempt.succeeded();
  return { recoveryCodes: codes };
}

/**
 * Removes the app and its recovery codes. Idempotent.
 * @throws GateError `proof_required`
 */
export async function removeTotp(gate: PeopleDeps, caller: SessionCaller): Promise<void> {
  const { user } = assertPresent(gate, caller);
  await gate.storage.transaction(async (tx) => {
    await assertStillSignedIn(gate, tx, caller);
    const enabled = (await tx.findTotp(user.id))?.confirmedAt != null;
    await tx.deleteTotp(user.id);
    await tx.replaceRecoveryCodes(user.id, []);
    if (!enabled) return;
    await recordAccountEvent(gate, tx, {
      type: 'second_factor.removed',
      userId: user.id,
      actor: asActor(user),
      data: { method: 'totp' },
    });
  });
}

/**
 * Makes ten new recovery codes. The old ones no longer work.
 * @throws GateError `proof_required`, `conflict` without an app
 */
export async function renewRecoveryCodes(
  gate: PeopleDeps,
  caller: SessionCaller,
): Promise<{ recoveryCodes: string[] }> {
  const { user } = assertPresent(gate, caller);
  const { codes, hashes } = makeRecoveryCodes();
  await gate.storage.transaction(async (tx) => {
    await assertStillSignedIn(gate, tx, caller);
    if ((await tx.findTotp(user.id))?.confirmedAt == null)
      throw new GateError(
        'conflict',
        'Recovery codes replace the codes of an authenticator app. Set one up first.',
        {},
      );
    await tx.replaceRecoveryCodes(user.id, hashes);
    await recordAccountEvent(gate, tx, {
      type: 'recovery_codes.made',
      userId: user.id,
      actor: asActor(user),
      data: { count: hashes.length },
    });
  });
  return { recoveryCodes: codes };
}
