import { checkAssertion, decodeBase64url, isPasskeyEvidence } from '@permitry/protocol';
import { notifyAboutAccount } from '../../gate/notifications/notify-account.ts';
import type { SignedAssertion } from '../../gate/proof/proof-session.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { recordAccountEvent } from '../record-account-event.ts';
import type { AssertionJson } from './credential-json.ts';
import type { Passkey } from './passkey.ts';
import { type RelyingParty, relyingPartyOf } from './relying-party.ts';

export type AssertionVerdict =
  /** `why` is for the log. */
  | { kind: 'refused'; why: string }
  | {
      kind: 'verified';
      assertion: SignedAssertion;
      /** Store these values together with the change that the assertion was for. */
      use: { signCount: number; backedUp: boolean };
    };

/**
 * Whether this passkey signed this challenge on this gate's page, with the person present and verified. The WebAuthn
 * library checks first. Then the check runs that anyone can run offline later: the gate must accept exactly what an
 * auditor accepts.
 * A counter that did not rise means that a second device has the same key. The gate then refuses the assertion, records
 * that in the person's projects and notifies the person.
 */
export async function verifyAssertion(
  gate: PeopleDeps<'issuer'>,
  passkey: Passkey,
  given: { assertion: AssertionJson; challenge: string },
): Promise<AssertionVerdict> {
  const party = relyingPartyOf(gate.issuer);
  const verified = await verifyByLibrary(passkey, given, party);
  if (verified.kind === 'refused') return verified;
  const { clientDataJSON, authenticatorData, signature } = given.assertion.response;
  const assertion: SignedAssertion = {
    credential_id: passkey.credentialId,
    rp_id: party.rpId,
    origin: party.origin,
    authenticator_data: authenticatorData,
    client_data_json: clientDataJSON,
    signature,
  };
  const offline = await checkAssertion(assertion, {
    challenge: given.challenge,
    ...party,
    key: passkey.jwk,
  });
  if (offline !== 'verified') return { kind: 'refused', why: offline };
  const terms = { decision: 'approve' as const, approver: '-', nonce: '-', exp: 0 };
  if (!isPasskeyEvidence({ ...assertion, challenge: terms })) return { kind: 'refused', why: 'too long' };
  const { signCount } = verified.use;
  if (signCount <= passkey.signCount && (signCount > 0 || passkey.signCount > 0)) {
    await recordCopiedPasskey(gate, passkey, signCount);
    return { kind: 'refused', why: 'the signature counter went back' };
  }
  return { kind: 'verified', assertion, use: verified.use };
}

async function verifyByLibrary(
  passkey: Passkey,
  { assertion, challenge }: { assertion: AssertionJson; challenge: string },
  { rpId, origin }: RelyingParty,
): Promise<
  { kind: 'refused'; why: string } | { kind: 'verified'; use: { signCount: number; backedUp: boolean } }
> {
  const publicKey = decodeBase64url(passkey.publicKey);
  if (!publicKey) return { kind: 'refused', why: 'the stored key cannot be read' };
  // Loaded here because most processes never see a passkey.
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: assertion,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      // The library compares counters before it verifies the signature. Counter 0 keeps it from reporting a forged
      // signature as a copied key.
      credential: { id: passkey.credentialId, publicKey, counter: 0 },
      requireUserVerification: true,
    });
    if (!verified) return { kind: 'refused', why: 'the signature is wrong' };
    const { newCounter, credentialBackedUp } = authenticationInfo;
    return { kind: 'verified', use: { signCount: newCounter, backedUp: credentialBackedUp } };
  } catch (error) {
    return { kind: 'refused', why: error instanceof Error ? error.message : String(error) };
  }
}

async function recordCopiedPasskey(gate: PeopleDeps, passkey: Passkey, stated: number): Promise<void> {
  const { userId } = passkey;
  await gate.storage.transaction(async (tx) => {
    await recordAccountEvent(gate, tx, {
      type: 'passkey.refused',
      userId,
      // Not the person: the copy may be in somebody else's hands.
      actor: { type: 'system', id: 'system', display: 'sign-in' },
      data: { passkey_id: passkey.id, sign_count: stated, last_sign_count: passkey.signCount },
    });
    await notifyAboutAccount(gate, tx, { userId, notice: 'passkey_refused', detail: { name: passkey.name } });
  });
}
