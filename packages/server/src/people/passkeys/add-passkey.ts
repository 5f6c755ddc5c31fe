import { encodeBase64url, type JsonObject } from '@permitry/protocol';
import { assertConfirmed } from '../../gate/access/assert-present.ts';
import type { SessionCaller } from '../../gate/access/caller.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { checkName } from '../../gate/kernel/label.ts';
import { notifyAboutAccount } from '../../gate/notifications/notify-account.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { asActor, recordAccountEvent } from '../record-account-event.ts';
import { assertStillSignedIn } from '../sessions/assert-still-signed-in.ts';
import { PASSKEY_ALGORITHMS, toPasskeyJwk } from './cose-key.ts';
import { type AttestationJson, readAttestation } from './credential-json.ts';
import type { Passkey } from './passkey.ts';
import { CEREMONY_TIMEOUT_MS, issueChallenge, takeChallenge } from './passkey-challenges.ts';
import { toDescriptor } from './passkey-options.ts';
import { relyingPartyOf } from './relying-party.ts';

const MOST_PASSKEYS = 20;

const KNOWN_TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

export interface NewPasskey {
  ticket: string;
  /** The credential the browser created (`RegistrationResponseJSON`). */
  response: JsonObject;
  name: string;
}

/**
 * The options for the person's browser: create a discoverable credential with user verification, on a device that has
 * none of the person's passkeys yet. The person must confirm first, so that a thief with a stolen cookie cannot enrol a
 * passkey.
 * @throws GateError `proof_required` when the person has not shown since their sign-in that they are there; `conflict`
 * for too many, or a gate served under an IP address
 */
export async function startAddingPasskey(
  gate: PeopleDeps<'issuer'>,
  caller: SessionCaller,
): Promise<{ ticket: string; options: JsonObject }> {
  assertConfirmed(gate, caller);
  const { rpId } = relyingPartyOf(gate.issuer);
  const { user } = caller;
  const [known, existing] = await Promise.all([
    gate.storage.read.findUser(user.id),
    gate.storage.read.listPasskeys(user.id),
  ]);
  if (existing.length >= MOST_PASSKEYS) throw tooMany();
  const { ticket, challenge } = await issueChallenge(gate, { purpose: 'register', userId: user.id });
  return {
    ticket,
    options: {
      challenge,
      rp: { id: rpId, name: 'Permitry' },
      user: {
        // Opaque, because an authenticator may show it to anyone who holds it.
        id: encodeBase64url(new TextEncoder().encode(user.id)),
        name: user.email,
        displayName: known?.name ?? user.email,
      },
      pubKeyCredParams: PASSKEY_ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      excludeCredentials: existing.map(toDescriptor),
      attestation: 'none',
      timeout: CEREMONY_TIMEOUT_MS,
    },
  };
}

/**
 * Stores the credential that the browser created. Records it in the audit log of each of the person's projects, and
 * notifies the person.
 * @throws GateError `proof_required`, `invalid_fields` (name), `invalid_proof` for any fault of the credential or its
 * ticket, `conflict` for too many or one that is already known
 */
export async function addPasskey(
  gate: PeopleDeps<'issuer'>,
  caller: SessionCaller,
  input: NewPasskey,
): Promise<Passkey> {
  assertConfirmed(gate, caller);
  const name = checkName(input.name);
  const userId = caller.user.id;
  const challenge = await takeChallenge(gate, { ticket: input.ticket, purpose: 'register', userId });
  const attestation = readAttestation(input.response);
  if (challenge === undefined || !attestation) throw notMade();
  const made = await verifyMade(gate, attestation, challenge);
  const passkey: Passkey = {
    id: gate.ids.next('pky'),
    userId,
    ...made,
    transports: readTransports(input.response),
    name,
    createdAt: gate.clock.now(),
    lastUsedAt: null,
  };
  return gate.storage.transaction(async (tx) => {
    await assertStillSignedIn(gate, tx, caller);
    const existing = await tx.listPasskeys(userId);
    if (existing.length >= MOST_PASSKEYS) throw tooMany();
    if (!(await tx.insertPasskey(passkey)))
      throw new GateError('conflict', 'This passkey is already registered.', {});
    await recordAccountEvent(gate, tx, {
      type: 'passkey.added',
      userId,
      actor: asActor(caller.user),
      data: { passkey_id: passkey.id, algorithm: passkey.jwk.alg, backed_up: passkey.backedUp },
    });
    await notifyAboutAccount(gate, tx, { userId, notice: 'passkey_added', detail: { name } });
    return passkey;
  });
}

type MadePasskey = Pick<Passkey, 'credentialId' | 'publicKey' | 'jwk' | 'signCount' | 'backedUp'>;

async function verifyMade(
  gate: Pick<PeopleDeps<'issuer'>, 'issuer'>,
  attestation: AttestationJson,
  challenge: string,
): Promise<MadePasskey> {
  const { rpId, origin } = relyingPartyOf(gate.issuer);
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { decodeClientDataJSON, decodeCredentialPublicKey } = await import('@simplewebauthn/server/helpers');
  try {
    // In another site's frame, the person cannot see for which site they create the passkey.
    const { crossOrigin } = decodeClientDataJSON(attestation.response.clientDataJSON);
    if (crossOrigin === true) throw new Error('made in a frame of another site');
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: attestation,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
    });
    if (!verified) throw new Error('not verified');
    const { credential, credentialBackedUp: backedUp } = registrationInfo;
    if (credential.id !== attestation.id) throw new Error('another credential id than it was sent under');
    const jwk = toPasskeyJwk(
      decodeCredentialPublicKey(credential.publicKey) as unknown as ReadonlyMap<number, unknown>,
    );
    if (!jwk) throw new Error('a key of another kind');
    const publicKey = encodeBase64url(credential.publicKey);
    return { credentialId: credential.id, publicKey, jwk, signCount: credential.counter, backedUp };
  } catch (cause) {
    throw notMade({ cause });
  }
}

/** An unsigned hint to browsers. Keeps only values that the standard names. */
function readTransports({ response }: JsonObject): string[] {
  const { transports } = response as JsonObject;
  return Array.isArray(transports) ? KNOWN_TRANSPORTS.filter((known) => transports.includes(known)) : [];
}

function notMade(options?: { cause: unknown }): GateError<'invalid_proof'> {
  return new GateError('invalid_proof', 'This passkey could not be added; start again.', {}, options);
}

function tooMany(): GateError<'conflict'> {
  return new GateError(
    'conflict',
    `You already have ${MOST_PASSKEYS} passkeys, which is the maximum. Remove one first.`,
    {},
  );
}
