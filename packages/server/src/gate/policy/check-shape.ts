import { Type } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import type { FieldProblem } from '../kernel/errors.ts';
import { MAX_RULES, type PolicyDocument, PolicyDocumentSchema, PolicyRuleSchema } from './policy-document.ts';

/** The document without its rules. Rules are checked one by one, because the validator stops after a few problems. */
const FrameSchema = Type.Object(
  { ...PolicyDocumentSchema.properties, rules: Type.Array(Type.Unknown(), { maxItems: MAX_RULES }) },
  { additionalProperties: false },
);

interface ShapeError {
  keyword: string;
  instancePath: string;
  params: object;
  message: string;
}

function param(error: ShapeError, name: string): unknown {
  return Object.entries(error.params).find(([key]) => key === name)?.[1];
}

function words(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** Says what to write instead. Replaces the validator's own message. */
function toProblems(error: ShapeError): FieldProblem[] {
  const { instancePath: path, keyword } = error;
  switch (keyword) {
    // Another error at the same place always says the same.
    case 'boolean':
      return [];
    case 'required': {
      const missing = param(error, 'requiredProperties');
      return (Array.isArray(missing) ? missing : []).map((name) => ({
        path: `${path}/${name}`,
        message: 'This member is required.',
      }));
    }
    case 'additionalProperties': {
      const unknown = param(error, 'additionalProperties');
      return (Array.isArray(unknown) ? unknown : []).map((name: string) => ({
        path: `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        message: 'Unknown member; the gate refuses members that it does not know.',
      }));
    }
    case 'enum':
      return [{ path, message: `Must be one of ${words(param(error, 'allowedValues'))}.` }];
    case 'minProperties':
      return [{ path, message: 'Must have at least one member.' }];
    case 'pattern':
      return [{ path, message: 'Must not contain control characters.' }];
    default:
      return [{ path, message: `${error.message[0]?.toUpperCase()}${error.message.slice(1)}.` }];
  }
}

function problemsOf(errors: readonly ShapeError[], prefix: string): FieldProblem[] {
  // The validator reports each branch of a failed alternative, but the reader needs one sentence per place.
  const unions = new Set(
    errors.filter(({ keyword }) => keyword === 'anyOf').map((error) => error.instancePath),
  );
  return errors
    .filter((error) => error.keyword === 'anyOf' || !unions.has(error.instancePath))
    .flatMap((error) =>
      error.keyword === 'anyOf'
        ? [{ path: error.instancePath, message: sayAlternatives(error.instancePath) }]
        : toProblems(error),
    )
    .map(({ path, message }) => ({ path: `${prefix}${path}`, message }));
}

/** Two kinds of members have several forms. */
function sayAlternatives(path: string): string {
  return path.endsWith('/mandates')
    ? 'Must be true, false, or { "max_days": 1 to 31 }.'
    : 'Must be a string or a list of strings, and not empty.';
}

function hasRules(document: unknown): document is { rules: unknown[] } {
  return (
    typeof document === 'object' && document !== null && 'rules' in document && Array.isArray(document.rules)
  );
}

/** The document if it has the shape of a policy; otherwise every problem. */
export function checkShape(
  document: unknown,
): { document: PolicyDocument } | { problems: readonly FieldProblem[] } {
  if (Check(PolicyDocumentSchema, document)) return { document };
  const problems = problemsOf(Errors(FrameSchema, document)[1], '');
  if (hasRules(document)) {
    for (const [index, candidate] of document.rules.slice(0, MAX_RULES).entries()) {
      const [, errors] = Errors(PolicyRuleSchema, candidate);
      problems.push(...problemsOf(errors, `/rules/${index}`));
    }
  }
  return { problems };
}
