/** The content of an intent, in the same words on both surfaces. */
import Type from 'typebox';
import { APPROVAL_METHODS } from '../vocabulary.ts';
import { Id, INSTANT_PATTERN, Nullable, StrictObject, Timestamp } from './forms.ts';

export const ApprovalsSchema = Type.Array(
  StrictObject({ by: Type.String(), at: Timestamp, method: Type.Enum([...APPROVAL_METHODS]) }),
  { description: 'The approvals so far. Once the intent is approved, those that counted.' },
);

export const ErasedAt = Type.String({
  pattern: INSTANT_PATTERN,
  description:
    'Present once texts were erased. Parameters and metadata are {}, reasons are null, and ids replace people. Hashes remain.',
});

export const AskedAgainFrom = Id('int', 'The intent that this one resubmits, if any.');

export const ExtensionRequested = StrictObject(
  { by: Type.String(), at: Timestamp, comment: Nullable(Type.String()) },
  {
    description:
      'Present once an approver asked for more time. An intent’s expiry never changes; resubmit it to get more time.',
  },
);
