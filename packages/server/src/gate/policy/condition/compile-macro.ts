/** The macros of CEL: `has`, and those that walk a list or the keys of a map. */
import type { ASTNode } from '@marcbachmann/cel-js';
import type { Evaluation } from './evaluation.ts';
import { ConditionFailure } from './failure.ts';
import { MAX_WALKED } from './limits.ts';
import type { ExpressionScope } from './scope.ts';
import { asBoolean, type Compile, checkAgentProperty, isAgent, refuse, type Step } from './step.ts';
import { isList, isMap, typeName, type Value } from './value.ts';
import { isVariableName } from './variables.ts';

/** Whether a member exists, even if it is null. An absent `agent` has no members. */
export function compileHas(node: ASTNode & { op: 'call' }, scope: ExpressionScope, compile: Compile): Step {
  const [, [selection]] = node.args;
  if (selection?.op !== '.') return refuse(node, scope, 'has() takes a member, e.g. has(params.amount).');
  const [container, property] = selection.args;
  const ofAgent = isAgent(container, scope);
  checkAgentProperty(selection, scope);
  const step = compile(container, scope);
  return (run) => {
    const map = step(run);
    if (ofAgent && map === null) return false;
    if (!isMap(map)) throw new ConditionFailure(`has() looks into a map, not into ${typeName(map)}`);
    return Object.hasOwn(map, property);
  };
}

/** Runs a macro: evaluates `body` for one element after the other. May stop early. */
type Walk = (run: Evaluation, elements: readonly Value[], body: readonly Step[]) => Value;

/** `all` and `exists`: a failure counts only if no element decides the result. */
function quantifier(operator: string, settling: boolean): Walk {
  return (run, elements, [predicate]) => {
    let failure: ConditionFailure | undefined;
    for (const element of elements) {
      run.element = element;
      try {
        if (predicate && asBoolean(predicate(run), operator) === settling) return settling;
      } catch (thrown) {
        if (!(thrown instanceof ConditionFailure) || thrown.final) throw thrown;
        failure ??= thrown;
      }
    }
    if (failure) throw failure;
    return !settling;
  };
}

function keep(run: Evaluation, elements: readonly Value[], predicate: Step | undefined, operator: string) {
  return elements.filter((element) => {
    run.element = element;
    return predicate === undefined || asBoolean(predicate(run), operator);
  });
}

function transform(run: Evaluation, elements: readonly Value[], step: Step | undefined): Value {
  return elements.map((element) => {
    run.element = element;
    return step ? step(run) : null;
  });
}

const WALKS: ReadonlyMap<string, Walk> = new Map<string, Walk>([
  ['all', quantifier('all', false)],
  ['exists', quantifier('exists', true)],
  ['exists_one', (run, elements, [predicate]) => keep(run, elements, predicate, 'exists_one').length === 1],
  ['filter', (run, elements, [predicate]) => keep(run, elements, predicate, 'filter')],
  [
    'map',
    (run, elements, body) =>
      body.length > 1
        ? transform(run, keep(run, elements, body[0], 'map'), body[1])
        : transform(run, elements, body[0]),
  ],
]);

export function isWalk(method: string): boolean {
  return WALKS.has(method);
}

function elementsOf(run: Evaluation, value: Value, method: string): readonly Value[] {
  const elements = isList(value) ? value : isMap(value) ? run.subject.keysOf(value) : undefined;
  if (!elements) throw new ConditionFailure(`${method}() walks a list or a map, not ${typeName(value)}`);
  if (elements.length > MAX_WALKED) {
    throw new ConditionFailure(`${method}() walks at most ${MAX_WALKED} elements`, true);
  }
  return elements;
}

export function compileWalk(node: ASTNode & { op: 'rcall' }, scope: ExpressionScope, compile: Compile): Step {
  const [method, receiver, [variable, ...body]] = node.args;
  const walk = WALKS.get(method);
  if (!walk || variable?.op !== 'id' || body.length === 0) {
    return refuse(
      node,
      scope,
      `${method}() takes a variable and an expression, e.g. list.${method}(x, x > 1).`,
    );
  }
  if (scope.boundName !== null) {
    return refuse(
      node,
      scope,
      `${method}() is not allowed inside another walk, because its cost would be squared.`,
    );
  }
  if (isVariableName(variable.args)) {
    return refuse(variable, scope, `"${variable.args}" is a variable of the request; choose another name.`);
  }
  const collection = compile(receiver, scope);
  const steps = scope.binding(variable.args, () => body.map((step) => compile(step, scope)));
  return (run) => walk(run, elementsOf(run, collection(run), method), steps);
}
