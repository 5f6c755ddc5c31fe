import type { PolicyOutcome, PolicyRequest } from '../../policy/outcome.ts';
import { compareOutcomes } from '../comparison/compare-outcomes.ts';
import { groupKey } from '../comparison/difference-tally.ts';
import type { ShadowCount, ShadowDivergence, ShadowFindings } from './shadow-policy.ts';

/**
 * Findings about one shadow policy since the last write. They need no more memory for a thousand intents than for one.
 */
export class OpenFindings {
  #evaluated = 0;
  #diverged = 0;
  readonly #counts = new Map<string, ShadowCount>();
  #divergences: ShadowDivergence[] = [];
  readonly #mostDivergences: number;

  /** @param mostDivergences The most differences to list. All are counted. */
  constructor(mostDivergences: number) {
    this.#mostDivergences = mostDivergences;
  }

  /** Returns whether the two outcomes differ. */
  add(intentId: string, { now: at }: PolicyRequest, inForce: PolicyOutcome, shadow: PolicyOutcome): boolean {
    this.#evaluated += 1;
    for (const { rule } of shadow.failures) this.#count('failure', rule);
    const change = compareOutcomes(inForce, shadow);
    if (!change) return false;
    this.#diverged += 1;
    const before = { effect: inForce.effect, rule: inForce.rule };
    const after = { effect: shadow.effect, rule: shadow.rule };
    this.#count('divergence', groupKey(before, after, change));
    this.#divergences.push({ intentId, at, inForce: before, shadow: after, ...change });
    // Cuts the list only now and then, because each cut copies the list.
    if (this.#divergences.length > 2 * this.#mostDivergences) this.#cut();
    return true;
  }

  take(): ShadowFindings {
    this.#cut();
    return {
      evaluated: this.#evaluated,
      diverged: this.#diverged,
      counts: [...this.#counts.values()],
      divergences: this.#divergences,
    };
  }

  #cut(): void {
    this.#divergences = this.#divergences.slice(-this.#mostDivergences);
  }

  #count(kind: ShadowCount['kind'], name: string): void {
    const key = `${kind} ${name}`;
    const counted = this.#counts.get(key);
    if (counted) counted.count += 1;
    else this.#counts.set(key, { kind, name, count: 1 });
  }
}
