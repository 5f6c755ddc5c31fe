/** Reads bodies: only JSON, strictly, from the received bytes. */
import { hash } from 'node:crypto';
import { parseStrictJson } from '@permitry/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { unsupportedMediaType } from '../errors/framework-errors.ts';

export const BODY_LIMIT_BYTES = 256 * 1024;
const MAX_DEPTH = 64;

const ACCEPTED_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** Accepts only `application/json` bodies. Everything else is 415. */
export function acceptStrictJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: BODY_LIMIT_BYTES },
    (request, bytes, done) => {
      try {
        done(null, readBody(request, bytes as Buffer));
      } catch (error) {
        done(error as Error, undefined);
      }
    },
  );
}

function readBody(request: FastifyRequest, bytes: Buffer): unknown {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw unsupportedMediaType();
  // Strict about the media type's parameters: with another charset, two readers could see two different actions in the
  // same bytes.
  if (!ACCEPTED_TYPE.test(request.headers['content-type'] ?? '')) throw unsupportedMediaType();
  request.rawBody = bytes;
  return bytes.length === 0 ? {} : parseStrictJson(bytes, { maxDepth: MAX_DEPTH });
}

const NO_BYTES = Buffer.alloc(0);

/** Lower-case hex SHA-256 of the received body. */
export function hashRawBody(request: FastifyRequest): string {
  return hash('sha256', request.rawBody ?? NO_BYTES, 'hex');
}
