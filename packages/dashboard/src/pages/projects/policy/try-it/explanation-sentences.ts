import type { PolicyExplanation } from '../wire.ts';
import * as words from './try-it.words.ts';

type RuleResult = PolicyExplanation['rules'][number];

/** The result of one rule for the request. */
export function sayResult({ verdict, because, failure, effect }: RuleResult): string {
  if (verdict === 'matched') return words.matches;
  if (verdict === 'not_matched') return words.mismatches[because ?? 'condition'];
  return (effect === 'allow' ? words.allowFailed : words.strictFailed)(String(failure));
}

/** The reason for the outcome, as a sentence. */
export function whyOutcome({ outcome, rules, person_for: personFor }: PolicyExplanation): string {
  const deciding = rules
    .filter(({ part }) => part === 'decides' || part === 'adds')
    .map(({ rule }) => `“${rule}”`);
  const outweighed = rules.some(({ part }) => part === 'outweighed');
  const [names, count] = [list(deciding), deciding.length];
  switch (outcome.effect) {
    case 'deny':
      return (outweighed ? words.deniesOverAll : words.denies)(names, count);
    case 'allow':
      return words.allows(names, count);
    case 'require_approval':
      if (personFor === 'proof_tier') return words.proofNeedsPerson;
      if (personFor === 'approvers') return words.requestNamesApprovers;
      if (count === 0) return words.noRuleMatches;
      return (outweighed ? words.requiresApprovalOverAllow : words.requiresApproval)(names, count);
  }
}

function list(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} ${words.and} ${names.at(-1)}`;
}
