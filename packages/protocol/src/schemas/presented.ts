/** What callers present to be looked up or verified. */
import Type from 'typebox';

/** A compact JWS is at most 32 KiB; anything longer is not one of ours. */
export const Token = Type.String({
  minLength: 1,
  maxLength: 32_768,
  description: 'JWS in compact form; a bearer secret.',
});

/** Whatever is presented to be verified: what is not a token is answered as a permit that does not hold. */
export const PresentedToken = Type.String({ description: 'JWS in compact form.' });

/** The action about to run, as the executor names it. */
export const PresentedAction = Type.String({ description: 'The action that is about to run.' });

/** An id in a request: what is not one is simply not found. */
export const PresentedId = Type.String();
