/** Erasing texts about people: what is asked, and how much it was. */
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
        description: 'E-mail address, or id of a user.',
        examples: ['ann@example.org'],
      }),
    ),
  },
  { title: 'Erasure request' },
);

const DAYS = Type.Union([Type.Integer({ minimum: 0, maximum: 36_500 }), Type.Null()], {
  description: 'Days; 0: kept for ever; null: as the gate’s own setting says.',
});

export const SetRetention = StrictObject({ days: DAYS }, { title: 'Retention setting' });

export const RetentionSchema = StrictObject(
  {
    days: DAYS,
    gate_days: Type.Integer({ description: 'What the gate’s own setting says; 0: for ever.' }),
    days_in_force: Type.Integer({ description: 'What holds for this project; 0: for ever.' }),
  },
  { title: 'Retention' },
);

export const ErasedTexts = StrictObject(
  {
    erased: StrictObject({
      intents: Type.Integer({ description: 'Intents that lost texts.' }),
      records: Type.Integer({ description: 'Audit records that lost texts; the chain verifies as before.' }),
      answers: Type.Integer({ description: 'Answers remembered under an `Idempotency-Key`.' }),
    }),
    remaining: StrictObject({
      intents: Type.Integer({
        description: 'Intents that name the person and are pending, or whose permit can still be used.',
      }),
      policies: Type.Integer({ description: 'Versions of the policy that name the person.' }),
    }),
    files: Type.Union([Type.Literal('cleared'), Type.Literal('pending')], {
      description:
        '`cleared`: the files of the database hold no erased text of this project. `pending`: they may, until an operator runs `permitry erase --finish`; no answer of the gate holds them.',
    }),
  },
  { title: 'Erasure' },
);

export const UnfinishedErasureSchema = StrictObject(
  {
    subject: Type.Enum(['intent', 'person', 'age']),
    subject_id: Nullable(
      Type.String({
        description: 'Id of the intent or user; null by age, and for a person without an account.',
      }),
    ),
    since: Timestamp,
  },
  { title: 'Unfinished erasure' },
);
