/**
 * Answers requests that Node could not parse: broken HTTP, headers that are too large or too slow, bodies that stall.
 */

import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { GateError } from '../../gate/kernel/errors.ts';
import type { Ids } from '../../gate/kernel/ids.ts';
import { http } from '../../runtime/node-http.ts';
import { toErrorAnswer } from './error-answer.ts';
import { type ErrorTables, errorTableFor } from './error-table.ts';

interface ClientError extends Error {
  code?: string;
}

/** The error for a request whose `Expect` is not `100-continue`. */
export class UnmetExpectation extends Error {
  readonly code = 'UNMET_EXPECTATION';
}

/** If the path is not known at this point, the answer has surface B's form. */
export function answerClientError(
  { ids, tables, logger }: { ids: Ids; tables: ErrorTables; logger: Logger },
  error: ClientError,
  socket: Socket,
): void {
  // The socket is closed, or is sending an answer that further bytes would corrupt.
  const answering = answerUnderWay(socket);
  if (error.code === 'ECONNRESET' || !socket.writable || answering?.headersSent) {
    socket.destroy();
    return;
  }
  const requestId = ids.next('req');
  const { refusal, status } = describe(error);
  const answer = toErrorAnswer(refusal, errorTableFor(tables, answering?.req?.url ?? ''), requestId);
  const code = status ?? answer.status;
  logger.info({ request_id: requestId, status: code, reason: error.code }, refusal.message);
  socket.end(rawAnswer(code, requestId, JSON.stringify(answer.body)), () => socket.destroy());
}

interface AnswerUnderWay {
  headersSent?: boolean;
  req?: { url?: string };
}

/** The socket's answer to a request whose headers have arrived but whose body has not. */
function answerUnderWay(socket: Socket): AnswerUnderWay | undefined {
  return (socket as Socket & { _httpMessage?: AnswerUnderWay })._httpMessage;
}

function describe({ code }: ClientError): { refusal: GateError; status?: number } {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { refusal: new GateError('request_timeout', 'The request did not arrive in time.', {}) };
    case 'HPE_HEADER_OVERFLOW':
      return {
        refusal: new GateError('payload_too_large', 'The header fields are larger than 16 KiB.', {}),
        status: 431,
      };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { refusal: new GateError('payload_too_large', 'The chunk extensions are too large.', {}) };
    case 'UNMET_EXPECTATION': {
      const message = 'This gate supports no expectation except 100-continue; omit the header Expect.';
      return {
        refusal: new GateError('invalid_fields', message, { fields: [{ path: '', message }] }),
        status: 417,
      };
    }
    default: {
      const message = 'This is not a valid HTTP request.';
      return { refusal: new GateError('invalid_fields', message, { fields: [{ path: '', message }] }) };
    }
  }
}

function rawAnswer(status: number, requestId: string, body: string): string {
  return [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`,
    'connection: close',
    'cache-control: no-store',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    '',
    body,
  ].join('\r\n');
}
