import { type JsonObject, proofChallenge } from '@permitry/protocol';
import { assertScope } from '../access/assert-scope.ts';
import type { Caller, SessionCaller } from '../access/caller.ts';
import { GateError } from '../errors.ts';
import type { Gate } from '../gate.ts';
import { addSeconds } from '../instant.ts';
import { alreadyResolved, expired } from '../intents/decision-refusals.ts';
import { getIntent } from '../intents/find-intent.ts';
import { invalidFields } from '../invalid-fields.ts';
import { PROOF_LIFETIME_SECONDS, type ProofMethod, type ProofSession } from './proof-session.ts';

export interface ProofRequest {
  intentId: string;
  decision: 'approve' | 'deny';
  method: ProofMethod;
}

export interface StartedProof {
  session: ProofSession;
  /** 32 bytes, base64url: what is to be signed. */
  challenge: string;
  /** What the browser asks the authenticator (`PublicKeyCredentialRequestOptionsJSON`). */
  options: JsonObject;
}

/**
 * Opens a proof session for the decision a person is about to make. Whether they may make it is weighed when they do.
 *
 * @throws GateError `forbidden` for whoever is not a person at a browser, `invalid_fields`, `intent_not_found`,
 * `intent_already_resolved`, `intent_expired`, `conflict` for a person without a passkey
 */
export async function startProof(gate: Gate, caller: Caller, request: ProofRequest): Promise<StartedProof> {
  const person = getPersonAtBrowser(caller);
  if (request.method !== 'passkey') {
    throw invalidFields({ path: '/method', message: 'must be passkey; this gate knows no other device yet' });
  }
  const intent = await getIntent(gate, person, request.intentId);
  assertScope(person, 'intents:decide', intent.projectId);
  if (intent.status === 'expired') throw expired(intent);
  if (intent.status !== 'pending') throw alreadyResolved(intent.status);

  const now = gate.clock.now();
  const expiresAt = addSeconds(now, PROOF_LIFETIME_SECONDS);
  const session: ProofSession = {
    id: gate.ids.next('prf'),
    userId: person.user.id,
    approver: person.user.email,
    intentId: intent.id,
    decision: request.decision,
    method: request.method,
    nonce: gate.ids.salt(),
    exp: Math.floor(Date.parse(expiresAt) / 1000),
    tries: 0,
    status: 'pending',
    evidence: null,
    expiresAt,
  };
  const challenge = challengeOf(session, intent.intentHash);
  const options = await gate.proofVerifier.prepare(gate, person.user.id, challenge);
  if (!options)
    throw new GateError('conflict', 'You have no passkey yet; add one to your account first.', {});
  await gate.storage.transaction((tx) => tx.insertProofSession(session));
  return { session, challenge, options };
}

/** A proof is of a person who is there: a program that holds a key or a token of theirs proves nothing. */
export function getPersonAtBrowser(caller: Caller): SessionCaller {
  if (caller.kind === 'session') return caller;
  throw new GateError(
    'forbidden',
    'Proof is given by a person who is signed in, never by a key or a token.',
    {
      required: 'session',
    },
  );
}

/** What the person's device has to have signed. */
export function challengeOf(session: ProofSession, intentHash: string): string {
  const { decision, approver, nonce, exp } = session;
  return proofChallenge({ intent_hash: intentHash, decision, approver, nonce, exp });
}
