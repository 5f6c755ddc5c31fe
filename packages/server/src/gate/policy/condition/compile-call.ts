import type { ASTNode } from '@marcbachmann/cel-js';
import { compileDatePart } from './compile-date-part.ts';
import { compileHas, compileWalk, isWalk } from './compile-macro.ts';
import { ConditionFailure } from './failure.ts';
import { type ConditionFunction, FUNCTIONS, METHODS } from './functions.ts';
import { compileLinearPattern } from './linear-pattern.ts';
import type { ExpressionScope } from './scope.ts';
import { type Compile, refuse, type Step } from './step.ts';
import { typeName } from './value.ts';

/** Compiles `f(x)` and `x.f(y)`: macros, patterns, parts of dates, and functions. */
export function compileCall(
  node: ASTNode & { op: 'call' | 'rcall' },
  scope: ExpressionScope,
  compile: Compile,
): Step {
  if (node.op === 'call') {
    const [name, args] = node.args;
    if (name === 'has') return compileHas(node, scope, compile);
    return compileFunction(node, FUNCTIONS.get(name), name, args, scope, compile);
  }
  const [name, receiver, args] = node.args;
  if (isWalk(name)) return compileWalk(node, scope, compile);
  if (name === 'matches') return compileMatches(node, scope, compile);
  const datePart = compileDatePart(node, scope, compile);
  if (datePart) return datePart;
  return compileFunction(node, METHODS.get(name), name, [receiver, ...args], scope, compile);
}

function compileFunction(
  node: ASTNode & { op: 'call' | 'rcall' },
  callee: ConditionFunction | undefined,
  name: string,
  args: readonly ASTNode[],
  scope: ExpressionScope,
  compile: Compile,
): Step {
  const given = node.op === 'rcall' ? args.length - 1 : args.length;
  if (!callee?.arities.includes(given)) {
    return refuse(
      node,
      scope,
      `The function ${name}() with ${given} arguments is not available in a policy.`,
    );
  }
  const { call } = callee;
  const steps = args.map((arg) => compile(arg, scope));
  return (run) =>
    call(
      run,
      steps.map((step) => step(run)),
    );
}

function compileMatches(node: ASTNode & { op: 'rcall' }, scope: ExpressionScope, compile: Compile): Step {
  const [, receiver, [pattern]] = node.args;
  const text = compile(receiver, scope);
  // Only a literal pattern can be compiled when the policy is saved. A bad pattern is then refused before a request
  // depends on it.
  if (pattern?.op !== 'value' || typeof pattern.args !== 'string') {
    return refuse(pattern ?? node, scope, 'The pattern of matches() must be a string literal.');
  }
  const compiled = compileLinearPattern(pattern.args);
  if ('problem' in compiled) return refuse(pattern, scope, compiled.problem);
  return (run) => {
    const value = text(run);
    if (typeof value !== 'string')
      throw new ConditionFailure(`matches() needs a string, not ${typeName(value)}`);
    run.chargeText(value.length);
    run.charge(Math.ceil(value.length * compiled.unitsPerCharacter));
    return compiled.test(value);
  };
}
