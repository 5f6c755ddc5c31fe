import type { PolicyDocument, PolicyRule } from './policy-document.ts';

export type RuleDifference =
  | { kind: 'added'; name: string; after: PolicyRule }
  | { kind: 'removed'; name: string; before: PolicyRule }
  | { kind: 'changed'; name: string; before: PolicyRule; after: PolicyRule; properties: readonly string[] };

export interface PolicyDifference {
  name: { before: string; after: string } | null;
  default: { before: PolicyDocument['default']; after: PolicyDocument['default'] } | null;
  /** Whether a request may choose among the required approvers. */
  mayNarrow: { before: boolean; after: boolean } | null;
  rules: readonly RuleDifference[];
}

/**
 * The difference, rule by rule. Rules match by name. Their order has no meaning, so a new order is not a difference.
 */
export function diffPolicies(before: PolicyDocument, after: PolicyDocument): PolicyDifference {
  const old = new Map(before.rules.map((rule) => [rule.name, rule]));
  const fresh = new Map(after.rules.map((rule) => [rule.name, rule]));
  const rules: RuleDifference[] = [];
  for (const [name, rule] of fresh) {
    const known = old.get(name);
    if (!known) rules.push({ kind: 'added', name, after: rule });
    else {
      const properties = changedProperties(known, rule);
      if (properties.length > 0)
        rules.push({ kind: 'changed', name, before: known, after: rule, properties });
    }
  }
  for (const [name, rule] of old) if (!fresh.has(name)) rules.push({ kind: 'removed', name, before: rule });
  const mayNarrow = {
    before: before.requester_may_narrow ?? true,
    after: after.requester_may_narrow ?? true,
  };
  return {
    name: before.name === after.name ? null : { before: before.name, after: after.name },
    default: isSame(before.default, after.default) ? null : { before: before.default, after: after.default },
    mayNarrow: mayNarrow.before === mayNarrow.after ? null : mayNarrow,
    rules,
  };
}

export function isEmptyDifference({ name, default: fallback, mayNarrow, rules }: PolicyDifference): boolean {
  return name === null && fallback === null && mayNarrow === null && rules.length === 0;
}

function changedProperties(before: PolicyRule, after: PolicyRule): string[] {
  const properties = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof PolicyRule>;
  return [...properties].filter((property) => !isSame(before[property], after[property]));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([name, property]) => [name, sorted(property)]);
}
