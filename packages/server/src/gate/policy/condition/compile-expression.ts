/**
 * Turns a parsed expression into a function that counts its own cost.
 *
 * The CEL library parses and type-checks, but this gate evaluates, because the library counts no cost. The library runs
 * patterns in a backtracking engine and walks lists of any length. It also refuses `params.amount * 2`, because the
 * request's double and the policy's int differ.
 */
import type { ASTNode } from '@marcbachmann/cel-js';
import { compileCall } from './compile-call.ts';
import { ConditionFailure } from './failure.ts';
import { arithmetic, compare, elementOf, equals, includes, isInt64, negate } from './operators.ts';
import type { ExpressionScope } from './scope.ts';
import { asBoolean, checkAgentProperty, refuse, type Step } from './step.ts';
import type { Value } from './value.ts';
import { isVariableName } from './variables.ts';

/**
 * Compiles the node and records in `scope` every problem and every variable that it reads. After a problem, the result
 * must not run.
 */
export function compileExpression(node: ASTNode, scope: ExpressionScope): Step {
  const step = compileNode(node, scope);
  return (run) => {
    run.charge(1);
    return step(run);
  };
}

function compileNode(node: ASTNode, scope: ExpressionScope): Step {
  switch (node.op) {
    case 'value':
      return compileLiteral(node, scope);
    case 'id':
      return compileVariable(node, scope);
    case '.':
      return compileProperty(node, scope);
    case '[]': {
      const [container, key] = node.args.map((arg) => compileExpression(arg, scope)) as [Step, Step];
      const text = textOf(node);
      return (run) => elementOf(container(run), key(run), text);
    }
    case 'call':
    case 'rcall':
      return compileCall(node, scope, compileExpression);
    case 'list': {
      const elements = node.args.map((element) => compileExpression(element, scope));
      return (run) => elements.map((element) => element(run));
    }
    case 'map':
      return compileMap(node, scope);
    case '?:': {
      const [condition, yes, no] = node.args.map((arg) => compileExpression(arg, scope)) as [
        Step,
        Step,
        Step,
      ];
      return (run) => (asBoolean(condition(run), '?:') ? yes(run) : no(run));
    }
    case '||':
    case '&&':
      return compileLogical(node, scope);
    case '!_': {
      const operand = compileExpression(node.args, scope);
      return (run) => !asBoolean(operand(run), '!');
    }
    case '-_': {
      const operand = compileExpression(node.args, scope);
      return (run) => negate(operand(run));
    }
    case '.?':
    case '[?]':
      return refuse(node, scope, 'Optional access is not available in a policy; use has().');
    default:
      return compileBinary(node, scope);
  }
}

/** The node as the author wrote it, for messages. */
function textOf(node: ASTNode): string {
  return node.input.slice(node.start, node.end);
}

function compileLiteral(node: ASTNode & { op: 'value' }, scope: ExpressionScope): Step {
  const literal = node.args;
  if (typeof literal === 'object' && literal !== null) {
    return refuse(node, scope, 'Bytes and unsigned integers are not available in a policy.');
  }
  if (typeof literal === 'bigint' && !isInt64(literal)) {
    return refuse(node, scope, 'An integer has at most 64 bits.');
  }
  return () => literal;
}

function compileVariable(node: ASTNode & { op: 'id' }, scope: ExpressionScope): Step {
  const name = node.args;
  if (name === scope.boundName) return (run) => run.element;
  if (!isVariableName(name)) return refuse(node, scope, `Unknown variable: ${name}`);
  scope.reads.add(name);
  return (run) => run.subject.variables[name];
}

function compileProperty(node: ASTNode & { op: '.' }, scope: ExpressionScope): Step {
  const [container, property] = node.args;
  checkAgentProperty(node, scope);
  const step = compileExpression(container, scope);
  const text = textOf(node);
  return (run) => elementOf(step(run), property, text);
}

function compileMap(node: ASTNode & { op: 'map' }, scope: ExpressionScope): Step {
  const entries = node.args.map(
    ([key, value]) => [compileExpression(key, scope), compileExpression(value, scope)] as const,
  );
  return (run) => {
    // Without a prototype, so that a member named __proto__ is an ordinary member.
    const map: Record<string, Value> = Object.create(null);
    for (const [key, value] of entries) {
      const name = key(run);
      if (typeof name !== 'string') throw new ConditionFailure('a map has strings for keys');
      map[name] = value(run);
    }
    return map;
  };
}

/** As in CEL, a failure on one side is ignored when the other side alone decides the result. */
function compileLogical(node: ASTNode & { op: '||' | '&&' }, scope: ExpressionScope): Step {
  const operator = node.op;
  const settling = operator === '||';
  const [left, right] = node.args.map((arg) => compileExpression(arg, scope)) as [Step, Step];
  return (run) => {
    let failure: ConditionFailure;
    try {
      if (asBoolean(left(run), operator) === settling) return settling;
      return asBoolean(right(run), operator);
    } catch (thrown) {
      if (!(thrown instanceof ConditionFailure) || thrown.final) throw thrown;
      failure = thrown;
    }
    if (asBoolean(right(run), operator) === settling) return settling;
    throw failure;
  };
}

type BinaryNode = Extract<
  ASTNode,
  { op: '==' | '!=' | 'in' | '+' | '-' | '*' | '/' | '%' | '<' | '<=' | '>' | '>=' }
>;

function compileBinary(node: BinaryNode, scope: ExpressionScope): Step {
  scope.checkTiers(node);
  const [left, right] = node.args.map((arg) => compileExpression(arg, scope)) as [Step, Step];
  const { op } = node;
  switch (op) {
    case '==':
      return (run) => equals(run, left(run), right(run));
    case '!=':
      return (run) => !equals(run, left(run), right(run));
    case 'in':
      return (run) => {
        const value = left(run);
        return includes(run, right(run), value);
      };
    case '<':
      return (run) => compare(run, left(run), right(run)) < 0;
    case '<=':
      return (run) => compare(run, left(run), right(run)) <= 0;
    case '>':
      return (run) => compare(run, left(run), right(run)) > 0;
    case '>=':
      return (run) => compare(run, left(run), right(run)) >= 0;
    default:
      return (run) => arithmetic(run, op, left(run), right(run));
  }
}
