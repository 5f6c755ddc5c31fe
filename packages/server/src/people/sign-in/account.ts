import { assertPresent } from '../../gate/access/assert-present.ts';
import type { SessionCaller } from '../../gate/access/caller.ts';
import { signInFirst } from '../../gate/access/unauthorized.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import type { Instant } from '../../gate/kernel/instant.ts';
import { checkName } from '../../gate/kernel/label.ts';
import { notFound } from '../../gate/kernel/not-found.ts';
import type { User } from '../../gate/projects/project.ts';
import type { Identity } from '../oidc/identity.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { asActor, recordAccountEvent } from '../record-account-event.ts';
import { assertStillSignedIn } from '../sessions/assert-still-signed-in.ts';
import { countWaysIn, waysInOf } from './ways-in.ts';

/** How a person signs in, as they see it themselves. Passkeys are read separately. */
export interface Account {
  user: User;
  hasPassword: boolean;
  /** Since when sign-in asks for a code of the authenticator app. Null: it does not ask. */
  totpSince: Instant | null;
  recoveryCodesLeft: number;
  identities: readonly Identity[];
}

export async function readAccount(
  gate: Pick<PeopleDeps, 'storage'>,
  caller: SessionCaller,
): Promise<Account> {
  const { read } = gate.storage;
  const { id } = caller.user;
  const user = await read.findUser(id);
  if (!user) throw signInFirst();
  return {
    user,
    hasPassword: (await read.findPassword(id)) !== undefined,
    totpSince: (await read.findTotp(id))?.confirmedAt ?? null,
    recoveryCodesLeft: await read.countRecoveryCodes(id),
    identities: await read.listIdentities(id),
  };
}

/** @throws GateError `invalid_fields` */
export async function renameAccount(
  gate: Pick<PeopleDeps, 'storage'>,
  caller: SessionCaller,
  input: { name: string },
): Promise<void> {
  const name = checkName(input.name);
  await gate.storage.transaction((tx) => tx.renameUser(caller.user.id, name));
}

/**
 * Removes a provider from the person's ways to sign in. Also ends tickets and links, including a sign-in through this
 * provider that still waits for a code.
 * @throws GateError `proof_required`, `not_found`, `conflict` for the last way to sign in
 */
export async function removeIdentity(
  gate: PeopleDeps,
  caller: SessionCaller,
  input: { identityId: string },
): Promise<void> {
  const { user } = assertPresent(gate, caller);
  await gate.storage.transaction(async (tx) => {
    await assertStillSignedIn(gate, tx, caller);
    const identity = (await tx.listIdentities(user.id)).find(({ id }) => id === input.identityId);
    if (!identity) throw notFound('identity');
    if (countWaysIn(await waysInOf(tx, user.id)) === 1)
      throw new GateError(
        'conflict',
        'This is the last way into your account. Set a password or add a passkey first.',
        {},
      );
    await tx.deleteIdentity(user.id, identity.id);
    await tx.deleteLinksOf(user.id);
    await recordAccountEvent(gate, tx, {
      type: 'identity.removed',
      userId: user.id,
      actor: asActor(user),
      data: { identity_id: identity.id, provider: identity.provider },
    });
  });
}
