/** Erasure of texts about people: the request, and how much was erased. */
import Type from 'typebox';
import { Nullable, StrictObject, Timestamp } from './forms.ts';
import { PresentedId } from './presented.ts';

export const EraseTexts = StrictObject(
  {
    intent_id: Type.Optional(PresentedId),
    person: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 254,
        description: 'Email address, or ID of a user.',
        examples: ['ann@example.org'],
      }),
    ),
  },
  { title: 'Erasure request' },
);

const DAYS = Type.Union([Type.Integer({ minimum: 0, maximum: 36_500 }), Type.Null()], {
  description: 'Days. 0: keep forever. Null: the gate’s own setting applies.',
});

export const SetRetention = StrictObject({ days: DAYS }, { title: 'Retention setting' });

export const RetentionSchema = StrictObject(
  {
    days: DAYS,
    gate_days: Type.Integer({ description: 'The gate’s own setting. 0: forever.' }),
    days_in_force: Type.Integer({ description: 'The effective value for this project. 0: forever.' }),
  },
  { title: 'Retention' },
);

export const ErasedTexts = StrictObject(
  {
    erased: StrictObject({
      intents: Type.Integer({ description: 'Intents that lost texts.' }),
      records: Type.Integer({
        description: 'Audit records whose texts were erased. The chain verifies as before.',
      }),
      answers: Type.Integer({ description: 'Answers remembered under an `Idempotency-Key`.' }),
    }),
    remaining: StrictObject({
      intents: Type.Integer({
        description: 'Intents that name the person and are pending, or have a permit that can still be used.',
      }),
      policies: Type.Integer({ description: 'Versions of the policy that name the person.' }),
    }),
    files: Type.Union([Type.Literal('cleared'), Type.Literal('pending')], {
      description:
        '`cleared`: the database files hold no erased text of this project. `pending`: they may, until an operator runs `permitry erase --finish`. No answer of the gate contains these texts.',
    }),
  },
  { title: 'Erasure' },
);

export const UnfinishedErasureSchema = StrictObject(
  {
    subject: Type.Enum(['intent', 'person', 'age']),
    subject_id: Nullable(
      Type.String({
        description:
          'ID of the intent or user. Null for an erasure by age, and for a person without an account.',
      }),
    ),
    since: Timestamp,
  },
  { title: 'Unfinished erasure' },
);
