/** Explains a policy's outcome: the verdict of each rule on the request, and how it counted. */
import type { CompiledRule, MatchCheck } from '../../policy/compile-rule.ts';
import type { Subject } from '../../policy/condition/evaluation.ts';
import { toSubject } from '../../policy/condition/variables.ts';
import { askRule, evaluatePolicy } from '../../policy/evaluate.ts';
import { matchesName } from '../../policy/name-pattern.ts';
import type { PolicyOutcome, PolicyRequest } from '../../policy/outcome.ts';
import type { CompiledPolicy } from '../../policy/policy.ts';

/**
 * The verdict of one rule. `failed`: its condition could not be evaluated. The message says why and never contains a
 * value.
 */
type RuleVerdict =
  | { kind: 'matched' }
  | { kind: 'failed'; message: string }
  | { kind: 'not_matched'; because: 'action' | MatchCheck['member'] | 'condition' };

/**
 * How the rule counted. `decides`: the outcome comes from this rule. `adds`: the rule has the same effect, and its
 * people and terms count as well. `outweighed`: the rule counts, but a stricter rule or the request itself prevails.
 * `nothing`: the rule does not count.
 */
type RulePart = 'decides' | 'adds' | 'outweighed' | 'nothing';

export interface RuleExplanation {
  rule: string;
  effect: CompiledRule['effect'];
  verdict: RuleVerdict;
  part: RulePart;
}

export interface OutcomeExplanation {
  /** The result of `evaluatePolicy`. */
  outcome: PolicyOutcome;
  /** Every rule, in document order. */
  rules: readonly RuleExplanation[];
  /**
   * Why approval is required although a rule allows the request and none requires approval. Either the required proof
   * tier needs a person, or the request names approvers. Null in all other cases.
   */
  personFor: 'proof_tier' | 'approvers' | null;
}

/**
 * Pure. The outcome is that of `evaluatePolicy`, and each rule is evaluated by the same code.
 *
 * @example explainOutcome(policy, request).rules.find(({ part }) => part === 'decides')?.rule // 'big refunds'
 */
export function explainOutcome(policy: CompiledPolicy, request: PolicyRequest): OutcomeExplanation {
  const outcome = evaluatePolicy(policy, request);
  const subject = toSubject(request);
  const asked = policy.rules.rules.map((rule) => ({
    rule,
    verdict: verdictOf(policy, rule, request, subject),
  }));
  const rules = asked.map(({ rule, verdict }) => ({
    rule: rule.name,
    effect: rule.effect,
    verdict,
    part: partOf(rule, verdict, outcome),
  }));
  const allowed = asked.some(({ rule, verdict }) => rule.effect === 'allow' && verdict.kind === 'matched');
  const asks = asked.some(({ rule, verdict }) => rule.effect === 'require_approval' && counts(rule, verdict));
  const isWanted = outcome.effect === 'require_approval' && allowed && !asks;
  return { outcome, rules, personFor: isWanted ? reasonForPerson(outcome) : null };
}

function verdictOf(
  policy: CompiledPolicy,
  rule: CompiledRule,
  request: PolicyRequest,
  subject: Subject,
): RuleVerdict {
  if (!matchesName(rule.actions, request.action)) return { kind: 'not_matched', because: 'action' };
  const unfit = rule.checks.find(({ fits }) => !fits(request));
  if (unfit) return { kind: 'not_matched', because: unfit.member };
  const verdict = askRule(rule, request, () => subject, policy.unitsPerCondition);
  if (verdict === true) return { kind: 'matched' };
  if (verdict === false) return { kind: 'not_matched', because: 'condition' };
  return { kind: 'failed', message: verdict.failure };
}

/** A rule whose condition fails still counts, unless its effect is to allow. */
function counts(rule: CompiledRule, { kind }: RuleVerdict): boolean {
  return kind === 'matched' || (kind === 'failed' && rule.effect !== 'allow');
}

function partOf(rule: CompiledRule, verdict: RuleVerdict, outcome: PolicyOutcome): RulePart {
  if (!counts(rule, verdict)) return 'nothing';
  if (rule.name === outcome.rule) return 'decides';
  return rule.effect === outcome.effect ? 'adds' : 'outweighed';
}

function reasonForPerson({ proofTier }: PolicyOutcome): 'proof_tier' | 'approvers' {
  return proofTier === 'none' ? 'approvers' : 'proof_tier';
}
