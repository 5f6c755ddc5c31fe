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
  /** The challenge to sign: 32 bytes, base64url. */
  challenge: string;
  /**
   * For a passkey: the browser's options for the authenticator (`PublicKeyCredentialRequestOptionsJSON`). For a device
   * key: the person's keys, and everything that the challenge covers.
   */
  options: JsonObject;
}

/**
 * Opens a proof session for a decision that a person is about to make. The decision itself checks whether the person
 * may make it.
 *
 * @throws GateError `forbidden` for a caller who is not a person, or for a passkey outside a browser,
 * `intent_not_found`, `intent_already_resolved`, `intent_expired`, `conflict` for a person without such a device
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
 * Rebuilds the answer that opened a proof session, for a repeated request. The answer's parts about people and the
 * intent are stored nowhere else.
 *
 * @throws GateError `invalid_proof` for a session that is no longer open, `intent_not_found`
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
  device: 'You have no device key yet; create one with `permitry device enroll` first.',
};

/**
 * A proof shows that a person is present. A passkey works only in the browser in which the person is signed in. A
 * device key works at a terminal, where a program that may decide for the person asks for the key's passphrase.
 *
 * @throws GateError `forbidden`
 */
export function getProver(caller: Caller, method: ProofMethod): SessionCaller | UserCaller {
  if (isPerson(caller) && (method === 'device' || caller.kind === 'session')) return caller;
  throw new GateError(
    'forbidden',
    method === 'passkey'
      ? 'Only a signed-in person can use a passkey. A key or a token cannot.'
      : 'Only a person can prove presence: signed in, or with their access token that may decide.',
    { required: 'session' },
  );
}

/** The challenge that the person's device must have signed. */
export function challengeOf(session: ProofSession, intentHash: string): string {
  return proofChallenge({ intent_hash: intentHash, ...termsOf(session) });
}

export function termsOf({ decision, approver, nonce, exp }: ProofSession): ProofTerms {
  return { decision, approver, nonce, exp };
}
