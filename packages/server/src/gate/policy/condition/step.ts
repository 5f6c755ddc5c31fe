import type { ASTNode } from '@marcbachmann/cel-js';
import type { Evaluation } from './evaluation.ts';
import { ConditionFailure } from './failure.ts';
import type { ExpressionScope } from './scope.ts';
import { typeName, type Value } from './value.ts';
import { AGENT_PROPERTIES } from './variables.ts';

/** One node of an expression, ready to run. */
export type Step = (run: Evaluation) => Value;

/**
 * Compiles a part of an expression. An argument of the compilers of calls and macros, because an import would be
 * circular.
 */
export type Compile = (node: ASTNode, scope: ExpressionScope) => Step;

const NEVER: Step = () => {
  throw new ConditionFailure('the expression was refused');
};

export function refuse(node: ASTNode, scope: ExpressionScope, message: string): Step {
  scope.report(node, message);
  return NEVER;
}

export function asBoolean(value: Value, operator: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new ConditionFailure(`"${operator}" needs a bool, not ${typeName(value)}`);
}

export function isAgent(node: ASTNode, scope: ExpressionScope): boolean {
  return node.op === 'id' && node.args === 'agent' && scope.boundName !== 'agent';
}

/** Reports a member that no agent has. Such a mistake by the author would otherwise fail in every request. */
export function checkAgentProperty(node: ASTNode & { op: '.' }, scope: ExpressionScope): void {
  const [container, property] = node.args;
  if (!isAgent(container, scope) || AGENT_PROPERTIES.has(property)) return;
  scope.report(node, `agent has no member "${property}"; it has ${[...AGENT_PROPERTIES].join(', ')}.`);
}
