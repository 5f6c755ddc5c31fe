/** Turns all findings of the validator into sentences that a caller can act on. */
import type { FastifySchemaValidationError } from 'fastify';
import { type FieldProblem, GateError } from '../../gate/kernel/errors.ts';

/** A body with many thousand unknown members must not cause an answer with as many lines. */
const MOST_PROBLEMS = 50;
const LONGEST_PATH = 300;

export function toFieldsError(found: readonly FastifySchemaValidationError[], context: string): GateError {
  const telling = withoutUnionNoise(found);
  const problems = telling.slice(0, MOST_PROBLEMS).map(toFieldProblem).map(tellable);
  const missing = telling.some(({ keyword }) => keyword === 'required');
  return new GateError(missing ? 'missing_fields' : 'invalid_fields', sentence(problems, context), {
    fields: problems,
  });
}

/** The caller chose the names in a path, and one of them may be very long. */
export function tellable({ path, message }: FieldProblem): FieldProblem {
  return { path: path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path, message };
}

const CONTEXTS: Readonly<Record<string, string>> = {
  body: 'The body',
  querystring: 'The query',
  params: 'The path',
  headers: 'The headers',
};

function sentence(problems: readonly FieldProblem[], context: string): string {
  const shown = problems.slice(0, 3).map(({ path, message }) => (path ? `${path} ${message}` : message));
  const more = problems.length - shown.length;
  const rest = more > 0 ? `; and ${more} more, see fields` : '';
  return `${CONTEXTS[context] ?? 'The request'} is not valid: ${shown.join('; ')}${rest}.`;
}

/**
 * A value that matches no branch of a union is reported once per branch and once for the union. If a branch finds a
 * problem inside the value, only that problem is reported, because it helps most. Otherwise the possible types are
 * named together.
 */
function withoutUnionNoise(found: readonly FastifySchemaValidationError[]): FastifySchemaValidationError[] {
  let left = [...found];
  for (const union of found.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')) {
    const branches = left.filter((error) => error.schemaPath.startsWith(`${union.schemaPath}/`));
    const mismatched = branches.filter((e) => e.keyword === 'type' && e.instancePath === union.instancePath);
    const inside = branches.length > mismatched.length;
    const types = mismatched.map((error) => String(error.params.type));
    left = left.filter((error) => !mismatched.includes(error) && (error !== union || !inside));
    if (!inside) union.params.types = types;
  }
  return left;
}

function toFieldProblem(error: FastifySchemaValidationError): FieldProblem {
  const { keyword, instancePath, params } = error;
  switch (keyword) {
    case 'required':
      return { path: property(instancePath, params.missingProperty), message: 'is required' };
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return {
        path: property(instancePath, params.additionalProperty ?? params.unevaluatedProperty),
        message: 'is not a known member; remove it or correct its name',
      };
    default:
      return { path: instancePath, message: reason(error) };
  }
}

function property(path: string, name: unknown): string {
  return `${path}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function reason({ keyword, params, message }: FastifySchemaValidationError): string {
  const limit = Number(params.limit);
  switch (keyword) {
    case 'type':
      return `must be ${withArticle(String(params.type))}`;
    case 'enum':
      return `must be one of: ${(params.allowedValues as unknown[]).map(String).join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`;
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must be at least ${limit} characters long`;
    case 'maxLength':
      return `must be at most ${limit} characters long`;
    case 'minItems':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} items`;
    case 'maxItems':
      return `must have at most ${limit} items`;
    case 'minimum':
      return `must be ${limit} or more`;
    case 'maximum':
      return `must be ${limit} or less`;
    case 'maxProperties':
      return `must have at most ${limit} members`;
    case 'uniqueItems':
      return 'must not contain the same item twice';
    case 'pattern':
      return `must match ${String(params.pattern)}`;
    case 'anyOf':
    case 'oneOf':
      return Array.isArray(params.types) && params.types.length > 0
        ? `must be ${params.types.map((type) => withArticle(String(type))).join(' or ')}`
        : 'has none of the forms that are accepted here';
    default:
      return message ?? 'is not valid';
  }
}

function withArticle(type: string): string {
  if (type === 'null') return 'null';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}
