/** Reads bodies of HTML forms, for the one path whose standard requires them (RFC 7662 §2.1). */
import type { FastifyInstance } from 'fastify';
import { GateError } from '../../gate/kernel/errors.ts';
import { BODY_LIMIT_BYTES } from './strict-json-body.ts';

const FORM = 'application/x-www-form-urlencoded';
const ACCEPTED_TYPE = /^application\/x-www-form-urlencoded\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** Our forms have fewer than six parameters, and no client sends this many. */
const MOST_PARAMETERS = 32;

/** Accepts only forms on the routes of this scope. Everything else is 415. */
export function acceptFormsOnly(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    FORM,
    { parseAs: 'buffer', bodyLimit: BODY_LIMIT_BYTES },
    (request, bytes, done) => {
      try {
        const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers;
        if (!ACCEPTED_TYPE.test(type) || encoding.toLowerCase() !== 'identity') throw notAForm();
        done(null, parseForm(bytes as Buffer));
      } catch (error) {
        done(error as Error, undefined);
      }
    },
  );
  scope.addContentTypeParser('*', (_request, _payload, done) => done(notAForm(), undefined));
}

/**
 * Parses the parameters of a form. Strict where two readers might differ: refuses a repeated parameter (RFC 6749 §3.1),
 * and bytes that no form encoder writes. A parameter without a value counts as omitted.
 *
 * @throws GateError `invalid_fields`
 */
function parseForm(bytes: Uint8Array): Record<string, string> {
  const pairs = bytes.length === 0 ? [] : readAscii(bytes).split('&', MOST_PARAMETERS + 1);
  if (pairs.length > MOST_PARAMETERS) throw malformed('', `has more than ${MOST_PARAMETERS} parameters`);
  const found = new Map<string, string>();
  for (const pair of pairs) {
    const end = pair.indexOf('=');
    const name = decode(end < 0 ? pair : pair.slice(0, end));
    if (found.has(name)) throw malformed(`/${name}`, 'appears more than once');
    found.set(name, end < 0 ? '' : decode(pair.slice(end + 1)));
  }
  return Object.fromEntries([...found].filter(([, value]) => value !== ''));
}

function readAscii(bytes: Uint8Array): string {
  if (bytes.some((byte) => byte <= 0x20 || byte >= 0x7f)) {
    throw malformed('', 'must be printable ASCII, everything else percent-encoded');
  }
  return new TextDecoder().decode(bytes);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw malformed('', 'is not percent-encoded UTF-8', cause);
  }
}

function malformed(path: string, message: string, cause?: unknown): GateError {
  const subject = path === '' ? 'it' : path;
  return new GateError(
    'invalid_fields',
    `The form is not valid: ${subject} ${message}.`,
    { fields: [{ path, message }] },
    { cause },
  );
}

function notAForm(): GateError {
  return new GateError('unsupported_media_type', `Send the body as Content-Type: ${FORM}, in UTF-8.`, {});
}
