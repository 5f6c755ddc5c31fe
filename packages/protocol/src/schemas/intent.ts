/** What is said of an intent, in the same words on both surfaces. */
import Type from 'typebox';
import { APPROVAL_METHODS } from '../vocabulary.ts';
import { Id, INSTANT_PATTERN, Nullable, StrictObject, Timestamp } from './forms.ts';

export const ApprovalsSchema = Type.Array(
  StrictObject({ by: Type.String(), at: Timestamp, method: Type.Enum([...APPROVAL_METHODS]) }),
  { description: 'Those given so far; once it is approved, those that counted.' },
);

export const ErasedAt = Type.String({
  pattern: INSTANT_PATTERN,
  description:
    'There once texts were erased: parameters and metadata are {}, reasons null, ids stand for people; hashes stay.',
});

export const AskedAgainFrom = Id('int', 'The intent that this one asks for again, where it does.');

export const ExtensionRequested = StrictObject(
  { by: Type.String(), at: Timestamp, comment: Nullable(Type.String()) },
  {
    description:
      'There once an approver asked for more time. The time of an intent never changes; ask again to give it more.',
  },
);
