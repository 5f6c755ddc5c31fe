/** What people do with their existing passkeys. */

import type { ApproverKeyFile } from '@permitry/protocol';
import { assertPresent } from '../../gate/access/assert-present.ts';
import type { SessionCaller } from '../../gate/access/caller.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { checkName } from '../../gate/kernel/label.ts';
import { notFound } from '../../gate/kernel/not-found.ts';
import { notifyAboutAccount } from '../../gate/notifications/notify-account.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { asActor, recordAccountEvent } from '../record-account-event.ts';
import { assertStillSignedIn } from '../sessions/assert-still-signed-in.ts';
import { countWaysIn, waysInOf } from '../sign-in/ways-in.ts';
import type { Passkey } from './passkey.ts';
import { relyingPartyOf } from './relying-party.ts';

/** Oldest first. */
export async function listOwnPasskeys(
  gate: Pick<PeopleDeps, 'storage'>,
  caller: SessionCaller,
): Promise<readonly Passkey[]> {
  return gate.storage.read.listPasskeys(caller.user.id);
}

/** @throws GateError `invalid_fields`; `not_found`, also for another person's passkey */
export async function renamePasskey(
  gate: Pick<PeopleDeps, 'storage'>,
  caller: SessionCaller,
  input: { passkeyId: string; name: string },
): Promise<void> {
  const name = checkName(input.name);
  const renamed = await gate.storage.transaction((tx) =>
    tx.renamePasskey(caller.user.id, input.passkeyId, name),
  );
  if (!renamed) throw unknownPasskey();
}

/**
 * Removes a passkey. Records it in the audit log of each of the person's projects.
 * @throws GateError `proof_required` when the person has not recently shown that they are there; `not_found`, also for
 * another person's passkey; `conflict` for the last way to sign in
 */
export async function removePasskey(
  gate: PeopleDeps,
  caller: SessionCaller,
  input: { passkeyId: string },
): Promise<void> {
  assertPresent(gate, caller);
  const userId = caller.user.id;
  await gate.storage.transaction(async (tx) => {
    await assertStillSignedIn(gate, tx, caller);
    const passkey = (await tx.listPasskeys(userId)).find(({ id }) => id === input.passkeyId);
    if (!passkey || !(await tx.deletePasskey(userId, passkey.id))) throw unknownPasskey();
    if (countWaysIn(await waysInOf(tx, userId)) === 0) {
      throw new GateError(
        'conflict',
        'This passkey is your only way to sign in; set a password or add another passkey first.',
        {},
      );
    }
    // The passkey may have signed a proof for a decision that is not made yet. Such a proof ends with the passkey.
    await tx.deleteProofSessionsOf(userId);
    await recordAccountEvent(gate, tx, {
      type: 'passkey.removed',
      userId,
      actor: asActor(caller.user),
      data: { passkey_id: passkey.id },
    });
    await notifyAboutAccount(gate, tx, { userId, notice: 'passkey_removed', detail: { name: passkey.name } });
  });
}

/** The public halves of the person's own passkeys and device keys, for `permitry receipt verify --approvers`. */
export async function exportOwnKeys(
  gate: Pick<PeopleDeps<'issuer'>, 'issuer' | 'storage'>,
  caller: SessionCaller,
): Promise<ApproverKeyFile> {
  const { rpId, origin } = relyingPartyOf(gate.issuer);
  const passkeys = await listOwnPasskeys(gate, caller);
  const deviceKeys = await gate.storage.read.listDeviceKeys(caller.user.id);
  const keys = passkeys.map(({ credentialId, jwk, createdAt }) => ({
    id: credentialId,
    public_key: jwk,
    rp_id: rpId,
    origin,
    created_at: createdAt,
  }));
  const device_keys = deviceKeys.map(({ keyId, jwk, createdAt }) => ({
    id: keyId,
    public_key: jwk,
    created_at: createdAt,
  }));
  return { version: 1, approvers: [{ email: caller.user.email, keys, device_keys }] };
}

function unknownPasskey(): GateError<'not_found'> {
  return notFound('passkey');
}
