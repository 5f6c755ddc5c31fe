/** The content of a decision, in the same words on both surfaces. */
import Type from 'typebox';
import { WITHOUT_NUL } from './forms.ts';

export const IntentHashSeen = Type.Optional(
  Type.String({
    maxLength: 128,
    description:
      'The intent_hash that the approver was shown. A decision with another hash is refused (409).',
  }),
);

export const IntentHashApproved = Type.Optional(
  Type.String({
    maxLength: 128,
    description:
      'The intent_hash that the approver was shown. Required for an approval by a session, or by an access token with a device proof (400 without). Optional for programs. A decision with another hash is refused (409).',
  }),
);

export const ProofSessionId = Type.String({ maxLength: 64, description: 'A completed proof session.' });

export const Reason = Type.String({
  maxLength: 2000,
  pattern: WITHOUT_NUL,
  description: 'The reason in words. Kept in the audit log; can be erased.',
});
