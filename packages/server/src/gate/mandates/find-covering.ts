/**
 * Which mandates cover a request: pure, and all or nothing. What the policy requires is met by the votes of one mandate,
 * or people are asked as if there were none.
 */
import { amountsOf, findMisfit, type MandateDocument, type MandateEntry } from '@permitry/protocol';
import type { Approval } from '../approvals/approval.ts';
import type { VotingTerms } from '../approvals/quorum.ts';
import { votesMeet } from '../approvals/weigh-vote.ts';
import { addSeconds, type Instant } from '../kernel/instant.ts';
import type { PolicyOutcome } from '../policy/outcome.ts';
import type { MandateUse } from './mandate-uses.ts';

/** A mandate that was approved and has not ended. */
export interface ActiveMandate {
  id: string;
  agentId: string;
  document: MandateDocument;
  approvedAt: Instant;
  /** Those that counted when it was approved, in the order given. */
  votes: readonly Approval[];
  /** Ids of the people behind the proposal. */
  behind: ReadonlySet<string>;
}

/** What a mandate is compared with. */
export interface CoveredRequest {
  agentId: string;
  action: string;
  params: Parameters<typeof findMisfit>[0];
}

const DAY_SECONDS = 24 * 60 * 60;

/**
 * The uses that would cover the request, in the order in which they are tried. The mandate that ends soonest is first.
 * Ties go by its id, then by entry. Whether a limit has room shows only when the use is counted.
 *
 * @param terms What the votes must meet now.
 * @param behind Ids of the people behind the request.
 */
export function findCovering(
  mandates: readonly ActiveMandate[],
  request: CoveredRequest,
  {
    outcome,
    terms,
    behind,
    now,
  }: { outcome: PolicyOutcome; terms: VotingTerms; behind: ReadonlySet<string>; now: Instant },
): MandateUse[] {
  const { mandates: allowed } = outcome;
  if (outcome.effect !== 'require_approval' || !allowed.isOn) return [];
  return mandates
    .filter((mandate) => mandate.agentId === request.agentId && isActiveAt(mandate, now))
    .filter(
      ({ approvedAt }) =>
        allowed.maxDays === null || now < addSeconds(approvedAt, allowed.maxDays * DAY_SECONDS),
    )
    .toSorted(inOrder)
    .flatMap((mandate) => {
      const uses = usesOf(mandate, request, now);
      if (uses.length === 0) return [];
      return votesMeet(mandate.votes, outcome.proofTier, terms, behind.union(mandate.behind)) ? uses : [];
    });
}

function isActiveAt({ document, approvedAt }: ActiveMandate, now: Instant): boolean {
  return (document.starts_at ?? approvedAt) <= now && now < document.ends_at;
}

function inOrder(one: ActiveMandate, other: ActiveMandate): number {
  const [a, b] = [one, other].map(({ document, id }) => `${document.ends_at} ${id}`) as [string, string];
  return a < b ? -1 : 1;
}

function usesOf({ id, document }: ActiveMandate, request: CoveredRequest, now: Instant): MandateUse[] {
  if (!('entries' in document)) return [];
  const day = dayOf(now, document.day_starts_at);
  return document.entries.flatMap((entry, at) => {
    const amounts = amountsIn(entry, request);
    return amounts === undefined ? [] : [{ mandateId: id, entry: at, day, amounts }];
  });
}

/** The amounts that a use counts. Undefined: the entry does not cover the request. */
function amountsIn(entry: MandateEntry, { action, params }: CoveredRequest): bigint[] | undefined {
  if (entry.action !== action || findMisfit(params, entry.constraints) !== null) return undefined;
  return amountsOf(params, entry.limits.amounts ?? []);
}

/**
 * The day of the limits, by the date on which it begins.
 *
 * @param startsAt When a day begins: `22:00Z`.
 * @example dayOf('2026-11-24T21:00:00.000Z', '22:00Z') // '2026-11-23'
 */
export function dayOf(instant: Instant, startsAt = '00:00Z'): string {
  const [hours = 0, minutes = 0] = startsAt.slice(0, 5).split(':').map(Number);
  return addSeconds(instant, -60 * (60 * hours + minutes)).slice(0, 10);
}
