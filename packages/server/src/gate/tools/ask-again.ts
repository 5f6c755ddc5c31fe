import { type Caller, toActor } from '../access/caller.ts';
import type { AuditWriter } from '../audit/audit-event.ts';
import type { IntentRequest } from '../intents/draft-intent.ts';
import { getIntent } from '../intents/find-intent.ts';
import type { Intent, IntentReader, IntentWriter } from '../intents/intent.ts';
import { recordDenied } from '../intents/intent-events.ts';
import type { IntentView } from '../intents/intent-view.ts';
import { findIntentAgent } from '../intents/policy-request.ts';
import { assertRepeatable, mayAskAgain } from '../intents/repeatable.ts';
import { identifyParty, type RequestingParty } from '../intents/requesting-party.ts';
import { denialOf, resolved } from '../intents/resolution.ts';
import { makeIntent, type Repetition } from '../intents/submit.ts';
import { GateError } from '../kernel/errors.ts';
import type { Remember } from '../kernel/idempotency.ts';
import { millisecondsBetween } from '../kernel/instant.ts';
import type { AfterCommit } from '../kernel/storage.ts';
import type { ProjectSettings } from '../project-settings/project-settings.ts';
import { retryWhenStale, StaleReadError, settingsFor } from '../project-settings/stale-read.ts';
import { repeatCall } from './repeat-call.ts';
import type { ToolDeps } from './tool-deps.ts';

export interface AskAgainRequest {
  intentId: string;
  /** Lifetime of the new intent. Default: the lifetime of the first intent. */
  expiresInSeconds?: number;
}

/**
 * Resubmits a request as a new intent with the same action, parameters and metadata. Policy and people decide again.
 * Possible for an intent that expired, or that was approved without success: nobody used it in time, or its outcome is
 * `failed`. Also for a pending intent once an approver asked for more time; that intent is then withdrawn. An intent is
 * resubmitted once. After that, the new intent can be. A tool call is attached to the new intent.
 *
 * @throws GateError `intent_not_found`, `forbidden`, `intent_already_resolved`, `conflict`, and what making an intent
 * throws; for a tool call also `not_found`, `missing_fields` and `invalid_fields`
 */
export async function askAgain(
  gate: ToolDeps,
  caller: Caller,
  request: AskAgainRequest,
  remember?: Remember<IntentView>,
): Promise<IntentView> {
  return retryWhenStale(gate, caller, (current) => askOnce(gate, current, request, remember));
}

async function askOnce(
  gate: ToolDeps,
  caller: Caller,
  request: AskAgainRequest,
  remember: Remember<IntentView> | undefined,
): Promise<IntentView> {
  const intent = await getIntent(gate, caller, request.intentId);
  if (!mayAskAgain(caller, intent)) {
    throw new GateError(
      'forbidden',
      'Only the requester or the person who answers for it can resubmit this.',
      {
        required: 'requester',
      },
    );
  }
  assertRepeatable(intent, await gate.storage.read.findAskedAgain(intent.id), gate.clock.now());
  const settings = await settingsFor(gate, caller, intent.projectId);
  const askedBy = caller.kind === 'session' ? caller.user.id : null;
  const repeats: Repetition = {
    of: intent,
    askedBy,
    settle: (tx) => giveUpFirst(gate, tx, caller, intent),
  };
  const party = await partyOf(gate, caller, intent, settings);
  const call = await repeatCall(gate, caller, intent);
  return makeIntent(
    gate,
    caller,
    {
      request: { ...toRequest(intent, request), ...(call ? { riskTier: call.riskTier } : {}) },
      party,
      settings,
      repeats,
      ...(call ? { attached: call.attached } : {}),
    },
    remember,
  );
}

/** Keeps the original requester even when a person resubmits, so that the requester can collect the permit. */
async function partyOf(
  gate: Pick<ToolDeps, 'storage'>,
  caller: Caller,
  intent: Intent,
  settings: ProjectSettings,
): Promise<RequestingParty> {
  const { sourceType, source, requester } = intent;
  if (caller.kind === 'agent') return identifyParty(gate, caller, { sourceType });
  if (caller.kind === 'secret') {
    return identifyParty(gate, caller, { sourceType, ...(source === null ? {} : { source }) });
  }
  return { requester, agent: await findIntentAgent(settings, intent), source, sourceType };
}

function toRequest(intent: Intent, { expiresInSeconds }: AskAgainRequest): IntentRequest {
  const lifetimeSeconds = Math.round(millisecondsBetween(intent.createdAt, intent.expiresAt) / 1000);
  return {
    action: intent.action,
    params: intent.params,
    metadata: intent.metadata,
    ...(intent.riskRated ? { riskTier: intent.requestedRiskTier } : {}),
    proofTier: intent.requestedProofTier,
    ...(intent.approvers.length === 0 ? {} : { approvers: intent.approvers }),
    ...(intent.minApprovals === null ? {} : { minApprovals: intent.minApprovals }),
    expiresInSeconds: expiresInSeconds ?? lifetimeSeconds,
  };
}

/**
 * Withdraws the first intent if it is pending, so that the two are never pending together. Fails if it was already
 * resubmitted.
 */
async function giveUpFirst(
  gate: ToolDeps,
  tx: AfterCommit & AuditWriter & IntentReader & IntentWriter,
  caller: Caller,
  intent: Intent,
): Promise<void> {
  if ((await tx.findAskedAgain(intent.id)) !== undefined) throw new StaleReadError();
  if (intent.status !== 'pending') return;
  const actor = toActor(caller);
  const resolution = denialOf(intent, actor.id, gate.clock.now(), 'withdrawn');
  if (!(await tx.resolveIntent(intent.id, intent.revision, resolution))) throw new StaleReadError();
  await recordDenied(gate, tx, resolved(intent, resolution), actor);
  tx.afterCommit(() => gate.listeners.wakeups.wake(intent.id));
}
