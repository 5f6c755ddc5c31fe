import type { PolicyExplanation } from '../wire.ts';

type Said = PolicyExplanation['rules'][number];

const UNFIT = {
  action: 'It is for other actions.',
  risk_tier: 'It is for other risks than the one asked for.',
  source_type: 'It is for other kinds of sources.',
  source: 'It is for other sources.',
  condition: 'Its condition is false.',
} as const;

/** What one rule says about the request. */
export function ruleSaid({ verdict, because, failure, effect }: Said): string {
  if (verdict === 'matched') return 'It matches.';
  if (verdict === 'not_matched') return UNFIT[because ?? 'condition'];
  const consequence =
    effect === 'allow'
      ? 'A rule that allows counts only when its condition is true, so it allows nothing'
      : 'A rule that denies or asks counts then, for an error may only make things stricter';
  return `Its condition could not be evaluated: ${failure}. ${consequence}.`;
}

/** The reason for the outcome, as a sentence. */
export function whyOutcome({ outcome, rules, person_for: personFor }: PolicyExplanation): string {
  const deciding = rules
    .filter(({ part }) => part === 'decides' || part === 'adds')
    .map(({ rule }) => `“${rule}”`);
  const outweighed = rules.some(({ part }) => part === 'outweighed');
  switch (outcome.effect) {
    case 'deny':
      return `${list(deciding)} ${denies(deciding)}${outweighed ? ', and a denial weighs more than anything else' : ''}.`;
    case 'allow':
      return `${list(deciding)} ${deciding.length > 1 ? 'allow' : 'allows'} it, and no rule asks or denies.`;
    case 'require_approval':
      if (personFor === 'proof_tier') {
        return 'A rule allows it, but the proof of presence that is asked for takes a person.';
      }
      if (personFor === 'approvers') return 'A rule allows it, but the request itself asks for approvers.';
      if (deciding.length === 0) return 'No rule speaks about it, so a person decides.';
      return `${list(deciding)} ${deciding.length > 1 ? 'ask' : 'asks'} for people${outweighed ? ', which weighs more than a rule that allows' : ''}.`;
  }
}

function denies(rules: readonly string[]): string {
  return rules.length > 1 ? 'deny it' : 'denies it';
}

function list(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
