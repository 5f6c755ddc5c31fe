import { millisecondsBetween } from '../kernel/instant.ts';
import type { Largest, Overview, OverviewIntent, Tally } from './overview.ts';

/** More groups than this would overwhelm a reader. */
const MOST_SHOWN = 15;

type Votes = { person: string; approvals: number; denials: number };
type Requests = Overview['byRequester']['top'][number];

/** Counts intents one by one. Keeps their groups and a number per decision, but not the intents. */
export class SampleTally {
  readonly #totals = emptyTally();
  readonly #rules = new Map<string | null, Tally & { rule: string | null }>();
  readonly #people = new Map<string, Votes>();
  readonly #requesters = new Map<string, Requests>();
  readonly #seconds: number[] = [];

  add(intent: OverviewIntent): void {
    count(this.#totals, intent);
    const { rule } = intent;
    count(
      inGroup(this.#rules, rule, () => ({ ...emptyTally(), rule })),
      intent,
    );
    const requester = requesterOf(intent);
    count(
      inGroup(this.#requesters, requester.id, () => ({ ...emptyTally(), ...requester })),
      intent,
    );
    this.#addVotes(intent);
  }

  result(): Pick<Overview, 'totals' | 'timeToDecision' | 'byRule' | 'byPerson' | 'byRequester'> {
    const seconds = this.#seconds.toSorted((a, b) => a - b);
    return {
      totals: this.#totals,
      timeToDecision: {
        decided: seconds.length,
        medianSeconds: quantile(seconds, 0.5),
        p95Seconds: quantile(seconds, 0.95),
      },
      byRule: largest(this.#rules, (rule) => rule.intents),
      byPerson: largest(this.#people, ({ approvals, denials }) => approvals + denials),
      byRequester: largest(this.#requesters, (requester) => requester.intents),
    };
  }

  #addVotes(intent: OverviewIntent): void {
    for (const { by, method } of intent.approvals) {
      if (method !== 'policy') this.#votesOf(by).approvals += 1;
    }
    if (!isDecidedByPerson(intent)) return;
    if (intent.status === 'denied' && intent.resolvedBy !== null)
      this.#votesOf(intent.resolvedBy).denials += 1;
    if (intent.resolvedAt !== null)
      this.#seconds.push(millisecondsBetween(intent.createdAt, intent.resolvedAt) / 1000);
  }

  #votesOf(person: string): Votes {
    return inGroup(this.#people, person, () => ({ person, approvals: 0, denials: 0 }));
  }
}

/** The clock causes an expiry, and the requester a withdrawal. Neither shows how long people take. */
function isDecidedByPerson(intent: OverviewIntent): boolean {
  if (intent.decision !== 'require_approval') return false;
  return intent.status === 'approved' || (intent.status === 'denied' && !isWithdrawn(intent));
}

function isWithdrawn({ resolvedBy, requester }: OverviewIntent): boolean {
  return resolvedBy === requester.id;
}

function requesterOf({
  agentId,
  source,
  requester,
}: OverviewIntent): Pick<Requests, 'type' | 'id' | 'display'> {
  // A service that names an agent sends the request in the agent's name.
  if (agentId !== null && requester.id !== agentId)
    return { type: 'agent', id: agentId, display: source ?? agentId };
  return { type: requester.type, id: requester.id, display: requester.display };
}

function emptyTally(): Tally {
  return { intents: 0, autoApproved: 0, autoDenied: 0, asked: 0, approved: 0, denied: 0, expired: 0 };
}

function count(tally: Tally, { decision, status }: OverviewIntent): void {
  tally.intents += 1;
  if (decision === 'auto_approve') tally.autoApproved += 1;
  else if (decision === 'auto_deny') tally.autoDenied += 1;
  else {
    tally.asked += 1;
    if (status !== 'pending') tally[status] += 1;
  }
}

function inGroup<K, V>(groups: Map<K, V>, key: K, create: () => V): V {
  const known = groups.get(key);
  if (known !== undefined) return known;
  const created = create();
  groups.set(key, created);
  return created;
}

function largest<V>(groups: ReadonlyMap<unknown, V>, sizeOf: (group: V) => number): Largest<V> {
  const sorted = [...groups.values()].sort((a, b) => sizeOf(b) - sizeOf(a));
  return { top: sorted.slice(0, MOST_SHOWN), others: Math.max(0, sorted.length - MOST_SHOWN) };
}

/** By nearest rank, so that the result is a duration of a real decision. */
function quantile(sorted: readonly number[], q: number): number | null {
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? null;
}
