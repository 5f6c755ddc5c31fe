import type { Reviewer } from '../access/caller.ts';
import { findMissing } from '../approvals/missing.ts';
import { countQuorum } from '../approvals/quorum.ts';
import { provedApprovals, tierInForce } from '../approvals/weigh-vote.ts';
import type { Gate } from '../gate.ts';
import { asExpired, isDue } from '../intents/expire.ts';
import type { Intent } from '../intents/intent.ts';
import { findIntentAgent, toPolicyRequest } from '../intents/policy-request.ts';
import { evaluatePolicy } from '../policy/evaluate.ts';
import { mergeRequirements } from '../policy/stricter.ts';
import type { ProjectSettings } from '../projects/project-settings.ts';
import { excerptOfParams, excerptOfWords } from './excerpt.ts';
import type { InboxItem } from './inbox.ts';
import { standingOf } from './standing.ts';

/** The intent as this person sees it now: against policy, people and votes as they are, not as they were. */
export async function toInboxItem(
  gate: Gate,
  caller: Reviewer,
  settings: ProjectSettings,
  found: Intent,
): Promise<InboxItem> {
  const now = gate.clock.now();
  const intent = isDue(found, now) ? asExpired(found) : found;
  const shown = {
    intent,
    projectName: settings.name,
    mode: settings.mode,
    params: excerptOfParams(intent.params),
    words: excerptOfWords(intent.metadata),
  };
  if (intent.status !== 'pending') {
    const approvals = { received: intent.approvalsReceived, required: intent.approvalsRequired };
    return { ...shown, approvals, missing: [], standing: { canDecide: false, whyNot: 'resolved' } };
  }
  // A vote raises the revision, so an intent as it was made has none.
  const votes = intent.revision === 0 ? [] : await gate.storage.read.listApprovals(intent.id);
  const agent = await findIntentAgent(settings, intent);
  const outcome = evaluatePolicy(settings.policy, toPolicyRequest(intent, agent, now));
  const requirement = mergeRequirements(intent.requirement, outcome.requirement);
  const tier = tierInForce(intent.proofTier, outcome.proofTier);
  const approverIds = provedApprovals(votes, tier).map((vote) => vote.userId);
  const { received, required } = countQuorum(requirement, settings.people, approverIds);
  return {
    ...shown,
    approvals: { received, required },
    missing: findMissing(requirement, settings.people, approverIds),
    standing: standingOf(caller, settings, { intent, requirement, outcome, votes, now }),
  };
}

/** Settings of each project read once for one list. */
export function settingsOnce(gate: Gate): (projectId: string) => Promise<ProjectSettings> {
  const read = new Map<string, Promise<ProjectSettings>>();
  return (projectId) => {
    const known = read.get(projectId);
    if (known) return known;
    const settings = gate.projectSettings.current(projectId);
    read.set(projectId, settings);
    return settings;
  };
}
