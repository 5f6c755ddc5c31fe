/** What remains of an intent after erasure. Pure: the storage writes it, and every surface shows it. */
import type { Approval } from '../approvals/approval.ts';
import type { RequirementEntry } from '../approvals/requirement.ts';
import type { Intent } from '../intents/intent.ts';
import type { Instant } from '../kernel/instant.ts';
import type { IntentTexts } from './erasure.ts';
import { namesPerson, namesPersonIn, type Person, pseudonymOf } from './person.ts';

/**
 * Until when an intent may still be decided or used. Null: it no longer may. Until then its texts stay: people decide
 * on them, and the policy evaluates them when the permit is used.
 */
export function openUntil(intent: Intent, now: Instant): Instant | null {
  if (intent.status === 'denied' || intent.status === 'expired') return null;
  if (intent.consumedAt !== null || intent.revokedAt !== null) return null;
  const permitEnds = intent.permit?.expiresAt ?? intent.expiresAt;
  const ends = permitEnds > intent.expiresAt ? permitEnds : intent.expiresAt;
  return intent.status === 'approved' && ends <= now ? null : ends;
}

/** The intent without any text. Ids replace the names of people. */
export function withoutTexts(intent: Intent, votes: readonly Approval[]): IntentTexts {
  const toId = (name: string): string => votes.find(({ by }) => by === name)?.userId ?? withoutAddress(name);
  const isLabel = intent.requester.type === 'key' && intent.agentId === null;
  return {
    ...namesReplaced(intent, toId),
    params: {},
    metadata: {},
    source: isLabel ? null : intent.source,
    reason: intent.reason === 'withdrawn' ? intent.reason : null,
    extensionRequest: intent.extensionRequest && { ...intent.extensionRequest, by: 'erased', comment: null },
    requester: {
      ...intent.requester,
      display: intent.requester.type === 'key' ? intent.requester.id : intent.requester.display,
    },
  };
}

/** The intent without the person's name. The requested action and the part of other people stay. */
export function withoutPerson(intent: Intent, person: Person): IntentTexts {
  const toId = (name: string): string => (namesPerson(name, person) ? pseudonymOf(person) : name);
  const wroteReason = intent.resolvedBy !== null && namesPerson(intent.resolvedBy, person);
  return {
    ...namesReplaced(intent, toId),
    params: intent.params,
    metadata: intent.metadata,
    source: intent.source,
    reason: wroteReason ? null : intent.reason,
    extensionRequest: extensionWithout(intent, person),
    requester: {
      ...intent.requester,
      display: namesPerson(intent.requester.display, person) ? intent.requester.id : intent.requester.display,
    },
  };
}

/**
 * Whether the person is named in the request's own words. Then these words are about the person, whoever sent the
 * request.
 */
export function isAbout(intent: Intent, person: Person): boolean {
  const { params, metadata, source, reason, extensionRequest } = intent;
  return namesPersonIn([params, metadata, source, reason, extensionRequest?.comment ?? null], person);
}

/** Whether the person took part in the intent, or was asked to. */
export function hasPartIn(intent: Intent, person: Person): boolean {
  const { requester, approvers, requirement, approvals, resolvedBy, approvedBy, extensionRequest } = intent;
  const asked = [...approvers, ...requirement.flatMap(namesIn)];
  const decided = [...approvals.map(({ by }) => by), resolvedBy, approvedBy, extensionRequest?.by ?? null];
  return namesPersonIn([requester.display, ...asked, ...decided], person);
}

function extensionWithout({ extensionRequest }: Intent, person: Person): Intent['extensionRequest'] {
  if (!extensionRequest || !namesPerson(extensionRequest.by, person)) return extensionRequest;
  return { ...extensionRequest, by: pseudonymOf(person), comment: null };
}

function namesReplaced(
  intent: Intent,
  toId: (name: string) => string,
): Pick<IntentTexts, 'approvers' | 'requirement' | 'approvals' | 'resolvedBy' | 'approvedBy'> {
  const { approvers, requirement, approvals, resolvedBy, approvedBy } = intent;
  return {
    approvers: approvers.map(toId),
    requirement: requirement.map(({ from, among, beside, ...entry }) => ({
      ...entry,
      from: from.map(toId),
      ...(among === undefined ? {} : { among: among.map(toId) }),
      ...(beside === undefined ? {} : { beside: beside.map(toId) }),
    })),
    approvals: approvals.map((approval) => ({ ...approval, by: toId(approval.by) })),
    resolvedBy: resolvedBy && toId(resolvedBy),
    approvedBy: approvedBy && toId(approvedBy),
  };
}

function namesIn({ from, among = [], beside = [] }: RequirementEntry): readonly string[] {
  return [...from, ...among, ...beside];
}

/** Names of groups, roles and rules, and ids, are not personal. */
function withoutAddress(name: string): string {
  return name.includes('@') && !name.startsWith('policy:') ? 'erased' : name;
}
