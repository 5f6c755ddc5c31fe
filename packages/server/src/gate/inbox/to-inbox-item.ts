import { excerptOfParams, excerptOfWords } from '@permitry/protocol/list-row';
import type { Reviewer } from '../access/caller.ts';
import { findDeniedLately } from '../intents/denied-lately.ts';
import { asExpired, isDue } from '../intents/expire.ts';
import type { Intent } from '../intents/intent.ts';
import { findOwnPage, type WasApproved } from '../intents/own-page.ts';
import { findIntentAgent } from '../intents/policy-request.ts';
import { type Standing, weighPending } from '../intents/standing.ts';
import type { ProjectSettings } from '../project-settings/project-settings.ts';
import type { InboxItem } from './inbox.ts';
import type { InboxDeps } from './inbox-deps.ts';

/** The intent as this person sees it now, with the current policy, people and votes. */
export async function toInboxItem(
  gate: Pick<InboxDeps, 'clock' | 'storage'>,
  caller: Reviewer,
  settings: ProjectSettings,
  found: Intent,
  wasApproved: WasApproved,
): Promise<InboxItem> {
  const now = gate.clock.now();
  const intent = isDue(found, now) ? asExpired(found) : found;
  const shown = {
    intent,
    projectName: settings.name,
    mode: settings.mode,
    isStopped: settings.stoppedAt !== null,
    params: excerptOfParams(intent.params),
    words: excerptOfWords(intent.metadata),
  };
  if (intent.status !== 'pending') {
    const approvals = { received: intent.approvalsReceived, required: intent.approvalsRequired };
    const standing: Standing = { canDecide: false, whyNot: 'resolved' };
    return {
      ...shown,
      approvals,
      missing: [],
      standing,
      ownPage: null,
      deniedLately: null,
      policyChanged: false,
      agentStatus: null,
    };
  }
  // Each vote raises the revision, so an intent at revision 0 has no votes.
  const votes = intent.revision === 0 ? [] : await gate.storage.read.listApprovals(intent.id);
  const agent = await findIntentAgent(settings, intent);
  const deniedLately = await findDeniedLately(gate, gate.storage.read, intent);
  const at = { intent, agent, votes, deniedLately };
  const { quorum, missing, standing } = weighPending(caller, settings, at, now);
  return {
    ...shown,
    approvals: quorum,
    missing,
    standing,
    deniedLately,
    ownPage: await findOwnPage(intent, wasApproved),
    policyChanged: settings.policy.hash !== intent.policyHash,
    agentStatus: agent?.status ?? null,
  };
}

/** Reads the settings of each project once per list. */
export function settingsOnce(
  gate: Pick<InboxDeps, 'projectSettings'>,
): (projectId: string) => Promise<ProjectSettings> {
  const read = new Map<string, Promise<ProjectSettings>>();
  return (projectId) => {
    const known = read.get(projectId);
    if (known) return known;
    const settings = gate.projectSettings.current(projectId);
    read.set(projectId, settings);
    return settings;
  };
}
