/** Bodies and answers of the paths of mandates (`/v1/mandates`): standing approvals and plans. */
import Type from 'typebox';
import type { JsonValue } from '../json.ts';
import { MANDATE_LIMITS } from '../mandates/mandate-document.ts';
import { FreeObject, StrictObject, Timestamp } from './forms.ts';
import { Action } from './request.ts';

const Pointer = Type.String({
  minLength: 1,
  maxLength: 512,
  description: 'JSON Pointer (RFC 6901) into the parameters, never the root.',
  examples: ['/amount'],
});
const AnyValue = Type.Unsafe<JsonValue>({ description: 'Any JSON value.' });
const Scalar = Type.Union([Type.Null(), Type.Boolean(), Type.Number(), Type.String()]);

const KIND_PROPERTIES = {
  one_of: Type.Optional(
    Type.Array(Scalar, { minItems: 1, maxItems: MANDATE_LIMITS.oneOf, description: 'One of these scalars.' }),
  ),
  at_most: Type.Optional(
    Type.Number({ description: 'A number, at most this one. Without `at_least`, at least 0.' }),
  ),
  at_least: Type.Optional(Type.Number({ description: 'A number, at least this one.' })),
  under: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      description: 'A text: this path and at least one segment more, without `.`, `..` and escapes.',
      examples: ['/srv/www'],
    }),
  ),
  anything: Type.Optional(Type.Literal(true, { description: 'Any value, or any branch.' })),
};

const ConstraintSchema = StrictObject(
  {
    path: Pointer,
    optional: Type.Optional(Type.Literal(true, { description: 'The value may be absent.' })),
    equals: Type.Optional(AnyValue),
    ...KIND_PROPERTIES,
    each: Type.Optional(
      StrictObject(
        { equals: Type.Optional(Scalar), ...KIND_PROPERTIES },
        { description: 'An array of scalars, each of which fits this one kind.' },
      ),
    ),
    at_most_items: Type.Optional(
      Type.Integer({ minimum: 0, maximum: MANDATE_LIMITS.items, description: 'Goes with `each`.' }),
    ),
  },
  {
    title: 'Constraint',
    description:
      'What one value of the parameters may be: exactly one kind. Values of another type do not fit.',
  },
);

const Constraints = Type.Array(ConstraintSchema, {
  maxItems: MANDATE_LIMITS.constraints,
  description:
    'Every leaf of the parameters (scalars, `{}`, `[]`) is named by exactly one. What none names is not covered.',
});

const AmountLimitSchema = StrictObject(
  {
    path: Pointer,
    unit: Type.Union([Pointer, Type.Null()], {
      description: 'The path of the currency or unit, which `equals` fixes. Null: whatever the unit.',
    }),
    per_day: Type.Optional(Type.Number({ minimum: 0 })),
    total: Type.Optional(Type.Number({ minimum: 0 })),
  },
  {
    title: 'Amount limit',
    description:
      'A number of the parameters that is added up, with at most 12 digits before the point and 6 after it.',
  },
);

const Uses = Type.Integer({ minimum: 1, maximum: MANDATE_LIMITS.uses });

const EntrySchema = StrictObject(
  {
    action: Action,
    constraints: Constraints,
    limits: StrictObject({
      uses: StrictObject({ total: Uses, per_day: Type.Optional(Uses) }),
      amounts: Type.Optional(Type.Array(AmountLimitSchema, { maxItems: MANDATE_LIMITS.amounts })),
    }),
  },
  { title: 'Mandate entry' },
);

const StepSchema = StrictObject(
  { action: Action, params: Type.Optional(FreeObject), constraints: Type.Optional(Constraints) },
  { title: 'Plan step', description: 'Used once: with exactly these parameters, or with constraints.' },
);

/** Either `entries` or `steps`; `findMandateProblems` checks what a schema cannot say. */
export const MANDATE_PROPERTIES = {
  entries: Type.Optional(Type.Array(EntrySchema, { minItems: 1, maxItems: MANDATE_LIMITS.entries })),
  steps: Type.Optional(Type.Array(StepSchema, { minItems: 1, maxItems: MANDATE_LIMITS.steps })),
  ordered: Type.Optional(
    Type.Literal(true, { description: 'A step may run when every earlier one has succeeded.' }),
  ),
  on_failure: Type.Optional(
    Type.Enum(['stop', 'continue'], {
      description: 'Whether a step that fails ends the plan. Default: stop.',
    }),
  ),
  starts_at: Type.Optional(Timestamp),
  ends_at: Timestamp,
  day_starts_at: Type.Optional(
    Type.String({
      pattern: '^([01]\\d|2[0-3]):[0-5]\\dZ$',
      description: 'A day of the limits is 24 hours from this time. Default: 00:00Z.',
      examples: ['22:00Z'],
    }),
  ),
};
