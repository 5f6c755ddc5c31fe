import { type JsonObject, type ProofTerms, proofChallenge } from '@permitry/protocol';
import { assertScope } from '../access/assert-scope.ts';
import { type Caller, isPerson, type SessionCaller, type UserCaller } from '../access/caller.ts';
import { GateError } from '../kernel/errors.ts';
import type { Remember } from '../kernel/idempotency.ts';
import { addSeconds } from '../kernel/instant.ts';
import { invalidProof, isOwnProof } from '../proof/own-proof.ts';
import { PROOF_LIFETIME_SECONDS, type ProofMethod, type ProofSession } from '../proof/proof-session.ts';
import { alreadyResolved, expired } from './decision-refusals.ts';
import { getIntent } from './find-intent.ts';
import type { Intent } from './intent.ts';
import type { ProofDeps } from './intent-deps.ts';
import { whatIsHashed } from './what-is-hashed.ts';

export interface ProofRequest {
  intentId: string;
  decision: 'approve' | 'deny';
  method: ProofMethod;
}

export interface StartedProof {
  session: ProofSession;
  /** 32 bytes, base64url: what is to be signed. */
  challenge: string;
  /**
   * Of a passkey, what the browser asks the authenticator (`PublicKeyCredentialRequestOptionsJSON`); of a device key,
   * the person's keys, and what the challenge is made of.
   */
  options: JsonObject;
}

/**
 * Opens a proof session for the decision a person is about to make. Whether they may make it is weighed when they do.
 *
 * @throws GateError `forbidden` for whoever is not a person, or with a passkey not at a browser, `intent_not_found`,
 * `intent_already_resolved`, `intent_expired`, `conflict` for a person without such a device
 */
export async function startProof<Own, Tx>(
  gate: ProofDeps<Own, Tx>,
  caller: Caller,
  request: ProofRequest,
  remember?: Remember<StartedProof>,
): Promise<StartedProof> {
  const person = getProver(caller, request.method);
  const intent = await getIntent(gate, person, request.intentId);
  assertScope(person, 'intents:decide', intent.projectId);
  if (intent.status === 'expired') throw expired(intent);
  if (intent.status !== 'pending') throw alreadyResolved(intent.status);

  const now = gate.clock.now();
  const expiresAt = addSeconds(now, PROOF_LIFETIME_SECONDS);
  const session: ProofSession = {
    id: gate.ids.next('prf'),
    userId: person.user.id,
    credentialId: request.method === 'device' ? person.credentialId : null,
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
  const started = await describeProof(gate, session, intent);
  await gate.storage.transaction(async (tx) => {
    await tx.insertProofSession(session);
    await remember?.(tx, started);
  });
  return started;
}

/**
 * A proof session as it was answered when it was opened: for its answer, given again. What stands in that of people and
 * of the intent is kept nowhere else.
 *
 * @throws GateError `invalid_proof` for one that is not open any more, `intent_not_found`
 */
export async function readStartedProof<Own, Tx>(
  gate: ProofDeps<Own, Tx>,
  caller: Caller,
  proofSessionId: string,
): Promise<StartedProof> {
  const session = await gate.storage.read.findProofSession(proofSessionId);
  if (session?.status !== 'pending' || session.expiresAt <= gate.clock.now()) throw invalidProof();
  const person = getProver(caller, session.method);
  if (!isOwnProof(session, person)) throw invalidProof();
  return describeProof(gate, session, await getIntent(gate, person, session.intentId));
}

async function describeProof<Own, Tx>(
  gate: ProofDeps<Own, Tx>,
  session: ProofSession,
  intent: Intent,
): Promise<StartedProof> {
  const challenge = challengeOf(session, intent.intentHash);
  const asked = { challenge, terms: termsOf(session), intent: whatIsHashed(intent) };
  const options = await gate.proofVerifiers[session.method].prepare(gate, session.userId, asked);
  if (!options) throw new GateError('conflict', WITHOUT[session.method], {});
  return { session, challenge, options };
}

const WITHOUT: Record<ProofMethod, string> = {
  passkey: 'You have no passkey yet; add one to your account first.',
  device: 'You have no device key yet; make one with `permitry device enroll` first.',
};

/**
 * A proof is of a person who is there. A passkey is at the browser in which they are signed in; a device key is at a
 * terminal, where a program of theirs that may decide asks for its passphrase.
 *
 * @throws GateError `forbidden`
 */
export function getProver(caller: Caller, method: ProofMethod): SessionCaller | UserCaller {
  if (isPerson(caller) && (method === 'device' || caller.kind === 'session')) return caller;
  throw new GateError(
    'forbidden',
    method === 'passkey'
      ? 'A passkey is used by a person who is signed in, never with a key or a token.'
      : 'Proof is given by a person: signed in, or with a token of theirs that may decide.',
    { required: 'session' },
  );
}

/** What the person's device has to have signed. */
export function challengeOf(session: ProofSession, intentHash: string): string {
  return proofChallenge({ intent_hash: intentHash, ...termsOf(session) });
}

export function termsOf({ decision, approver, nonce, exp }: ProofSession): ProofTerms {
  return { decision, approver, nonce, exp };
}
