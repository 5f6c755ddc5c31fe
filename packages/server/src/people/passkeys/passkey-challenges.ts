import { randomBytes } from 'node:crypto';
import { addSeconds } from '../../gate/kernel/instant.ts';
import { hashSecretToken, makeSecretToken } from '../links/secret-token.ts';
import type { PeopleDeps } from '../people-deps.ts';
import type { PasskeyChallenge } from './passkey.ts';

const LIFETIME_SECONDS = 5 * 60;
const CHALLENGE_BYTES = 32;

/** How long the browser waits for the person. */
export const CEREMONY_TIMEOUT_MS = LIFETIME_SECONDS * 1000;

/** A challenge for a browser, and the ticket that names it in the browser's answer. */
export async function issueChallenge(
  gate: Pick<PeopleDeps, 'clock' | 'storage'>,
  { purpose, userId }: Pick<PasskeyChallenge, 'purpose' | 'userId'>,
): Promise<{ ticket: string; challenge: string }> {
  const { token, tokenHash } = makeSecretToken();
  const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
  const expiresAt = addSeconds(gate.clock.now(), LIFETIME_SECONDS);
  await gate.storage.transaction((tx) =>
    tx.insertPasskeyChallenge({ ticketHash: tokenHash, purpose, userId, challenge, expiresAt }),
  );
  return { ticket: token, challenge };
}

/**
 * Takes the challenge of a ticket and uses the ticket up in every case. Undefined for a ticket that is unknown,
 * expired, for another purpose, or another person's.
 */
export async function takeChallenge(
  gate: Pick<PeopleDeps, 'clock' | 'storage'>,
  { ticket, purpose, userId }: { ticket: string } & Pick<PasskeyChallenge, 'purpose' | 'userId'>,
): Promise<string | undefined> {
  const taken = await gate.storage.transaction((tx) =>
    tx.takePasskeyChallenge(hashSecretToken(ticket), purpose, gate.clock.now()),
  );
  return taken && taken.userId === userId ? taken.challenge : undefined;
}
