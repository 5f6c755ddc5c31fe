import { decideIntent } from '../../src/gate/intents/decide.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import type { TestGate } from '../fixtures/open-test-gate.ts';

export const REFUND = { action: 'payments.refund', params: { amount: 5 } };

export interface ApprovedIntent {
  id: string;
  /** Of its permit. */
  token: string;
}

/** A `REFUND` the first agent asked for and the owner approved. */
export async function approvedIntent(t: TestGate): Promise<ApprovedIntent> {
  const { intent } = await submitIntent(t.gate, t.agent, REFUND);
  const { permit } = await decideIntent(t.gate, t.secret, { intentId: intent.id, decision: 'approve' });
  if (!permit) throw new Error('an approved intent has a permit');
  return { id: intent.id, token: permit.token };
}
