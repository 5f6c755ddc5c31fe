import Type from 'typebox';

/** The body of a status list's answer is the token itself, not JSON. */
export const StatusListToken = Type.String({
  description: 'JWS in compact form, `typ: statuslist+jwt`; claims `iss, sub, iat, exp, ttl, status_list`.',
});

/** For an answer without a body. */
export const NoBody = Type.Unsafe<undefined>({ type: 'null', description: 'Not modified' });
