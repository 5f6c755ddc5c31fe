import { type DeviceKeyJwk, isUsableDeviceKey } from '@permitry/protocol';
import { GateError } from '../../gate/kernel/errors.ts';
import { addSeconds } from '../../gate/kernel/instant.ts';
import { invalidFields } from '../../gate/kernel/invalid-fields.ts';
import { checkName } from '../../gate/kernel/label.ts';
import { LONGEST_WITH_RIGHTS_SECONDS } from '../keys/user-token.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { PAIRING_LIFETIME_SECONDS, type Pairing, POLL_INTERVAL_SECONDS } from './pairing.ts';
import { makePairingCodes, showUserCode } from './pairing-codes.ts';

const DAY_SECONDS = 24 * 60 * 60;
const LONGEST_SECONDS = 90 * DAY_SECONDS;
const USUAL_SECONDS = 30 * DAY_SECONDS;
const SHORTEST_SECONDS = 60;
/**
 * A random code is already taken only once in a million years of pairings. Needing more draws than this means a fault.
 */
const MOST_DRAWS = 5;

export interface NewPairing {
  purpose: Pairing['purpose'];
  name: string;
  /** Rights of the token beyond reading. */
  rights?: readonly 'decide'[];
  /** Lifetime of the token, in seconds. */
  lifetimeSeconds?: number;
  /** The public half of the device key. */
  publicKey?: DeviceKeyJwk;
  /** The address from which the program polls. */
  address: string | null;
}

export interface StartedPairing {
  pairing: Pairing;
  /** For the program, shown only once. The gate stores only its hash. */
  deviceCode: string;
  /** As shown. */
  userCode: string;
  /** The page where the person answers. */
  page: string;
}

/**
 * Starts a pairing for a program. Nobody is notified: a person has to bring the code to the page.
 * @throws GateError `missing_fields`, `invalid_fields`
 */
export async function startPairing(gate: PeopleDeps<'issuer'>, input: NewPairing): Promise<StartedPairing> {
  const wanted = await checkWanted(input);
  const now = gate.clock.now();
  for (let draw = 0; draw < MOST_DRAWS; draw += 1) {
    const { deviceCode, ...codes } = makePairingCodes();
    const pairing: Pairing = {
      id: gate.ids.next('par'),
      ...codes,
      ...wanted,
      purpose: input.purpose,
      address: input.address,
      status: 'pending',
      intervalSeconds: POLL_INTERVAL_SECONDS,
      polledAt: null,
      userId: null,
      deviceKeyId: null,
      createdAt: now,
      expiresAt: addSeconds(now, PAIRING_LIFETIME_SECONDS),
    };
    if (await gate.storage.transaction((tx) => tx.insertPairing(pairing))) {
      const userCode = showUserCode(pairing.userCode);
      return { pairing, deviceCode, userCode, page: `${gate.issuer}/connect` };
    }
  }
  throw new GateError('service_unavailable', 'No code is available at the moment. Try again shortly.', {
    retry_after_seconds: 1,
  });
}

type Wanted = Pick<Pairing, 'name' | 'rights' | 'lifetimeSeconds' | 'jwk'>;

async function checkWanted(input: NewPairing): Promise<Wanted> {
  const name = checkName(input.name);
  return input.purpose === 'token' ? checkToken(name, input) : checkDeviceKey(name, input);
}

function checkToken(name: string, { rights = [], lifetimeSeconds, publicKey }: NewPairing): Wanted {
  if (publicKey !== undefined)
    throw invalidFields({ path: '/public_key', message: 'Is only for the purpose device_key.' });
  const mayDecide = rights.length > 0;
  const longest = mayDecide ? LONGEST_WITH_RIGHTS_SECONDS : LONGEST_SECONDS;
  const seconds = lifetimeSeconds ?? (mayDecide ? longest : USUAL_SECONDS);
  if (!Number.isInteger(seconds) || seconds < SHORTEST_SECONDS || seconds > longest) {
    const most = mayDecide ? '43200 (12 hours), because the token may decide' : `${longest} (90 days)`;
    throw invalidFields({ path: '/expires_in', message: `Must be from ${SHORTEST_SECONDS} to ${most}.` });
  }
  return { name, rights: mayDecide ? ['decide'] : [], lifetimeSeconds: seconds, jwk: null };
}

async function checkDeviceKey(
  name: string,
  { rights = [], lifetimeSeconds, publicKey }: NewPairing,
): Promise<Wanted> {
  const ofTokens = 'Is only for the purpose token.';
  if (rights.length > 0) throw invalidFields({ path: '/rights', message: ofTokens });
  if (lifetimeSeconds !== undefined) throw invalidFields({ path: '/expires_in', message: ofTokens });
  if (publicKey === undefined) {
    throw new GateError('missing_fields', 'Required: public_key.', {
      fields: [{ path: '/public_key', message: 'is required' }],
    });
  }
  const { kty, crv, x, y } = publicKey;
  if (!(await isUsableDeviceKey(publicKey)))
    throw invalidFields({ path: '/public_key', message: 'Must be a public key on P-256.' });
  return { name, rights: [], lifetimeSeconds: null, jwk: { kty, crv, x, y } };
}
