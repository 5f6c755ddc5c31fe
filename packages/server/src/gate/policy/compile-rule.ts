import {
  foldEmailAddress,
  type ProofTier,
  RISK_TIERS,
  type RiskTier,
  SOURCE_TYPES,
} from '@permitry/protocol';
import type { RequirementEntry } from '../approvals/requirement.ts';
import type { FieldProblem } from '../kernel/errors.ts';
import { type Condition, compileCondition } from './condition/condition.ts';
import { alternativesOf, matchesName, type NamePattern, parseNamePatterns } from './name-pattern.ts';
import type { PolicyRequest } from './outcome.ts';
import type { PolicyDocument, PolicyRule, WrittenMandates } from './policy-document.ts';

type WrittenEntry = NonNullable<PolicyRule['require']>[number];

/** One member of `match` other than the action. */
export interface MatchCheck {
  readonly member: 'risk_tier' | 'source_type' | 'source';
  fits(request: PolicyRequest): boolean;
}

/** A rule ready for evaluation. The index looks up its action, and `matches` checks the rest of `match`. */
export interface CompiledRule {
  readonly name: string;
  readonly effect: PolicyRule['effect'];
  readonly reason: string | null;
  readonly actions: readonly NamePattern[];
  matches(request: PolicyRequest): boolean;
  /** The checks of `matches`, member by member. */
  readonly checks: readonly MatchCheck[];
  readonly condition: Condition | null;
  /** The entries that the rule requires, or `default` if the rule names nobody. */
  readonly requirement: readonly RequirementEntry[] | 'default';
  /** Undefined: the rule does not say. */
  readonly mandates: WrittenMandates | undefined;
  readonly riskTier: RiskTier | null;
  readonly proofTier: ProofTier | null;
  readonly expiresInSeconds: number | null;
  readonly permitTtlSeconds: number | null;
}

/** Collects a compiled rule's problems and warnings. Their paths start at the rule. */
export interface RuleFindings {
  problems: FieldProblem[];
  warnings: FieldProblem[];
}

const ANY: readonly NamePattern[] = [{ kind: 'prefix', prefix: '' }];

function patternsAt(path: string, value: string | readonly string[] | undefined, findings: RuleFindings) {
  if (value === undefined) return ANY;
  const parsed = parseNamePatterns(value);
  if ('patterns' in parsed) return parsed.patterns;
  findings.problems.push({ path, message: parsed.problem });
  return ANY;
}

function wordsAt(
  path: string,
  value: string | readonly string[] | undefined,
  known: readonly string[],
  findings: RuleFindings,
): ReadonlySet<string> | null {
  if (value === undefined) return null;
  const words = alternativesOf(value);
  for (const word of words.filter((candidate) => !known.includes(candidate))) {
    findings.problems.push({ path, message: `"${word}" is not one of ${known.join(', ')}.` });
  }
  return new Set(words);
}

function compileMatch(rule: PolicyRule, findings: RuleFindings) {
  const match = rule.match ?? {};
  const sources = patternsAt('/match/source', match.source, findings);
  const riskTiers = wordsAt('/match/risk_tier', match.risk_tier, RISK_TIERS, findings);
  const sourceTypes = wordsAt('/match/source_type', match.source_type, SOURCE_TYPES, findings);
  const checks: MatchCheck[] = [];
  if (riskTiers) checks.push({ member: 'risk_tier', fits: ({ riskTier }) => riskTiers.has(riskTier) });
  if (sourceTypes) {
    checks.push({ member: 'source_type', fits: ({ sourceType }) => sourceTypes.has(sourceType) });
  }
  if (match.source !== undefined) {
    checks.push({ member: 'source', fits: ({ source }) => matchesName(sources, source) });
  }
  return {
    actions: patternsAt('/match/action', match.action, findings),
    matches: (request: PolicyRequest) => checks.every(({ fits }) => fits(request)),
    checks,
  };
}

/**
 * An allow rule may depend only on values that the requester cannot choose, or that the permit binds the requester to.
 */
function checkAllow(rule: PolicyRule, reads: ReadonlySet<string>, findings: RuleFindings): void {
  for (const name of ['source', 'source_type', 'metadata'] as const) {
    const message = `An allow rule must not depend on ${name}, because the requester chooses it freely. Use agent.name or agent.id, which the agent's key proves.`;
    if (reads.has(name)) findings.problems.push({ path: '/when', message });
    if (name !== 'metadata' && rule.match?.[name] !== undefined) {
      findings.problems.push({ path: `/match/${name}`, message });
    }
  }
  const advice =
    'The requester chooses this tier and may choose the lowest. Use agent.risk_tier, which is registered.';
  if (rule.match?.risk_tier !== undefined) {
    findings.warnings.push({ path: '/match/risk_tier', message: advice });
  }
  if (reads.has('risk_tier') || reads.has('proof_tier')) {
    findings.warnings.push({ path: '/when', message: advice });
  }
  if (rule.proof_tier !== undefined && rule.proof_tier !== 'none') {
    findings.warnings.push({
      path: '/proof_tier',
      message:
        'A rule cannot prove that a person is present, so with this tier a request still needs review.',
    });
  }
  const { action = '*', ...narrower } = rule.match ?? {};
  if (rule.when === undefined && action === '*' && Object.keys(narrower).length === 0) {
    findings.warnings.push({ path: '', message: 'This rule allows every action.' });
  }
}

/** A stricter rule may depend on the requester's own words, but a requester can avoid the rule with other words. */
function checkStricter(rule: PolicyRule, reads: ReadonlySet<string>, findings: RuleFindings): void {
  const message = 'The requester chooses this freely, and can avoid this rule by choosing something else.';
  for (const name of ['source', 'source_type', 'risk_tier'] as const) {
    if (rule.match?.[name] !== undefined) findings.warnings.push({ path: `/match/${name}`, message });
  }
  const chosen = ['source', 'source_type', 'risk_tier', 'proof_tier', 'metadata'].filter((name) =>
    reads.has(name),
  );
  if (chosen.length > 0)
    findings.warnings.push({ path: '/when', message: `${chosen.join(', ')}: ${message}` });
}

/** Finds entries that no set of people could meet, and names that can never match. */
export function checkEntry(
  entry: RequirementEntry,
  paths: { from: string; orNamed: string },
  { problems }: Pick<RuleFindings, 'problems'>,
): void {
  for (const [index, name] of entry.from.entries()) {
    if (name.startsWith('role:') && !['role:approver', 'role:admin', 'role:owner'].includes(name)) {
      problems.push({
        path: `${paths.from}/${index}`,
        message: 'A role is role:approver, role:admin or role:owner.',
      });
    }
  }
  for (const [index, name] of (entry.orNamed ?? []).entries()) {
    if (!name.startsWith('role:') && !name.includes('@')) continue;
    problems.push({
      path: `${paths.orNamed}/${index}`,
      message: 'Must be a group. Requests may name its members.',
    });
  }
  // An address means one person. Groups and roles may have any number.
  const people = new Set(entry.from.map(foldEmailAddress));
  const isClosed = entry.from.every((name) => name.includes('@')) && entry.orNamed === undefined;
  if (isClosed && people.size < entry.count) {
    problems.push({
      path: paths.from,
      message: `This can never be met: ${entry.count} approvals, but only ${people.size} ${people.size === 1 ? 'person' : 'people'} may give them.`,
    });
  }
}

/** If it reports problems in `findings`, the rule must not be used. */
export function compileRule(rule: PolicyRule, findings: RuleFindings): CompiledRule {
  if (rule.match === undefined && rule.when === undefined) {
    const message = 'A rule needs match or when; write { "match": { "action": "*" } } for every action.';
    findings.problems.push({ path: '', message });
  }
  if (rule.require !== undefined && rule.effect !== 'require_approval') {
    findings.problems.push({
      path: '/require',
      message: 'Only a rule with effect require_approval may have this.',
    });
  }
  if (rule.mandates !== undefined && rule.effect !== 'require_approval') {
    findings.problems.push({
      path: '/mandates',
      message: 'Only a rule with effect require_approval may have this.',
    });
  }
  const required = rule.require?.map(toEntry);
  for (const [index, entry] of (required ?? []).entries()) {
    checkEntry(entry, { from: `/require/${index}/from`, orNamed: `/require/${index}/or_named` }, findings);
  }
  const condition = rule.when === undefined ? null : compileCondition(rule.when);
  if (condition && 'problems' in condition) {
    for (const message of condition.problems) findings.problems.push({ path: '/when', message });
  }
  const check = rule.effect === 'allow' ? checkAllow : checkStricter;
  check(rule, condition?.reads ?? new Set(), findings);
  return {
    name: rule.name,
    effect: rule.effect,
    reason: rule.reason ?? null,
    ...compileMatch(rule, findings),
    condition: condition && 'evaluate' in condition ? condition : null,
    requirement: rule.effect === 'require_approval' ? (required ?? 'default') : [],
    mandates: rule.mandates,
    riskTier: rule.risk_tier ?? null,
    proofTier: rule.proof_tier ?? null,
    expiresInSeconds: rule.expires_in ?? null,
    permitTtlSeconds: rule.permit_ttl ?? null,
  };
}

/** The document's `default` as an entry. */
export function defaultEntryOf(document: PolicyDocument): RequirementEntry {
  const { approvers, min_approvals = 1, mandates: _, ...rest } = document.default;
  return toEntry({ from: approvers, count: min_approvals, ...rest });
}

/** Omits `programs` unless it is true, so that two entries with the same meaning are equal. */
export function toEntry(written: WrittenEntry): RequirementEntry {
  const { from, count, programs, or_named } = written;
  return {
    from,
    count,
    ...(programs === true ? { programs } : {}),
    ...(or_named === undefined ? {} : { orNamed: or_named }),
  };
}
