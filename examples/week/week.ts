/**
 * A week of requests, generated from a seed, by which standing approvals are measured. The week was written before
 * standing approvals, and its distribution does not change, so that they cannot be fitted to it.
 *
 * 2,000 requests of five agents, Monday to Sunday:
 *
 * | agent | share | action | usual amount (log-normal) |
 * |---|---|---|---|
 * | billing-bot | 44 % | `payments.refund` | median 18 EUR, sigma 0.6, at most 50 |
 * | supply-bot | 26 % | `purchases.order` | median 90 EUR, sigma 0.7, at most 400 |
 * | mail-bot | 26 % | `mail.send` | none |
 * | deploy-bot | 2 % | `deploy.production` | none |
 * | data-bot | 2 % | `database.delete_rows` | none |
 *
 * 85 % are usual: one of the agent's 30 regular payees (by Zipf's law), its usual parameters, and an amount within its limit.
 * 15 % are unusual, which means outside any sensible standing approval. All requests of deploy-bot and data-bot are
 * unusual. An unusual request of the other three agents has an amount above the limit, a new payee or another currency.
 * From the fourth day on, it may have a new parameter instead.
 * The week's person denies 3 % of all requests. The denied requests are unusual, and some are just above the limit.
 */

export type Oddity = 'large' | 'new_payee' | 'other_currency' | 'new_parameter' | 'rare_action';

export interface WeekRequest {
  /** RFC 3339, in the order of the list. */
  at: string;
  agent: string;
  action: string;
  params: Record<string, string | number | boolean>;
  /** Why no sensible standing approval covers the request. Null: the request is usual. */
  oddity: Oddity | null;
  /** The decision of the week's person, if the request needs one. */
  decision: 'approve' | 'deny';
}

interface Agent {
  name: string;
  action: string;
  requests: number;
  /** Amounts in EUR. Null: the action has none. */
  amounts: { median: number; sigma: number; atMost: number } | null;
  payee: string;
  other(random: Random): Record<string, string | number>;
}

/** Monday. */
const BEGINS = Date.parse('2026-11-16T00:00:00.000Z');
const DAY_MS = 24 * 60 * 60 * 1000;
const REGULAR_PAYEES = 30;
const UNUSUAL = 300;
const DENIED = 60;
const NEW_PARAMETER_FROM_DAY = 4;
/** The kinds of unusual requests, in turn, for agents that also have usual requests. */
const ODDITIES: readonly Oddity[] = ['large', 'new_payee', 'new_parameter', 'large', 'other_currency'];

const AGENTS: readonly Agent[] = [
  {
    name: 'billing-bot',
    action: 'payments.refund',
    requests: 880,
    amounts: { median: 18, sigma: 0.6, atMost: 50 },
    payee: 'customer',
    other: (random) => ({ order: `A-${random.whole(100_000)}` }),
  },
  {
    name: 'supply-bot',
    action: 'purchases.order',
    requests: 520,
    amounts: { median: 90, sigma: 0.7, atMost: 400 },
    payee: 'supplier',
    other: (random) => ({ sku: `SKU-${random.whole(5000)}`, quantity: 1 + random.whole(20) }),
  },
  {
    name: 'mail-bot',
    action: 'mail.send',
    requests: 520,
    amounts: null,
    payee: 'list',
    other: (random) => ({ template: ['receipt', 'reminder', 'digest'][random.whole(3)] ?? 'digest' }),
  },
  {
    name: 'deploy-bot',
    action: 'deploy.production',
    requests: 40,
    amounts: null,
    payee: 'service',
    other: (random) => ({ commit: random.whole(0xfffffff).toString(16).padStart(7, '0') }),
  },
  {
    name: 'data-bot',
    action: 'database.delete_rows',
    requests: 40,
    amounts: null,
    payee: 'table',
    other: (random) => ({ rows: 1 + random.whole(5000) }),
  },
];

/** Numbers that follow from a seed (mulberry32). */
class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0, below `limit`. */
  whole(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** Log-normal (Box and Muller), with two decimal places. */
  amount(median: number, sigma: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return Math.max(0.01, Math.round(median * Math.exp(sigma * normal) * 100) / 100);
  }

  /** A number from 1 to `most`. Each number is half as frequent as the number of half its size (Zipf). */
  zipf(most: number): number {
    const sum = Array.from({ length: most }, (_, index) => 1 / (index + 1)).reduce((a, b) => a + b);
    let left = this.next() * sum;
    for (let rank = 1; rank < most; rank += 1) {
      left -= 1 / rank;
      if (left < 0) return rank;
    }
    return most;
  }

  /** The same items in another order (Fisher and Yates). */
  shuffled<T>(values: readonly T[]): T[] {
    const mixed = [...values];
    for (let last = mixed.length - 1; last > 0; last -= 1) {
      const other = this.whole(last + 1);
      [mixed[last], mixed[other]] = [mixed[other] as T, mixed[last] as T];
    }
    return mixed;
  }
}

/**
 * The week of a seed: the same 2,000 requests for the same seed, in the order of their times.
 *
 * @example const denied = makeWeek(1).filter(({ decision }) => decision === 'deny'); // 60
 */
export function makeWeek(seed: number): WeekRequest[] {
  const random = new Random(seed);
  const places = random.shuffled(AGENTS.flatMap((agent) => Array<Agent>(agent.requests).fill(agent)));
  const times = places.map(() => timeOf(random)).sort((a, b) => a - b);
  const oddities = chooseOddities(places, times, random);
  const denied = new Set(random.shuffled([...oddities.keys()]).slice(0, DENIED));
  return places.map((agent, place) => {
    const oddity = oddities.get(place) ?? null;
    return {
      at: new Date(times[place] ?? BEGINS).toISOString(),
      agent: agent.name,
      action: agent.action,
      params: paramsOf(agent, oddity, random),
      oddity,
      decision: denied.has(place) ? 'deny' : 'approve',
    };
  });
}

/** Four fifths of the requests are between 08:00 and 18:00 UTC. */
function timeOf(random: Random): number {
  const hour = random.next() < 0.8 ? 8 + random.next() * 10 : random.next() * 24;
  return BEGINS + random.whole(7) * DAY_MS + Math.floor(hour * 60 * 60 * 1000);
}

function chooseOddities(
  places: readonly Agent[],
  times: readonly number[],
  random: Random,
): ReadonlyMap<number, Oddity> {
  const chosen = new Map<number, Oddity>();
  for (const [place, { name }] of places.entries()) {
    if (name === 'deploy-bot' || name === 'data-bot') chosen.set(place, 'rare_action');
  }
  const usual = random.shuffled([...places.keys()].filter((place) => !chosen.has(place)));
  for (const place of usual) {
    if (chosen.size === UNUSUAL) break;
    const oddity = ODDITIES[chosen.size % ODDITIES.length] ?? 'large';
    const day = 1 + Math.floor(((times[place] ?? BEGINS) - BEGINS) / DAY_MS);
    if (oddity === 'new_parameter' && day < NEW_PARAMETER_FROM_DAY) continue;
    const takesAmount = oddity === 'large' || oddity === 'other_currency';
    chosen.set(place, takesAmount && places[place]?.amounts === null ? 'new_payee' : oddity);
  }
  return chosen;
}

function paramsOf(agent: Agent, oddity: Oddity | null, random: Random): WeekRequest['params'] {
  const isNew = oddity === 'new_payee';
  const payee = `${agent.payee}-${isNew ? `new-${random.whole(100_000)}` : random.zipf(REGULAR_PAYEES)}`;
  return {
    [agent.payee]: payee,
    ...agent.other(random),
    ...(agent.amounts && {
      amount: amountOf(agent.amounts, oddity, random),
      currency: oddity === 'other_currency' ? 'USD' : 'EUR',
    }),
    ...(oddity === 'new_parameter' && { rush: true }),
  };
}

/** A usual amount above the limit is drawn again. A large amount is above the limit, often only slightly. */
function amountOf(
  { median, sigma, atMost }: NonNullable<Agent['amounts']>,
  oddity: Oddity | null,
  random: Random,
): number {
  if (oddity === 'large') return Math.round((atMost + random.amount(atMost * 0.2, 1.2)) * 100) / 100;
  for (;;) {
    const amount = random.amount(median, sigma);
    if (amount <= atMost) return amount;
  }
}
