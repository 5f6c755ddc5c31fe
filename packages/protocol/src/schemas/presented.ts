/** Tokens and ids that callers present for look-up or verification. */
import Type from 'typebox';

/** A compact JWS of the gate has at most 32 KiB. A longer text is not a token of the gate. */
export const Token = Type.String({
  minLength: 1,
  maxLength: 32_768,
  description: 'JWS in compact form. A bearer secret.',
});

/** Any text presented for verification. A text that is not a token gets the answer for an invalid permit. */
export const PresentedToken = Type.String({ description: 'JWS in compact form.' });

/** The action that is about to run, as the executor names it. */
export const PresentedAction = Type.String({ description: 'The action that is about to run.' });

/** An id in a request. A text that is not an id is simply not found. */
export const PresentedId = Type.String();
