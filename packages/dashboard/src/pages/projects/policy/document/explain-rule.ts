import { formatLifetime } from '../../../../ui/format.ts';
import * as words from './document.words.ts';
import {
  alternativesOf,
  type PolicyDocument,
  type PolicyRule,
  type RequirementEntry,
} from './policy-document.ts';
import { enumerate, phrase, type SentencePart, type SentenceParts } from './sentence-parts.ts';

/**
 * A rule as a sentence, followed by one for each limit.
 *
 * @param fallback Its approvers count where the rule names none.
 * @example sentenceText(explainRule(rule, document.default))
 * // 'When anyone requests payments.refund and params.amount > 5000, it requires 2 approvals from finance and 1 from
 * security.'
 */
export function explainRule(rule: PolicyRule, fallback: PolicyDocument['default']): SentencePart[] {
  const sentence = words.rule(matchPart(rule), effectPart(rule, fallback));
  return phrase`${sentence}${limitsPart(rule)}.${rule.reason ? words.reason(rule.reason) : ''}`;
}

/** What happens when no rule matches. */
export function explainDefault(fallback: PolicyDocument['default']): SentencePart[] {
  return words.byDefault(requires([defaultEntry(fallback)]));
}

/** The required approvals, as a sentence of their own. */
export function explainRequirement(entries: readonly RequirementEntry[]): SentencePart[] {
  return words.requirement(requires(entries));
}

const named = (text: string): SentencePart => ({ kind: 'name', text });
const anyOf = (names: readonly string[]) =>
  enumerate(
    names.map((name) => [named(name)]),
    words.or,
  );

function matchPart({ match = {}, when = '' }: PolicyRule): SentencePart[] {
  const types = alternativesOf(match.source_type).map((type) => phrase`${words.requesters[type] ?? type}`);
  const anyType = types.length > 0 ? enumerate(types, words.or) : phrase`${words.anyone}`;
  const sources = alternativesOf(match.source);
  const who = sources.length > 0 ? words.withSource(anyType, anyOf(sources)) : anyType;
  const actions = alternativesOf(match.action);
  const isAny = actions.length === 0 || actions.includes('*');
  const tiers = alternativesOf(match.risk_tier);
  const condition = when.trim();
  return phrase`${words.match(who, isAny ? phrase`${words.anyAction}` : anyOf(actions))}${
    tiers.length > 0 ? words.withRisk(anyOf(tiers)) : ''
  }${condition === '' ? '' : words.withCondition({ kind: 'code', text: condition })}`;
}

function effectPart(rule: PolicyRule, fallback: PolicyDocument['default']): SentenceParts {
  if (rule.effect === 'allow') return words.allowed;
  if (rule.effect === 'deny') return words.denied;
  return requires(rule.require ?? [defaultEntry(fallback)]);
}

function defaultEntry({
  approvers,
  min_approvals = 1,
  ...terms
}: PolicyDocument['default']): RequirementEntry {
  return { from: approvers, count: min_approvals, ...terms };
}

function requires(entries: readonly RequirementEntry[]): SentencePart[] {
  const approvals = entries.map((entry, index) =>
    (index === 0 ? words.approvals : words.furtherApprovals)(entry.count, peoplePart(entry)),
  );
  return words.requires(enumerate(approvals, words.and));
}

function peoplePart({ from, count, programs, or_named = [] }: RequirementEntry): SentencePart[] {
  const names = from.map((name) => {
    const role = words.roles[name];
    return role ? phrase`${count === 1 ? role.one : role.several}` : [named(name)];
  });
  const own = enumerate(names, words.or);
  const people = or_named.length === 0 ? own : words.orNamed(own, anyOf(or_named));
  return programs === true ? words.orPrograms(people) : people;
}

function limitsPart({ effect, proof_tier = 'none', risk_tier, expires_in, permit_ttl }: PolicyRule) {
  const proofs = { allow: words.proofsAfterAll, require_approval: words.proofs, deny: undefined }[effect];
  return phrase`${proofs?.[proof_tier] ?? ''}${
    expires_in === undefined ? '' : words.within(formatLifetime(expires_in))
  }${risk_tier === undefined ? '' : words.riskFloor(named(risk_tier))}${
    permit_ttl === undefined ? '' : words.permitLifetime(formatLifetime(permit_ttl))
  }`;
}
