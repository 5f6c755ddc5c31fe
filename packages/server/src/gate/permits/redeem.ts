import { assertScope } from '../access/assert-scope.ts';
import { type Caller, toActor } from '../access/caller.ts';
import { assertGoodStanding } from '../access/standing.ts';
import { getIntent, isRequester } from '../intents/find-intent.ts';
import type { Intent } from '../intents/intent.ts';
import { recordPermitIssued } from '../intents/intent-events.ts';
import { type IntentView, toIntentView } from '../intents/intent-view.ts';
import { issueIntentPermit } from '../intents/issue-tokens.ts';
import { findIntentAgent } from '../intents/policy-request.ts';
import { GateError } from '../kernel/errors.ts';
import type { Remember } from '../kernel/idempotency.ts';
import {
  assertCurrent,
  retryWhenStale,
  StaleReadError,
  settingsFor,
} from '../project-settings/stale-read.ts';
import { permitInvalid } from '../tokens/permit-refusal.ts';
import { assertUsable } from './assert-usable.ts';
import type { PermitDeps } from './permit-deps.ts';

/**
 * Issues a fresh permit for an approved intent, so that an agent that comes back late does not need a second approval.
 * Only for the requester, before the intent expires, if no permit was consumed and the approval was not revoked. Use is
 * counted per intent, so an older permit of the same intent allows no second use.
 */
export async function redeemPermit(
  gate: PermitDeps,
  caller: Caller,
  intentId: string,
  remember?: Remember<IntentView>,
): Promise<IntentView> {
  return retryWhenStale(gate, caller, (current) => redeemOnce(gate, current, intentId, remember));
}

async function redeemOnce(
  gate: PermitDeps,
  caller: Caller,
  intentId: string,
  remember: Remember<IntentView> | undefined,
): Promise<IntentView> {
  const intent = await getIntent(gate, caller, intentId);
  assertScope(caller, 'intents:redeem', intent.projectId);
  if (!isRequester(caller, intent)) {
    throw new GateError('forbidden', 'Only the requester can get a fresh permit.', {
      required: 'requester',
    });
  }
  const settings = await settingsFor(gate, caller, intent.projectId);
  const agent = await findIntentAgent(settings, intent);
  assertGoodStanding(settings, agent);
  const now = gate.clock.now();
  const { approvedAt } = assertRedeemable(intent, now);
  // A permit that would be refused immediately must not be issued.
  assertUsable(intent, settings, agent, now);
  const permit = await issueIntentPermit(gate, intent, settings, intent.approvals, approvedAt, now);
  return gate.storage.transaction(
    async (tx) => {
      await assertCurrent(gate, tx, caller, settings);
      if (!(await tx.replacePermit(intent.id, intent.revision, permit))) throw new StaleReadError();
      const after: Intent = { ...intent, revision: intent.revision + 1, permit };
      await recordPermitIssued(gate, tx, after, permit, toActor(caller));
      const view = toIntentView(gate, caller, after, agent?.status ?? null);
      await remember?.(tx, view);
      return view;
    },
    { guarded: true },
  );
}

function assertRedeemable(intent: Intent, now: string): { approvedAt: string } {
  if (intent.status === 'expired' || intent.expiresAt <= now) {
    throw new GateError('intent_expired', `This request expired at ${intent.expiresAt}. Create a new one.`, {
      expired_at: intent.expiresAt,
    });
  }
  if (intent.status === 'denied') {
    throw new GateError('intent_already_resolved', 'This request was denied, so there is no permit.', {
      status: 'denied',
    });
  }
  if (intent.status !== 'approved' || intent.approvedAt === null) {
    throw new GateError('conflict', 'This request is not approved yet, so there is no permit to renew.', {});
  }
  if (intent.consumedAt !== null) throw permitInvalid('already_used');
  return { approvedAt: intent.approvedAt };
}
