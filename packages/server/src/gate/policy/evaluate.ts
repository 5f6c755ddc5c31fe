import { PROOF_TIERS, type ProofTier, RISK_TIERS, type RiskTier } from '@permitry/protocol';
import type { Requirement } from '../approvals/requirement.ts';
import type { CompiledRule } from './compile-rule.ts';
import type { Verdict } from './condition/condition.ts';
import type { Subject } from './condition/evaluation.ts';
import { toSubject } from './condition/variables.ts';
import type { MandateTerms, PolicyOutcome, PolicyRequest } from './outcome.ts';
import type { CompiledPolicy } from './policy.ts';

interface Verdicts {
  /** The rules that count for the outcome, by name. */
  matched: readonly CompiledRule[];
  /** The counted rules whose condition failed. They count for everything except allowing. */
  failures: readonly { rule: string; message: string }[];
}

function byName(one: { name: string }, other: { name: string }): number {
  return one.name < other.name ? -1 : 1;
}

/** Evaluates one rule whose action matches. */
export function askRule(
  rule: CompiledRule,
  request: PolicyRequest,
  subject: () => Subject,
  units: number,
): Verdict {
  if (!rule.matches(request)) return false;
  return rule.condition === null || rule.condition.evaluate(subject(), units);
}

/**
 * The rules that match. A rule whose condition fails counts as matched, so that an error can only make the outcome
 * stricter. Such a rule denies, requires approval and raises tiers, but allows nothing.
 */
function ask(policy: CompiledPolicy, request: PolicyRequest): Verdicts {
  let known: Subject | undefined;
  const subject = (): Subject => {
    known ??= toSubject(request);
    return known;
  };
  const matched: CompiledRule[] = [];
  const failures: { rule: string; message: string }[] = [];
  for (const rule of policy.rules.candidates(request.action).toSorted(byName)) {
    const verdict = askRule(rule, request, subject, policy.unitsPerCondition);
    if (verdict === false) continue;
    if (verdict !== true) failures.push({ rule: rule.name, message: verdict.failure });
    matched.push(rule);
  }
  return { matched, failures };
}

function highest<T>(scale: readonly T[], asked: T, raised: readonly (T | null)[]): T {
  let position = scale.indexOf(asked);
  for (const tier of raised) if (tier !== null) position = Math.max(position, scale.indexOf(tier));
  return scale[position] ?? asked;
}

function shortest(values: readonly (number | null)[]): number | null {
  const set = values.filter((value) => value !== null);
  return set.length > 0 ? Math.min(...set) : null;
}

/**
 * Keeps every entry of every matching rule separate. Adds the default when a rule refers to it, and when no rule names
 * anyone.
 */
function requirementOf(policy: CompiledPolicy, asking: readonly CompiledRule[]): Requirement {
  const named = asking.flatMap(({ requirement }) => (requirement === 'default' ? [] : requirement));
  return asksDefault(asking) ? [policy.defaultEntry, ...named] : named;
}

function asksDefault(asking: readonly CompiledRule[]): boolean {
  return asking.length === 0 || asking.some(({ requirement }) => requirement === 'default');
}

/**
 * One rule that forbids mandates is enough. Where the risk is high or a proof beyond a session is required, each rule
 * must allow them in so many words.
 */
function mandatesOf(
  policy: CompiledPolicy,
  asking: readonly CompiledRule[],
  { riskTier, proofTier }: Pick<PolicyOutcome, 'riskTier' | 'proofTier'>,
): MandateTerms {
  const said = asking.map(({ mandates }) => mandates);
  if (asksDefault(asking)) said.push(policy.defaultMandates);
  const isGrave = !MILD_RISKS.has(riskTier) || !MILD_PROOFS.has(proofTier);
  if (said.includes(false) || (isGrave && said.includes(undefined))) return { isOn: false };
  const days = said.filter((each) => typeof each === 'object').map(({ max_days }) => max_days);
  return { isOn: true, maxDays: shortest(days) };
}

const MILD_RISKS: ReadonlySet<RiskTier> = new Set(['low', 'medium']);
const MILD_PROOFS: ReadonlySet<ProofTier> = new Set(['none', 'session']);
const OFF: MandateTerms = { isOn: false };

/**
 * Evaluates a policy for a request. Pure: the same policy and request give the same outcome, whatever the order of the
 * rules. Only reads the request.
 *
 * @example evaluatePolicy(policy, request).effect // 'require_approval'
 */
export function evaluatePolicy(policy: CompiledPolicy, request: PolicyRequest): PolicyOutcome {
  const { matched, failures } = ask(policy, request);
  const proofTier = highest(
    PROOF_TIERS,
    request.proofTier,
    matched.map((rule) => rule.proofTier),
  );
  const common = {
    riskTier: highest(
      RISK_TIERS,
      request.riskTier,
      matched.map((rule) => rule.riskTier),
    ),
    ratesRisk: matched.some((rule) => rule.riskTier !== null),
    proofTier,
    expiresInSeconds: shortest(matched.map((rule) => rule.expiresInSeconds)),
    permitTtlSeconds: shortest(matched.map((rule) => rule.permitTtlSeconds)),
    failures,
  };

  const denying = matched.find(({ effect }) => effect === 'deny');
  if (denying) {
    return {
      effect: 'deny',
      rule: denying.name,
      reason: denying.reason,
      requirement: [],
      mandates: OFF,
      ...common,
    };
  }

  const asking = matched.filter(({ effect }) => effect === 'require_approval');
  const failed = new Set(failures.map(({ rule }) => rule));
  const allowing = matched.find(({ effect, name }) => effect === 'allow' && !failed.has(name));
  // A policy cannot prove that a person is present. A request that names approvers also needs a person.
  const wantsPerson = proofTier !== 'none' || request.approvers.length > 0 || request.minApprovals !== null;
  if (allowing && asking.length === 0 && !wantsPerson) {
    return {
      effect: 'allow',
      rule: allowing.name,
      reason: allowing.reason,
      requirement: [],
      mandates: OFF,
      ...common,
    };
  }
  return {
    effect: 'require_approval',
    rule: asking[0]?.name ?? null,
    reason: asking[0]?.reason ?? null,
    requirement: requirementOf(policy, asking),
    mandates: mandatesOf(policy, asking, common),
    ...common,
  };
}
