import type { NamePattern } from './name-pattern.ts';

/** Rules by action, so that a request evaluates only the rules that may match it, out of a hundred. */
export class RuleIndex<R> {
  /** The rules in the given order. */
  readonly rules: readonly R[];
  readonly #exact = new Map<string, R[]>();
  readonly #prefixes = new Map<string, R[]>();
  /** The distinct lengths of all prefixes. */
  readonly #lengths: readonly number[];

  /** A name must match at most one pattern of each rule, as `parseNamePatterns` ensures. */
  constructor(rules: readonly { rule: R; actions: readonly NamePattern[] }[]) {
    this.rules = rules.map(({ rule }) => rule);
    for (const { rule, actions } of rules) {
      for (const pattern of actions) {
        const [map, key] =
          pattern.kind === 'exact' ? [this.#exact, pattern.name] : [this.#prefixes, pattern.prefix];
        const known = map.get(key);
        if (known) known.push(rule);
        else map.set(key, [rule]);
      }
    }
    this.#lengths = [...new Set([...this.#prefixes.keys()].map(({ length }) => length))];
  }

  /** The rules that may match the action, in no particular order, each once. */
  candidates(action: string): readonly R[] {
    const found = [...(this.#exact.get(action) ?? [])];
    for (const length of this.#lengths) {
      if (length > action.length) continue;
      const rules = this.#prefixes.get(action.slice(0, length));
      if (rules) found.push(...rules);
    }
    return found;
  }
}
