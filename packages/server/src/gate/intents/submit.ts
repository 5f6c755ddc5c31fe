import type { Outcome } from '@permitry/protocol';
import { assertScope } from '../access/assert-scope.ts';
import { type Caller, toActor } from '../access/caller.ts';
import { assertGoodStanding } from '../access/standing.ts';
import { isMeetable } from '../approvals/narrow.ts';
import { GateError } from '../kernel/errors.ts';
import type { Remember } from '../kernel/idempotency.ts';
import type { PolicyOutcome } from '../policy/outcome.ts';
import type { ProjectSettings } from '../project-settings/project-settings.ts';
import { assertCurrent, retryWhenStale, settingsFor } from '../project-settings/stale-read.ts';
import { draftIntent, type IntentRequest } from './draft-intent.ts';
import type { Intent } from './intent.ts';
import type { IntentDeps, IntentTx } from './intent-deps.ts';
import { recordApproved, recordCreated, recordDenied, recordPermitConsumed } from './intent-events.ts';
import { type IntentView, toIntentView } from './intent-view.ts';
import { issueTokens } from './issue-tokens.ts';
import { identifyParty, type RequestingParty } from './requesting-party.ts';

/**
 * Declares an action. The policy decides at once (`approved` with permit and receipt, or `denied`), or the intent needs
 * approval (`pending`). Refuses when the project is stopped, the agent is paused or revoked, or nobody could approve.
 */
export function submitIntent(
  gate: IntentDeps,
  caller: Caller,
  request: IntentRequest,
  remember?: Remember<IntentView>,
): Promise<IntentView> {
  return retryWhenStale(gate, caller, (current) => submitOnce(gate, current, request, remember));
}

async function submitOnce(
  gate: IntentDeps,
  caller: Caller,
  request: IntentRequest,
  remember: Remember<IntentView> | undefined,
): Promise<IntentView> {
  if (caller.kind !== 'agent' && caller.kind !== 'secret') {
    throw new GateError('forbidden', 'Requests are created with an agent key or a secret key.', {
      required: 'intents:create',
    });
  }
  assertScope(caller, 'intents:create', caller.projectId);
  const settings = await settingsFor(gate, caller, caller.projectId);
  const party = await identifyParty(gate, caller, request);
  return makeIntent(gate, caller, { request, party, settings }, remember);
}

/** A resubmission of another intent. */
export interface Repetition {
  of: Intent;
  /** The person who resubmits for the requester. */
  askedBy: string | null;
  /** Runs in the transaction that creates the new intent. */
  settle(tx: IntentTx): Promise<void>;
}

/** A record that is created together with an intent, in its transaction. */
export interface Attachment<Tx = unknown> {
  /**
   * The credential that uses the approval in the same transaction, if the policy approves at once. Null: nothing uses
   * it.
   */
  usedBy: string | null;
  /** The outcome of that use, if it is known before anything is written. Null: it is reported later. */
  outcomeOf(intent: Intent): Outcome | null;
  settle(tx: Tx & IntentTx, intent: Intent): Promise<void>;
  /** Records the events that come after the intent's own. */
  recordOutcome(tx: Tx & IntentTx, intent: Intent): Promise<void>;
}

/**
 * One attempt to create an intent. The caller has already been authorised. Throws `StaleReadError` when a concurrent
 * change came first.
 */
export async function makeIntent<Reads, Writes>(
  gate: IntentDeps<Reads, Writes>,
  caller: Caller,
  made: {
    request: IntentRequest;
    party: RequestingParty;
    settings: ProjectSettings;
    repeats?: Repetition;
    attached?: Attachment<Reads & Writes>;
  },
  remember?: Remember<IntentView>,
): Promise<IntentView> {
  const { request, party, settings, repeats, attached } = made;
  assertGoodStanding(settings, party.agent);
  const { intent: draft, outcome } = draftIntent(gate, request, party, settings);
  const intent = repeats ? { ...draft, askedAgainFrom: repeats.of.id, askedBy: repeats.askedBy } : draft;
  assertMeetable(intent, settings);
  assertOthersMayApprove(intent, settings);
  const settled =
    outcome.effect === 'require_approval' ? intent : await settleByPolicy(gate, intent, outcome, settings);
  const born = attached?.usedBy && settled.status === 'approved' ? usedAtOnce(settled, attached) : settled;
  return gate.storage.transaction(
    async (tx) => {
      await assertCurrent(gate, tx, caller, settings);
      if (repeats) await repeats.settle(tx);
      await tx.insertIntent(born);
      if (attached) await attached.settle(tx, born);
      await recordBirth(gate, tx, caller, born, outcome, attached);
      tx.afterCommit(() => gate.listeners.shadows.observe(settings, born, party.agent, outcome));
      const view = toIntentView(gate, caller, born, party.agent?.status ?? null);
      if (remember) await remember(tx, view);
      return view;
    },
    { guarded: repeats === undefined },
  );
}

/** Refuses at once an intent that nobody could ever approve, instead of leaving it to expire. */
function assertMeetable(intent: Intent, { people }: ProjectSettings): void {
  if (intent.decision !== 'require_approval') return;
  if (isMeetable(intent.requirement, intent, people)) return;
  const { approvers, minApprovals } = intent;
  // The same refusal for everything that may be wrong with the request's names. So it reveals none of the policy's
  // names.
  throw new GateError(
    'approver_not_found',
    approvers.length === 0 && minApprovals === null
      ? 'Policy requires more approvals than the people of this project can give, so this request could never be approved. Tell an admin of this project.'
      : 'The approvers that this request names cannot approve it: a name is unknown, policy accepts none of them, or they are too few. Name members by email address, groups, or roles such as role:approver, or omit approvers and min_approvals.',
    { approvers },
  );
}

/**
 * In live mode, a person who resubmits cannot approve. An intent that nobody else could approve would only expire
 * again. The names in the request already narrow the requirement; the check only leaves out that person.
 */
function assertOthersMayApprove(intent: Intent, { people, mode }: ProjectSettings): void {
  const { askedBy, requirement, minApprovals, decision } = intent;
  if (askedBy === null || mode !== 'live' || decision !== 'require_approval') return;
  if (isMeetable(requirement, { approvers: [], minApprovals }, people.without(askedBy))) return;
  throw new GateError(
    'forbidden',
    'In live mode, you cannot approve a request that you resubmitted, and nobody else could approve this one. The requester can resubmit it with its own key.',
    { required: 'separation_of_duties' },
  );
}

async function settleByPolicy(
  gate: Pick<IntentDeps, 'ids' | 'tokens'>,
  intent: Intent,
  outcome: PolicyOutcome,
  settings: ProjectSettings,
): Promise<Intent> {
  const by = `policy:${outcome.rule ?? 'default'}`;
  const resolved = { ...intent, revision: 1, resolvedAt: intent.createdAt, resolvedBy: by };
  if (outcome.effect === 'deny') return { ...resolved, status: 'denied', reason: outcome.reason };
  const approvals = [{ by, at: intent.createdAt, method: 'policy' as const }];
  const issued = await issueTokens(gate, intent, settings, approvals, intent.createdAt);
  return {
    ...resolved,
    ...issued,
    status: 'approved',
    approvedBy: by,
    approvedAt: intent.createdAt,
    approvals,
  };
}

function usedAtOnce(intent: Intent, { usedBy, outcomeOf }: Pick<Attachment, 'usedBy' | 'outcomeOf'>): Intent {
  const used = { ...intent, consumedAt: intent.createdAt, consumedBy: usedBy };
  const outcome = outcomeOf(used);
  return outcome === null ? used : { ...used, outcome, outcomeAt: intent.createdAt };
}

async function recordBirth<Tx>(
  gate: IntentDeps,
  tx: Tx & IntentTx,
  caller: Caller,
  intent: Intent,
  outcome: PolicyOutcome,
  attached: Attachment<Tx> | undefined,
): Promise<void> {
  await recordCreated(gate, tx, caller, intent, outcome);
  if (intent.status === 'pending') return;
  const actor = { type: 'policy' as const, id: intent.policyHash, display: intent.resolvedBy ?? 'policy' };
  if (intent.status === 'denied') return recordDenied(gate, tx, intent, actor);
  await recordApproved(gate, tx, intent, actor);
  if (intent.consumedAt !== null && intent.permit) {
    await recordPermitConsumed(gate, tx, intent, intent.permit.id, toActor(caller), intent.consumedAt);
  }
  if (intent.outcome !== null) await attached?.recordOutcome(tx, intent);
}
