import type { FastifyRequest } from 'fastify';
import { GateError } from '../../gate/kernel/errors.ts';

const KEY_FORM = /^[\x20-\x7e]{1,255}$/;

/** The idempotency key of a request, if any. Throws `invalid_fields` for another form. */
export function readIdempotencyKey(request: FastifyRequest): string | undefined {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return undefined;
  if (typeof header === 'string' && KEY_FORM.test(header)) return header;
  const message = 'Idempotency-Key must be 1 to 255 printable ASCII characters.';
  throw new GateError('invalid_fields', message, { fields: [{ path: '', message }] });
}
