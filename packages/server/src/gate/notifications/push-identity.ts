import type { NotificationDeps } from './notification-deps.ts';

const PURPOSE = 'push identity';

/** The unsealed key pair that identifies the gate to push services. */
export interface OpenPushIdentity {
  publicKey: string;
  privateKey: string;
}

/** Created once, on first use: every subscription is bound to the public key. */
export async function openPushIdentity(
  gate: Pick<NotificationDeps, 'clock' | 'reach' | 'secretEncryption' | 'storage'>,
): Promise<OpenPushIdentity> {
  const known = await readPushIdentity(gate);
  if (known) return known;
  const { publicKey, privateKey } = await gate.reach.makePushKeys();
  const sealed = gate.secretEncryption.encrypt(PURPOSE, privateKey);
  await gate.storage.transaction((tx) =>
    tx.insertPushIdentity({ publicKey, privateKey: sealed, createdAt: gate.clock.now() }),
  );
  // Reads the stored identity: if two gates create one at the same time, both must use the one that was stored.
  const kept = await readPushIdentity(gate);
  if (!kept) throw new Error('the push identity that was just made is gone');
  return kept;
}

async function readPushIdentity(
  gate: Pick<NotificationDeps, 'secretEncryption' | 'storage'>,
): Promise<OpenPushIdentity | undefined> {
  const identity = await gate.storage.read.findPushIdentity();
  if (!identity) return undefined;
  const privateKey = gate.secretEncryption.decrypt(PURPOSE, identity.privateKey);
  if (privateKey === undefined) throw new Error('the push identity was sealed under another key');
  return { publicKey: identity.publicKey, privateKey };
}
