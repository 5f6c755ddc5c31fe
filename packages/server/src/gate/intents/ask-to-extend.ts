import { type SessionCaller, toActor } from '../access/caller.ts';
import { forbidden } from '../access/forbidden.ts';
import { holdsScope } from '../access/scopes.ts';
import { peopleBehind } from '../approvals/people-behind.ts';
import { weighVote } from '../approvals/weigh-vote.ts';
import { recordEvent } from '../audit/record-event.ts';
import { GateError } from '../kernel/errors.ts';
import {
  assertCurrent,
  retryWhenStale,
  StaleReadError,
  settingsFor,
} from '../project-settings/stale-read.ts';
import { askPolicy, votingTermsOf } from './ask-policy.ts';
import { toDecisionRefusal } from './decision-refusals.ts';
import { getIntent } from './find-intent.ts';
import type { ExtensionRequest, Intent } from './intent.ts';
import type { IntentDeps } from './intent-deps.ts';
import { findIntentAgent } from './policy-request.ts';

export interface ExtensionAsked {
  intentId: string;
  /** At most 2000 characters. */
  comment?: string;
}

/**
 * Sends the requester an approver's wish for more time. The intent's hash covers its expiry, which never changes. The
 * requester sees the message and resubmits. Possible once for each intent.
 *
 * @throws GateError `intent_not_found`, `forbidden` for a caller who could not decide the intent either,
 * `intent_expired`,
 * `intent_already_resolved`, `conflict` when an approver has asked before
 */
export async function askToExtend(
  gate: IntentDeps,
  caller: SessionCaller,
  request: ExtensionAsked,
): Promise<ExtensionRequest> {
  return retryWhenStale(gate, caller, async (current) => {
    if (current.kind !== 'session') throw forbidden('session');
    return askOnce(gate, current, request);
  });
}

async function askOnce(
  gate: IntentDeps,
  caller: SessionCaller,
  { intentId, comment = '' }: ExtensionAsked,
): Promise<ExtensionRequest> {
  const intent = await getIntent(gate, caller, intentId);
  if (!holdsScope(caller, 'intents:decide', intent.projectId)) throw forbidden('intents:decide');
  const settings = await settingsFor(gate, caller, intent.projectId);
  const now = gate.clock.now();
  const agent = await findIntentAgent(settings, intent);
  // Anyone who may deny the intent now may ask for more time.
  const verdict = weighVote({
    intent,
    terms: votingTermsOf(settings, intent, askPolicy(settings, intent, agent, now)),
    behind: peopleBehind(intent, agent, settings.people),
    votes: [],
    vote: { userId: caller.user.id, decision: 'deny', method: 'session', byProgram: false },
    now,
  });
  if (verdict.kind !== 'denied' && verdict.kind !== 'recorded' && verdict.kind !== 'approved') {
    throw toDecisionRefusal(verdict, intent);
  }
  assertNotAsked(intent);
  const asked = { by: caller.user.email, at: now, comment: comment.trim() === '' ? null : comment };
  return gate.storage.transaction(
    async (tx) => {
      await assertCurrent(gate, tx, caller, settings);
      if (!(await tx.requestExtension(intent.id, asked))) throw new StaleReadError();
      await recordEvent(gate, tx, {
        projectId: intent.projectId,
        type: 'extension.requested',
        occurredAt: now,
        actor: toActor(caller),
        intentId: intent.id,
        data: { comment: asked.comment, expires_at: intent.expiresAt },
        personal: asked.comment === null ? [] : ['/data/comment'],
      });
      return asked;
    },
    { guarded: true },
  );
}

function assertNotAsked({ extensionRequest }: Intent): void {
  if (!extensionRequest) return;
  const { by, at } = extensionRequest;
  throw new GateError('conflict', `${by} already asked the requester for more time, at ${at}.`, {});
}
