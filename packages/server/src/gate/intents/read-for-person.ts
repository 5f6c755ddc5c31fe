import { type CanonicalJson, canonicalJson, type ProofTier } from '@permitry/protocol';
import type { Reviewer } from '../access/caller.ts';
import { holdsScope } from '../access/scopes.ts';
import type { Agent } from '../agents/agent.ts';
import type { Approval } from '../approvals/approval.ts';
import type { MissingApprovals } from '../approvals/missing.ts';
import type { Requirement, RequirementEntry } from '../approvals/requirement.ts';
import { voterOf } from '../approvals/voter-of.ts';
import { tierSuffices, weighVote } from '../approvals/weigh-vote.ts';
import type { PolicyOutcome } from '../policy/outcome.ts';
import type { ProjectSettings } from '../project-settings/project-settings.ts';
import { findApprovedLately } from './approved-lately.ts';
import { type DeniedLately, findDeniedLately } from './denied-lately.ts';
import { getIntent } from './find-intent.ts';
import type { Intent } from './intent.ts';
import type { IntentDeps } from './intent-deps.ts';
import { findAgentStatus, type IntentView, toIntentView } from './intent-view.ts';
import { findIntentAgent } from './policy-request.ts';
import { isRepeatable, mayAskAgain } from './repeatable.ts';
import { type Standing, weighPending } from './standing.ts';

/** An intent as a person decides it: everything that was hashed, what is still needed, and what the person may do. */
export interface IntentForPerson extends Pick<IntentView, 'intent' | 'approvalUrl' | 'receipt'> {
  settings: ProjectSettings;
  /** Exactly the text that was hashed. */
  canonicalParams: CanonicalJson;
  agent: Agent | null;
  /** The policy's current outcome for a pending intent. Null once the intent is resolved. */
  outcome: PolicyOutcome | null;
  /** The requirement fixed when the intent was created, plus the entries that the policy has added since. */
  requirement: Requirement;
  /** The tier that an approval requires now. */
  proofTier: ProofTier;
  quorum: { received: number; required: number };
  missing: readonly MissingApprovals[];
  votes: readonly Approval[];
  standing: Standing;
  /** Whether the person may deny the intent, even after approving it. */
  mayDeny: boolean;
  mayAskToExtend: boolean;
  hasPasskey: boolean;
  /** The latest intent of this action that people approved, for comparison. */
  previous: { intent: Intent; canonicalParams: CanonicalJson } | null;
  /** While pending: the same action and parameters, approved by people in the last 24 hours. */
  approvedLately: Intent | null;
  /** While pending: who denied an equal request lately. */
  deniedLately: DeniedLately | null;
  /** The intent that resubmitted it. */
  askedAgainAs: string | null;
  mayAskAgain: boolean;
}

/** Reads the passkeys of a person. Only their existence matters. */
interface PasskeyList {
  listPasskeys(userId: string): Promise<readonly unknown[]>;
}

/**
 * Reads one intent for the page on which people decide. Decides nothing and never shows a permit.
 *
 * @throws GateError `intent_not_found`, also for an intent that the person may not see
 */
export async function readForPerson(
  gate: IntentDeps<PasskeyList>,
  caller: Reviewer,
  intentId: string,
): Promise<IntentForPerson> {
  const intent = await getIntent(gate, caller, intentId);
  const settings = await gate.projectSettings.current(intent.projectId);
  const { read } = gate.storage;
  const view = toIntentView(gate, caller, intent, await findAgentStatus(gate, intent));
  const votes = intent.revision === 0 ? [] : await read.listApprovals(intent.id);
  const agent = await findIntentAgent(settings, intent);
  const askedAgainAs = await read.findAskedAgain(intent.id);
  const deniedLately = await findDeniedLately(gate, read, intent);
  const weighed = weigh(gate, caller, settings, { intent, agent, votes, deniedLately });
  // A session is not enough, so a passkey is required.
  const takesPasskey = !tierSuffices('session', weighed.proofTier);
  const passkeys = takesPasskey ? await read.listPasskeys(voterOf(caller).userId) : [];
  return {
    intent,
    approvalUrl: view.approvalUrl,
    receipt: view.receipt,
    settings,
    canonicalParams: canonicalJson(intent.params),
    agent,
    votes,
    ...weighed,
    hasPasskey: passkeys.length > 0,
    previous: await findPrevious(gate, intent),
    approvedLately: (intent.status === 'pending' && (await findApprovedLately(gate, read, intent))) || null,
    deniedLately,
    askedAgainAs: askedAgainAs ?? null,
    mayAskAgain: isRepeatable(intent, askedAgainAs, gate.clock.now()) && mayAskAgain(caller, intent),
  };
}

type Weighed = Pick<
  IntentForPerson,
  'outcome' | 'proofTier' | 'requirement' | 'quorum' | 'missing' | 'standing' | 'mayDeny' | 'mayAskToExtend'
>;

function weigh(
  gate: Pick<IntentDeps, 'clock'>,
  caller: Reviewer,
  settings: ProjectSettings,
  about: Pick<IntentForPerson, 'intent' | 'agent' | 'votes' | 'deniedLately'>,
): Weighed {
  const { intent, votes } = about;
  if (intent.status !== 'pending') {
    return {
      outcome: null,
      proofTier: intent.proofTier,
      requirement: intent.requirement,
      quorum: { received: intent.approvalsReceived, required: intent.approvalsRequired },
      missing: [],
      standing: { canDecide: false, whyNot: 'resolved' },
      mayDeny: false,
      mayAskToExtend: false,
    };
  }
  const now = gate.clock.now();
  const { terms, behind, requirement, ...weighed } = weighPending(caller, settings, about, now);
  const denial = weighVote({
    intent,
    terms,
    behind,
    votes,
    vote: { ...voterOf(caller), decision: 'deny' },
    now,
  });
  const mayDeny = denial.kind === 'denied' && holdsScope(caller, 'intents:decide', intent.projectId);
  return {
    ...weighed,
    requirement: bothAsked(intent.requirement, requirement),
    mayDeny,
    mayAskToExtend: mayDeny && intent.extensionRequest === null,
  };
}

/** If the policy requires an entry in the same words as at creation, the entry appears once. */
function bothAsked(fixed: Requirement, current: Requirement): Requirement {
  const known = new Set(fixed.map(inOneText));
  return [...fixed, ...current.filter((entry) => !known.has(inOneText(entry)))];
}

function inOneText({ from, count, programs, orNamed, among, beside }: RequirementEntry): string {
  return JSON.stringify([from, count, programs, orNamed, among, beside]);
}

/**
 * The newest approved intent of the action while this one is pending. Afterwards the newest before this one, so that
 * the comparison does not change.
 */
async function findPrevious(
  gate: Pick<IntentDeps, 'storage'>,
  intent: Intent,
): Promise<IntentForPerson['previous']> {
  const { projectId, action } = intent;
  const before = intent.status === 'pending' ? [] : [intent.id];
  const found = await gate.storage.read.findLastApproved(projectId, action, ...before);
  if (!found || found.erasedAt !== null) return null;
  return { intent: found, canonicalParams: canonicalJson(found.params) };
}
