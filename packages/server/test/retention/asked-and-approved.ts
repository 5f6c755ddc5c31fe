import type { JsonObject } from '@permitry/protocol';
import type { Caller } from '../../src/gate/access/caller.ts';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import type { TestGate } from '../fixtures/open-test-gate.ts';

export const ACTION = 'mail.send';

export interface Asked {
  id: string;
  params: JsonObject;
}

export interface Approved extends Asked {
  token: string;
}

/** A request of the first agent, with words about people in every place where a requester can put them. */
export async function asked(t: TestGate, about: string, approvers?: readonly string[]): Promise<Asked> {
  const params = { to: about, text: `Dear ${about}` };
  const { intent } = await submitIntent(t.gate, t.agent, {
    action: ACTION,
    params,
    metadata: { why: `asked by ${about}` },
    ...(approvers ? { approvers } : {}),
  });
  return { id: intent.id, params };
}

/** The same, approved. */
export async function approvedAbout(
  t: TestGate,
  about: string,
  approver: Caller = t.secret,
): Promise<Approved> {
  const { id, params } = await asked(t, about);
  const { permit, intent } = await decideIntent(t.gate, approver, {
    intentId: id,
    decision: 'approve',
    reason: `${about} is a good customer`,
  });
  const token = permit?.token ?? intent.permit?.token;
  if (token === undefined) throw new Error('an approved intent has a permit');
  return { id, params, token };
}
