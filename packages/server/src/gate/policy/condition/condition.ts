/**
 * Owns the conditions of rules (`when`): CEL expressions, which are checked when a policy is saved. Their evaluation
 * has a bounded cost.
 */
import { type ASTNode, TypeError as CelTypeError, ParseError } from '@marcbachmann/cel-js';
import { compileExpression } from './compile-expression.ts';
import { environment } from './environment.ts';
import { Evaluation, type Subject } from './evaluation.ts';
import { sayPosition } from './expression-position.ts';
import { ConditionFailure } from './failure.ts';
import { MAX_EXPRESSION_LENGTH } from './limits.ts';
import { type ExpressionProblem, ExpressionScope } from './scope.ts';
import type { Step } from './step.ts';
import { typeName } from './value.ts';
import type { VariableName } from './variables.ts';

/** True, false, or the reason why there is no result. */
export type Verdict = boolean | { failure: string };

export interface Condition {
  /** The variables that the condition reads. */
  readonly reads: ReadonlySet<VariableName>;
  evaluate(subject: Subject, units: number): Verdict;
}

function toProblem(cause: unknown): ExpressionProblem {
  if (cause instanceof ParseError || cause instanceof CelTypeError) {
    return { at: cause.range?.start ?? 0, message: cause.summary };
  }
  throw cause;
}

function check(expression: { ast: ASTNode; check(): { valid: boolean; type?: string; error?: Error } }) {
  const checked = expression.check();
  if (!checked.valid) return toProblem(checked.error);
  if (checked.type === 'bool' || checked.type === 'dyn') return undefined;
  return {
    at: expression.ast.pos,
    message: `A condition must be true or false, but this one is ${checked.type}.`,
  };
}

function evaluate(step: Step, subject: Subject, units: number): Verdict {
  try {
    const value = step(new Evaluation(subject, units));
    return typeof value === 'boolean' ? value : { failure: `the condition is ${typeName(value)}, not bool` };
  } catch (thrown) {
    if (thrown instanceof ConditionFailure) return { failure: thrown.message };
    // Even a bug in the gate must only make the outcome stricter.
    return {
      failure: `the condition could not be evaluated (${thrown instanceof Error ? thrown.name : 'fault'})`,
    };
  }
}

/** A refused expression: the problems, and the variables that it would have read. */
export interface RefusedCondition {
  readonly problems: readonly string[];
  readonly reads: ReadonlySet<VariableName>;
}

/** Parses and checks an expression. Returns every problem at once, each with line and column. */
export function compileCondition(source: string): Condition | RefusedCondition {
  const scope = new ExpressionScope();
  if (source.length > MAX_EXPRESSION_LENGTH) {
    return {
      problems: [`An expression has at most ${MAX_EXPRESSION_LENGTH} characters.`],
      reads: scope.reads,
    };
  }
  let step: Step;
  try {
    const expression = environment.parse(source);
    step = compileExpression(expression.ast, scope);
    const mistyped = check(expression);
    if (mistyped && !scope.problems.some(({ at }) => at === mistyped.at)) scope.problems.push(mistyped);
  } catch (cause) {
    scope.problems.push(toProblem(cause));
    step = () => false;
  }
  if (scope.problems.length > 0) {
    const inOrder = scope.problems.toSorted((one, other) => one.at - other.at);
    return {
      problems: inOrder.map(({ at, message }) => sayPosition(source, at, message)),
      reads: scope.reads,
    };
  }
  return { reads: scope.reads, evaluate: (subject, units) => evaluate(step, subject, units) };
}
