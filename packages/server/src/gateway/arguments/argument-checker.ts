/**
 * Checks arguments against a tool's JSON Schema, even one from a stranger: no schema may block the gate or crash it.
 */
import type { JsonObject } from '@permitry/protocol';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { GateError } from '../../gate/kernel/errors.ts';
import { NewestKept } from '../../gate/kernel/newest-kept.ts';
import type { ArgumentChecker, ArgumentProblem } from '../../gate/tools/argument-checker.ts';
import { type CompiledSchema, compileSchema } from './compile-schema.ts';
import { TooMuchToMatch } from './linear-reg-exp.ts';
import { measure } from './schema-cost.ts';
import { effortFor } from './schema-effort.ts';

const MOST_COMPILED = 500;
/** Schema evaluations per call; each takes some tens of nanoseconds. */
const MOST_STEPS = 2_000_000;
/** Up to this cost, all problems are found; beyond it, only the first. */
const STEPS_FOR_ALL = 20_000;
const MOST_PROBLEMS = 20;

export function createArgumentChecker(): ArgumentChecker {
  const compiled = new NewestKept<string, CompiledSchema | GateError>(MOST_COMPILED);

  function find(schema: JsonObject, hash: string): CompiledSchema {
    const known = compiled.get(hash) ?? compileOrRefuse(schema);
    compiled.keep(hash, known);
    if (known instanceof GateError) throw known;
    return known;
  }

  function refuse(hash: string, cause: Error): GateError {
    const refusal = unusable(cause);
    compiled.keep(hash, refusal);
    return refusal;
  }

  return {
    effortFor,
    check(inputSchema, hash, given) {
      const schema = find(inputSchema, hash);
      const steps = schema.stepsFor(measure(given));
      if (steps > MOST_STEPS) return TOO_MUCH;
      try {
        return toProblems(steps > STEPS_FOR_ALL ? schema.findFirst(given) : schema.findAll(given));
      } catch (error) {
        if (error instanceof TooMuchToMatch) return TOO_MUCH;
        // Ajv nests the generated code one level deeper per member, and the engine parses that code only on the first
        // run. So the stack can overflow here.
        if (error instanceof RangeError) throw refuse(hash, error);
        throw error;
      }
    },
  };
}

const TOO_MUCH: readonly ArgumentProblem[] = [
  {
    path: '/arguments',
    message: 'are nested too deeply, or too many, to be checked against this schema',
    missing: false,
  },
];

function compileOrRefuse(schema: JsonObject): CompiledSchema | GateError {
  try {
    return compileSchema(schema);
  } catch (cause) {
    return unusable(cause);
  }
}

function unusable(cause: unknown): GateError {
  const message = 'This tool cannot be called: the schema of its arguments cannot be used.';
  return new GateError('conflict', message, {}, { cause });
}

function toProblems(errors: readonly ErrorObject[]): ArgumentProblem[] {
  const byText = new Map(
    errors.map(toProblem).map((problem) => [`${problem.path} ${problem.message}`, problem]),
  );
  return [...byText.values()].slice(0, MOST_PROBLEMS);
}

function toProblem({
  instancePath,
  keyword,
  params,
  message = 'does not fit',
}: ErrorObject): ArgumentProblem {
  const at = (name: unknown) => `/arguments${instancePath}/${toReferenceToken(name)}`;
  if (keyword === 'required') {
    return { path: at(params.missingProperty), message: 'is required', missing: true };
  }
  if (keyword === 'additionalProperties') {
    return { path: at(params.additionalProperty), message: 'is not a known property', missing: false };
  }
  if (keyword === 'unevaluatedProperties') {
    return { path: at(params.unevaluatedProperty), message: 'is not a known property', missing: false };
  }
  return { path: `/arguments${instancePath}`, message, missing: false };
}

/** Escapes a name as in a JSON Pointer (RFC 6901). */
function toReferenceToken(name: unknown): string {
  return String(name).replaceAll('~', '~0').replaceAll('/', '~1');
}
