import {
  alternativesOf,
  type Effect,
  type PolicyRule,
  type RequirementEntry,
  type Words,
} from '../document/policy-document.ts';

export interface EntryForm {
  from: string;
  count: string;
  programs: boolean;
  orNamed: string;
}

/** The state of the rule form: every member is a text. */
export interface RuleForm {
  name: string;
  effect: Effect;
  action: string;
  sourceType: string;
  source: string;
  matchRisk: string;
  when: string;
  reason: string;
  require: EntryForm[];
  riskTier: string;
  proofTier: string;
  expiresIn: string;
  permitTtl: string;
}

export const NEW_RULE: PolicyRule = { name: '', match: { action: '*' }, effect: 'require_approval' };

export function toForm(rule: PolicyRule): RuleForm {
  const match = rule.match ?? {};
  return {
    name: rule.name,
    effect: rule.effect,
    action: joined(match.action),
    sourceType: joined(match.source_type),
    source: joined(match.source),
    matchRisk: joined(match.risk_tier),
    when: rule.when ?? '',
    reason: rule.reason ?? '',
    require: (rule.require ?? []).map(({ from, count, programs = false, or_named = [] }) => ({
      from: from.join(', '),
      count: String(count),
      programs,
      orNamed: or_named.join(', '),
    })),
    riskTier: rule.risk_tier ?? '',
    proofTier: rule.proof_tier ?? '',
    expiresIn: rule.expires_in === undefined ? '' : String(rule.expires_in),
    permitTtl: rule.permit_ttl === undefined ? '' : String(rule.permit_ttl),
  };
}

/** Leaves out empty fields. An invalid value stays as typed, so that the gate reports it. */
export function toRule(form: RuleForm): PolicyRule {
  const match = {
    ...given('action', form.action),
    ...given('source_type', form.sourceType),
    ...given('source', form.source),
    ...given('risk_tier', form.matchRisk),
  };
  const entries = form.require.filter(({ from }) => from.trim() !== '');
  return {
    name: form.name.trim(),
    ...(Object.keys(match).length > 0 && { match }),
    ...given('when', form.when),
    effect: form.effect,
    ...given('reason', form.reason),
    ...(form.effect === 'require_approval' &&
      entries.length > 0 && {
        require: entries.map(({ from, count, ...terms }) => ({
          from: namesIn(from),
          count: Number(count) || 1,
          ...termsOf(terms),
        })),
      }),
    ...given('risk_tier', form.riskTier),
    ...given('proof_tier', form.proofTier),
    ...seconds('expires_in', form.expiresIn),
    ...seconds('permit_ttl', form.permitTtl),
  };
}

/** The settings of an entry, without those at their default. */
export function termsOf({
  programs,
  orNamed,
}: Pick<EntryForm, 'programs' | 'orNamed'>): Pick<RequirementEntry, 'programs' | 'or_named'> {
  const groups = namesIn(orNamed);
  return { ...(programs && { programs }), ...(groups.length > 0 && { or_named: groups }) };
}

/** @example namesIn('finance, ann@example.org') // ['finance', 'ann@example.org'] */
export function namesIn(text: string): string[] {
  return [...new Set(text.split(/[,\s]+/).filter((name) => name !== ''))];
}

function joined(words: Words | undefined): string {
  return alternativesOf(words).join(' | ');
}

function given<K extends string>(name: K, text: string): Partial<Record<K, string>> {
  return text.trim() === '' ? {} : ({ [name]: text.trim() } as Record<K, string>);
}

function seconds<K extends string>(name: K, text: string): Partial<Record<K, number>> {
  const value = Number(text);
  return text.trim() === '' || Number.isNaN(value) ? {} : ({ [name]: value } as Record<K, number>);
}
