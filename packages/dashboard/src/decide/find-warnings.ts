/** What an approver must know before deciding, in sentences. Pure. */

import type { FoldedPart } from '../inert-text/folds.tsx';
import { formatDistance } from '../ui/format.ts';
import type { ShownIntent } from './check-hashes.ts';
import * as words from './decide.words.ts';
import type { HiddenText } from './find-hidden.ts';
import type { Review } from './review.ts';

/** How often texts such as "2 min ago" are updated. */
export const AGO_STEP_MS = 10_000;

export interface Warning {
  kind: 'repeated' | 'denied_lately' | 'hidden' | 'folded' | 'policy_changed' | 'stopped' | 'agent_held';
  text: string;
  /** A text that somebody else wrote, e.g. the reason of a denial. */
  quote?: string | null;
  /** Paths of values, in the names that the requester chose. */
  hiddenTexts?: readonly HiddenText[];
  /** Lists that are shown only in part. */
  folded?: readonly FoldedPart[];
  intentId?: string;
}

/**
 * Most serious first. The confirmation form and the space next to the buttons show the same list.
 *
 * @param now The gate's time, in milliseconds.
 * @param folded The folded parts of the request.
 */
export function findWarnings(
  { intent, hidden }: Pick<Review, 'intent' | 'hidden'>,
  now: number,
  folded: readonly FoldedPart[] = [],
): Warning[] {
  if (intent.status !== 'pending') return [];
  return [
    ...warnOfTwin(intent, now),
    ...warnOfDenial(intent, now),
    ...warnOfHidden(hidden),
    ...warnOfFolds(folded),
    ...warnOfState({
      policyChanged: intent.policy.changed,
      isStopped: intent.project.stopped,
      agentStatus: intent.requester.agent?.status ?? null,
    }),
  ];
}

function warnOfTwin({ approved_lately: twin }: ShownIntent, now: number): Warning[] {
  if (!twin) return [];
  const text = words.identicalApproved(sayAgo(twin.approved_at, now), sayUse(twin));
  return [{ kind: 'repeated', text, intentId: twin.id }];
}

function sayUse(twin: NonNullable<ShownIntent['approved_lately']>): string {
  if (twin.used_at === null) {
    return twin.revoked_at === null ? words.notRunYet : words.revokedBeforeRun;
  }
  if (twin.outcome === 'failed') return words.ranAndFailed;
  if (twin.outcome === 'unknown') return words.ranWithUnknownOutcome;
  return words.ran;
}

function warnOfDenial({ denied_lately: denied }: ShownIntent, now: number): Warning[] {
  if (!denied) return [];
  const { by, at, reason, intent_id: intentId } = denied;
  const text = words.identicalDenied(by, sayAgo(at, now)) + (reason === null ? '.' : ':');
  return [{ kind: 'denied_lately', text, quote: reason, intentId }];
}

function warnOfHidden(hidden: readonly HiddenText[]): Warning[] {
  if (hidden.length === 0) return [];
  const unseen = hidden.some((text) => text.unseen > 0);
  const suspect = hidden.some((text) => text.suspect > 0);
  return [{ kind: 'hidden', text: words.hiddenIn(unseen, suspect, hidden.length), hiddenTexts: hidden }];
}

function warnOfFolds(folded: readonly FoldedPart[]): Warning[] {
  if (folded.length === 0) return [];
  const named = folded.filter(({ name, size }) => name != null && size !== undefined);
  const text = words.collapsed(folded.length);
  return [{ kind: 'folded', text, ...(named.length > 0 && { folded: named }) }];
}

/** What changed around a pending request after it was sent. */
export function warnOfState({
  policyChanged,
  isStopped,
  agentStatus,
}: {
  policyChanged: boolean;
  isStopped: boolean;
  agentStatus: NonNullable<ShownIntent['requester']['agent']>['status'] | null;
}): Warning[] {
  const found: Warning[] = [];
  if (policyChanged) {
    found.push({ kind: 'policy_changed', text: words.policyChanged });
  }
  if (isStopped) {
    found.push({ kind: 'stopped', text: words.projectStopped });
  }
  if (agentStatus !== null && agentStatus !== 'active') {
    found.push({ kind: 'agent_held', text: words.agentHeld(agentStatus) });
  }
  return found;
}

/** `just now`, `2 minutes ago`, `3 hours ago`, `4 days ago`. */
export function sayAgo(at: string, now: number): string {
  const passed = now - Date.parse(at);
  return passed < 60_000 ? words.justNow : formatDistance(-passed);
}
