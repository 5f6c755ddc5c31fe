import {
  alternativesOf,
  type PolicyDocument,
  type PolicyRule,
  type RequirementEntry,
} from './policy-document.ts';

/** A part of a sentence. `name`: of an action, a group or a person. `code`: a condition as written. */
export interface SentencePart {
  kind: 'words' | 'name' | 'code' | 'effect';
  text: string;
}

/**
 * A rule as one sentence.
 *
 * @param fallback Its approvers count where the rule names none.
 * @example sentenceText(explainRule(rule, document.default))
 * // 'When anyone asks for payments.refund and params.amount > 5000, two of finance and one of security must
 * approve.'
 */
export function explainRule(rule: PolicyRule, fallback: PolicyDocument['default']): SentencePart[] {
  const parts = [...whenPart(rule), words(', '), ...effectPart(rule, fallback), ...termsPart(rule)];
  return [...merge(parts), words('.'), ...reasonPart(rule)];
}

/** What happens when no rule matches. */
export function explainDefault(fallback: PolicyDocument['default']): SentencePart[] {
  return merge([
    words('Whatever no rule speaks about: '),
    ...mustApprove([defaultEntry(fallback)]),
    words('.'),
  ]);
}

/** The required approvers, as a sentence of their own. */
export function explainRequirement(entries: readonly RequirementEntry[]): SentencePart[] {
  return merge([...mustApprove(entries), words('.')]);
}

export function sentenceText(parts: readonly SentencePart[]): string {
  return parts.map(({ text }) => text).join('');
}

const words = (text: string): SentencePart => ({ kind: 'words', text });
const named = (text: string): SentencePart => ({ kind: 'name', text });

const SOURCE_TYPES: Readonly<Record<string, string>> = {
  ai_agent: 'an AI agent',
  service: 'a service',
  ci: 'a CI job',
  script: 'a script',
  human: 'a person',
  other: 'something of no named kind',
};

const TIERS: Readonly<Record<string, string>> = {
  session: 'signed in themselves',
  device: 'with an enrolled device',
  passkey: 'with a passkey',
};

function whenPart({ match = {}, when }: PolicyRule): SentencePart[] {
  const who = alternativesOf(match.source_type).map((type) => words(SOURCE_TYPES[type] ?? type));
  const parts: SentencePart[] = [words('When '), ...(who.length > 0 ? list(who, 'or') : [words('anyone')])];
  const sources = alternativesOf(match.source);
  if (sources.length > 0) parts.push(words(' named '), ...list(sources.map(patternPart), 'or'));
  const actions = alternativesOf(match.action);
  parts.push(words(' asks for '));
  if (actions.length === 0 || actions.includes('*')) parts.push(words('anything'));
  else parts.push(...list(actions.map(patternPart), 'or'));
  const tiers = alternativesOf(match.risk_tier);
  if (tiers.length > 0) parts.push(words(' at risk '), ...list(tiers.map(named), 'or'));
  if (when !== undefined && when.trim() !== '')
    parts.push(words(' and '), { kind: 'code', text: when.trim() });
  return parts;
}

function patternPart(pattern: string): SentencePart {
  return named(pattern);
}

function effectPart(rule: PolicyRule, fallback: PolicyDocument['default']): SentencePart[] {
  if (rule.effect === 'allow') {
    return [words('it is '), { kind: 'effect', text: 'allowed' }, words(' at once')];
  }
  if (rule.effect === 'deny') return [words('it is '), { kind: 'effect', text: 'denied' }];
  return mustApprove(rule.require ?? [defaultEntry(fallback)]);
}

function defaultEntry({
  approvers,
  min_approvals = 1,
  ...terms
}: PolicyDocument['default']): RequirementEntry {
  return { from: approvers, count: min_approvals, ...terms };
}

function mustApprove(entries: readonly RequirementEntry[]): SentencePart[] {
  const people = entries.map(peoplePart);
  return [...join(people, 'and'), words(' '), { kind: 'effect', text: 'must approve' }];
}

const ROLES: Readonly<Record<string, string>> = {
  'role:approver': 'the approvers',
  'role:admin': 'the admins',
  'role:owner': 'the owners',
};

/** An entry with one email address means that person. For groups and roles, it gives the number of people. */
function peoplePart({ from, count, programs, or_named = [] }: RequirementEntry): SentencePart[] {
  const names = from.map((name) => (ROLES[name] ? words(ROLES[name]) : named(name)));
  const [only = ''] = from;
  const isOnePerson = from.length === 1 && count === 1 && only.includes('@');
  const people = isOnePerson ? names : [words(`${inWords(count)} of `), ...list(names, 'or')];
  const groups =
    or_named.length === 0
      ? []
      : [words(', or of those whom the request names in '), ...list(or_named.map(named), 'or')];
  return [...people, ...groups, ...(programs === true ? [words(' (programs too)')] : [])];
}

const NUMBERS = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

function inWords(count: number): string {
  return NUMBERS[count] ?? String(count);
}

function termsPart({ effect, proof_tier, risk_tier, expires_in, permit_ttl }: PolicyRule): SentencePart[] {
  const parts: SentencePart[] = [];
  const proof = proof_tier === undefined ? undefined : TIERS[proof_tier];
  if (proof !== undefined) {
    parts.push(
      words(effect === 'require_approval' ? `, ${proof}` : `, and if a person decides after all, ${proof}`),
    );
  }
  if (expires_in !== undefined) parts.push(words(`, within ${duration(expires_in)}`));
  const more = [
    ...(risk_tier === undefined ? [] : [[words('it counts as '), named(risk_tier), words(' risk or more')]]),
    ...(permit_ttl === undefined ? [] : [[words(`its permit lives ${duration(permit_ttl)} at most`)]]),
  ];
  return more.length === 0 ? parts : [...parts, words('; '), ...join(more, 'and')];
}

function reasonPart({ reason }: PolicyRule): SentencePart[] {
  return reason ? [words(` “${reason}”`)] : [];
}

const UNITS: readonly [number, string][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/** @param seconds A whole number. @example duration(5400) // '1 hour 30 minutes' */
export function duration(seconds: number): string {
  const said: string[] = [];
  let rest = seconds;
  for (const [size, unit] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) said.push(`${count} ${unit}${count === 1 ? '' : 's'}`);
  }
  return said.join(' ') || '0 seconds';
}

/** "a, b or c". */
function list(items: readonly SentencePart[], last: 'and' | 'or'): SentencePart[] {
  return join(
    items.map((item) => [item]),
    last,
  );
}

function join(items: readonly (readonly SentencePart[])[], last: 'and' | 'or'): SentencePart[] {
  return items.flatMap((item, index) => {
    if (index === 0) return item;
    return [words(index === items.length - 1 ? ` ${last} ` : ', '), ...item];
  });
}

function merge(parts: readonly SentencePart[]): SentencePart[] {
  const merged: SentencePart[] = [];
  for (const part of parts) {
    const before = merged.at(-1);
    if (before?.kind === 'words' && part.kind === 'words') before.text += part.text;
    else merged.push({ ...part });
  }
  return merged;
}
