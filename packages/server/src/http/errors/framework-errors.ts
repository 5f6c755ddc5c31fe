/** Turns the web framework's own refusals into the gate's. */
import { StrictJsonError } from '@permitry/protocol';
import type { FastifyError } from 'fastify';
import { GateError } from '../../gate/kernel/errors.ts';
import { tellable, toFieldsError } from './field-problems.ts';

export const NO_SUCH_PATH = 'No operation has this path and method. See /docs for all operations.';

/** Converts any error of a request into one of the gate's. An unexpected one becomes `internal_error`. */
export function toGateError(error: unknown): GateError {
  if (error instanceof GateError) return error;
  if (error instanceof StrictJsonError) {
    const { path, message } = error;
    return new GateError('invalid_fields', `The body is not acceptable JSON: ${message}`, {
      fields: [tellable({ path, message })],
    });
  }
  return error instanceof Error ? fromFramework(error as FastifyError) : unforeseen(error);
}

function fromFramework(error: FastifyError): GateError {
  if (error.validation) return toFieldsError(error.validation, error.validationContext ?? '');
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new GateError('payload_too_large', 'The body is larger than 256 KiB.', {}, { cause: error });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE':
      return unsupportedMediaType(error);
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return badRequest('The body is not as long as Content-Length says.', error);
    case 'FST_ERR_BAD_URL':
      return badRequest('The path is not a valid URL path.', error);
    case 'FST_ERR_MAX_PARAM_LENGTH':
    case 'FST_ERR_ROUTE_NOT_FOUND':
    case 'FST_ERR_NOT_FOUND':
      return new GateError('not_found', NO_SUCH_PATH, {}, { cause: error });
    case 'ECONNRESET':
    case 'ERR_STREAM_PREMATURE_CLOSE':
      return badRequest('The request ended before its body did.', error);
    default:
      return unforeseen(error);
  }
}

export function unsupportedMediaType(cause?: unknown): GateError {
  return new GateError(
    'unsupported_media_type',
    'Send the body as Content-Type: application/json in UTF-8, without Content-Encoding.',
    {},
    { cause },
  );
}

function badRequest(message: string, cause: unknown): GateError {
  return new GateError('invalid_fields', message, { fields: [{ path: '', message }] }, { cause });
}

function unforeseen(cause: unknown): GateError {
  return new GateError(
    'internal_error',
    'Something went wrong in the gate; nothing was changed or the change is complete. Try again, and give the request_id when you ask for help.',
    {},
    { cause },
  );
}
