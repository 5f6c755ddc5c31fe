/**
 * Tickets of sign-ins that wait for their second factor. The hash includes the first factor, so a ticket for one first
 * factor cannot pass as a ticket for another.
 */

import { sha256Hex } from '@permitry/protocol';
import { addSeconds } from '../../gate/kernel/instant.ts';
import type { OneTimeLinkReader, OneTimeLinkWriter } from '../links/one-time-link.ts';
import { hashSecretToken, makeSecretToken } from '../links/secret-token.ts';
import type { PeopleDeps } from '../people-deps.ts';
import type { SecondFactorReader } from '../second-factor/second-factor.ts';

export type FirstFactor = 'password' | 'oidc';

/** The answer for a person who must enter a code. `methods` are the kinds of code that the person has. */
export interface SecondFactorAsked {
  ticket: string;
  methods: readonly ('totp' | 'recovery_code')[];
}

const TICKET_SECONDS = 5 * 60;
const TRIES_PER_TICKET = 5;

export async function insertTicket(
  gate: Pick<PeopleDeps, 'clock'>,
  tx: OneTimeLinkWriter & SecondFactorReader,
  { userId, first }: { userId: string; first: FirstFactor },
): Promise<SecondFactorAsked> {
  const { token } = makeSecretToken();
  await tx.insertTicket({
    tokenHash: hashOf(token, first),
    userId,
    triesLeft: TRIES_PER_TICKET,
    expiresAt: addSeconds(gate.clock.now(), TICKET_SECONDS),
  });
  const codes = await tx.countRecoveryCodes(userId);
  return { ticket: token, methods: codes > 0 ? ['totp', 'recovery_code'] : ['totp'] };
}

/** Undefined for an unknown ticket. The ticket's expiry and remaining tries are checked when it is used. */
export async function findTicket(
  reader: OneTimeLinkReader,
  token: string,
): Promise<{ tokenHash: string; first: FirstFactor } | undefined> {
  for (const first of ['password', 'oidc'] as const) {
    const tokenHash = hashOf(token, first);
    if (await reader.findTicket(tokenHash)) return { tokenHash, first };
  }
  return undefined;
}

function hashOf(token: string, first: FirstFactor): string {
  const hash = hashSecretToken(token);
  return first === 'password' || hash === '' ? hash : sha256Hex(`${first} ${hash}`);
}
