/** Sends one decision with the hash that the page showed, and with a passkey proof where one is required. */
import { ApiError } from '../api/api-error.ts';
import { api } from '../api/client.ts';
import type { RequestOptions } from '../api/passkeys.ts';
import type { ShownIntent } from './check-hashes.ts';
import { passkeyNotUsed } from './refusals.words.ts';
import { takesPasskey } from './sentences.ts';

export interface DecisionToSend {
  decision: 'approve' | 'deny';
  reason: string;
  /** The hash of the intent as this page computed it. Null when a person denies a request whose hashes do not match. */
  intentHash: string | null;
}

/** The person closed the browser's passkey dialog, or the device timed out. */
export class PasskeyCancelled extends Error {
  override name = 'PasskeyCancelled';
}

/**
 * @throws ApiError the gate's refusal; nothing was decided
 * @throws PasskeyCancelled nothing was decided
 */
export async function sendDecision(intent: ShownIntent, given: DecisionToSend): Promise<void> {
  const isProven = given.decision === 'approve' && takesPasskey(intent);
  const proofSessionId = isProven ? await prove(intent.id) : undefined;
  await api.patch(`/api/intents/${encodeURIComponent(intent.id)}`, {
    decision: given.decision,
    ...(given.reason.trim() !== '' && { reason: given.reason }),
    ...(given.intentHash !== null && { intent_hash: given.intentHash }),
    ...(proofSessionId !== undefined && { proof_session_id: proofSessionId }),
  });
}

interface Started {
  proof_session: { id: string; options: RequestOptions };
}

/** One press opens one browser dialog: the challenge is bound to this intent, this decision and this person. */
async function prove(intentId: string): Promise<string> {
  const { proof_session: session } = await api.post<Started>('/api/verify/proof', {
    intent_id: intentId,
    decision: 'approve',
    method: 'passkey',
  });
  const signals = await askAuthenticator(session.options);
  const answer = await api.post<{ proof_session: { status: string } }>('/api/verify/proof', {
    proof_session_id: session.id,
    signals,
  });
  if (answer.proof_session.status !== 'completed') {
    throw new ApiError(400, { code: 'invalid_proof', message: 'The passkey was not accepted.' });
  }
  return session.id;
}

async function askAuthenticator(options: RequestOptions): Promise<unknown> {
  try {
    // Loaded on demand: most decisions do not need it.
    const { askForAssertion } = await import('../api/passkeys.ts');
    return await askForAssertion(options);
  } catch (error) {
    throw new PasskeyCancelled(passkeyNotUsed, { cause: error });
  }
}
