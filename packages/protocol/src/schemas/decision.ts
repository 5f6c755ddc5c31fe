/** What a decision says, in the same words on both surfaces. */
import Type from 'typebox';
import { WITHOUT_NUL } from './forms.ts';

export const IntentHashSeen = Type.Optional(
  Type.String({
    maxLength: 128,
    description:
      'The intent_hash of what the approver was shown. A decision that names another one is refused (409).',
  }),
);

export const IntentHashApproved = Type.Optional(
  Type.String({
    maxLength: 128,
    description:
      'The intent_hash of what the approver was shown. An approval by a session, or by a user token with a device proof, names it (400 without). Programs may leave it out. A decision that names another one is refused (409).',
  }),
);

export const ProofSessionId = Type.String({ maxLength: 64, description: 'A completed proof session.' });

export const Reason = Type.String({
  maxLength: 2000,
  pattern: WITHOUT_NUL,
  description: 'In words; kept in the ledger, erasable.',
});
