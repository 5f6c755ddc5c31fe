import { type Direction, type Effect, type OutcomeChange, TERMS, type Term } from './compare-outcomes.ts';

/** The part of an outcome that differences are grouped by. */
export interface Said {
  effect: Effect;
  /** The decisive rule; null for the default. */
  rule: string | null;
}

/** All requests with the same change between the same two rules. */
export interface DifferenceGroup {
  from: Said;
  to: Said;
  direction: Direction;
  /** The terms that change under the same effect. */
  terms: readonly Term[];
  count: number;
  /** The first few samples. */
  samples: readonly string[];
}

/** The differences by rule and change, most frequent first. */
export interface Differences {
  changed: number;
  byDirection: Readonly<Record<Direction, number>>;
  groups: readonly DifferenceGroup[];
  /** Differences without a group, because there were too many groups. */
  ungrouped: number;
}

/** Two policies of 500 rules can form a quarter of a million pairs, far more than people can read. */
export const MOST_GROUPS = 500;
export const SAMPLES_PER_GROUP = 10;

type OpenGroup = DifferenceGroup & { samples: string[] };

/** Counts differences. Its size is bounded, however many differences are added. */
export class DifferenceTally {
  changed = 0;
  readonly #byDirection: Record<Direction, number> = { stricter: 0, looser: 0, mixed: 0 };
  readonly #groups = new Map<string, OpenGroup>();
  #ungrouped = 0;

  /** @param sample Identifies the request for people, e.g. its intent ID. */
  add(from: Said, to: Said, change: OutcomeChange, sample: string): void {
    this.changed += 1;
    this.#byDirection[change.direction] += 1;
    const key = groupKey(from, to, change);
    let group = this.#groups.get(key);
    if (!group) {
      if (this.#groups.size >= MOST_GROUPS) {
        this.#ungrouped += 1;
        return;
      }
      group = {
        from: { effect: from.effect, rule: from.rule },
        to: { effect: to.effect, rule: to.rule },
        ...change,
        count: 0,
        samples: [],
      };
      this.#groups.set(key, group);
    }
    group.count += 1;
    if (group.samples.length < SAMPLES_PER_GROUP) group.samples.push(sample);
  }

  result(): Differences {
    return {
      changed: this.changed,
      byDirection: { ...this.#byDirection },
      groups: [...this.#groups.values()].toSorted((one, other) => other.count - one.count),
      ungrouped: this.#ungrouped,
    };
  }
}

/** A unique text for each group. `parseGroupKey` parses it. */
export function groupKey(from: Said, to: Said, { direction, terms }: OutcomeChange): string {
  return JSON.stringify([from.effect, from.rule, to.effect, to.rule, direction, terms]);
}

export function parseGroupKey(key: string): Omit<DifferenceGroup, 'count' | 'samples'> {
  const [fromEffect, fromRule, toEffect, toRule, direction, terms] = JSON.parse(key) as [
    Effect,
    string | null,
    Effect,
    string | null,
    Direction,
    Term[],
  ];
  return {
    from: { effect: fromEffect, rule: fromRule },
    to: { effect: toEffect, rule: toRule },
    direction,
    terms: TERMS.filter((term) => terms.includes(term)),
  };
}
