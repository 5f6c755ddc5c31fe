import { addSeconds, type Instant } from '../../gate/kernel/instant.ts';
import { notifyAboutAccount } from '../../gate/notifications/notify-account.ts';
import type { CreatedKey } from '../keys/mint-key.ts';
import { insertUserToken } from '../keys/user-token.ts';
import { hashSecretToken } from '../links/secret-token.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { asActor } from '../record-account-event.ts';
import { type Pairing, POLL_INTERVAL_SECONDS } from './pairing.ts';

export type PairingState =
  /** `tooSoon`: the program polled before the interval had passed, and the interval has grown. */
  | { kind: 'pending'; intervalSeconds: number; tooSoon: boolean }
  | { kind: 'denied' }
  /** Also for a pairing that never existed, and for a token that was already handed out. */
  | { kind: 'expired' }
  | { kind: 'token'; email: string; created: CreatedKey }
  | { kind: 'device_key'; email: string; deviceKeyId: string };

/** Network delays vary, so a poll this much too early still counts as in time. */
const SLACK_SECONDS = 1;

/**
 * Tells the program that started a pairing what the person decided. The first poll after the approval creates the token
 * and returns it once, so the database never holds a token that could be used.
 */
export async function pollPairing(gate: PeopleDeps, deviceCode: string): Promise<PairingState> {
  const pairing = await gate.storage.read.findPairing(hashSecretToken(deviceCode));
  const now = gate.clock.now();
  if (!pairing || pairing.expiresAt <= now) return { kind: 'expired' };
  switch (pairing.status) {
    case 'pending':
      return countQuestion(gate, pairing, now);
    case 'denied':
      return { kind: 'denied' };
    case 'taken':
      return { kind: 'expired' };
    case 'approved':
      return pairing.purpose === 'token' ? takeToken(gate, pairing) : tellDeviceKey(gate, pairing);
  }
}

async function countQuestion(
  gate: Pick<PeopleDeps, 'storage'>,
  pairing: Pairing,
  now: Instant,
): Promise<PairingState> {
  const { id, intervalSeconds } = pairing;
  const slower = intervalSeconds + POLL_INTERVAL_SECONDS;
  const inTime = await gate.storage.transaction(async (tx) => {
    if (await tx.pollPairing(id, now, addSeconds(now, SLACK_SECONDS - intervalSeconds))) return true;
    await tx.slowPairing(id, slower, now);
    return false;
  });
  return { kind: 'pending', intervalSeconds: inTime ? intervalSeconds : slower, tooSoon: !inTime };
}

async function takeToken(gate: PeopleDeps, pairing: Pairing): Promise<PairingState> {
  return gate.storage.transaction(async (tx) => {
    const now = gate.clock.now();
    const user = pairing.userId === null ? undefined : await tx.findUser(pairing.userId);
    if (!user || pairing.lifetimeSeconds === null) return { kind: 'denied' };
    // A person who has left their last project since the approval has no rights to give.
    if ((await tx.listMemberships(user.id)).length === 0) return { kind: 'denied' };
    if (!(await tx.takePairing(pairing.id, now))) return { kind: 'expired' };
    const created = await insertUserToken(gate, tx, asActor(user), {
      userId: user.id,
      name: pairing.name,
      rights: pairing.rights,
      createdAt: now,
      expiresAt: addSeconds(now, pairing.lifetimeSeconds),
    });
    const { name, address } = pairing;
    const detail = { name, ...(address === null ? {} : { address }) };
    await notifyAboutAccount(gate, tx, { userId: user.id, notice: 'program_connected', detail });
    return { kind: 'token', email: user.email, created };
  });
}

async function tellDeviceKey(
  gate: Pick<PeopleDeps, 'storage'>,
  { userId, deviceKeyId }: Pairing,
): Promise<PairingState> {
  const user = userId === null ? undefined : await gate.storage.read.findUser(userId);
  return user && deviceKeyId !== null
    ? { kind: 'device_key', email: user.email, deviceKeyId }
    : { kind: 'denied' };
}
