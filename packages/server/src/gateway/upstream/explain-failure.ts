/**
 * Turns an error of the MCP client into the gate's own words, and tells whether the server may have received the
 * message.
 */
import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import { toInertLine } from '../../outgoing/inert-text.ts';
import { hideSecrets } from './hide-secrets.ts';
import type { StdioTransport } from './stdio-transport.ts';
import { errorAfterSending, UpstreamError } from './upstream-error.ts';

const MOST_MESSAGE = 500;

/** With one of these statuses, the call was not run: the server has read the headers at most. */
const REFUSING: ReadonlySet<number> = new Set([
  400, 401, 403, 404, 405, 406, 410, 411, 413, 414, 415, 421, 422, 429, 431,
]);

/**
 * Errors about the message itself, before any tool receives it. Other errors, including `InternalError`, may come from
 * the middle of a run.
 */
const REFUSING_CODES: ReadonlySet<number> = new Set([
  ProtocolErrorCode.ParseError,
  ProtocolErrorCode.InvalidRequest,
  ProtocolErrorCode.MethodNotFound,
  ProtocolErrorCode.InvalidParams,
  ProtocolErrorCode.MissingRequiredClientCapability,
  ProtocolErrorCode.UnsupportedProtocolVersion,
  ProtocolErrorCode.UrlElicitationRequired,
  // HeaderMismatch, which the SDK does not name.
  -32020,
]);

const SDK_WORDS: Partial<Record<string, string>> = {
  [SdkErrorCode.RequestTimeout]: 'It did not answer in time.',
  [SdkErrorCode.ConnectionClosed]: 'The connection ended.',
  [SdkErrorCode.NotConnected]: 'There is no connection.',
  [SdkErrorCode.ClientHttpUnexpectedContent]: 'Its answer is not a valid message.',
};

export type FailedCall = { kind: 'failed' | 'not_sent' | 'unknown'; message: string };

export function toFailedCall(
  error: unknown,
  { stdio, secrets }: { stdio: StdioTransport | undefined; secrets: readonly string[] },
): FailedCall {
  if (error instanceof ProtocolError) {
    const words = toInertLine(hideSecrets(error.message, secrets), MOST_MESSAGE);
    if (REFUSING_CODES.has(error.code))
      return { kind: 'failed', message: `The server refused the call (${error.code}): ${words}` };
    return {
      kind: 'unknown',
      message: `The server answered with an error (${error.code}): ${words}; it is not known whether the tool did it.`,
    };
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.UnsupportedResultType)
    return { kind: 'failed', message: 'The server asked for more input, which the gate never provides.' };
  const status = error instanceof SdkHttpError ? error.status : undefined;
  if (status !== undefined && REFUSING.has(status))
    return { kind: 'failed', message: `The server refused the call with status ${status}.` };
  const { message, mayHaveArrived } = toUpstreamError(error, stdio);
  if (!mayHaveArrived) return { kind: 'not_sent', message: `Nothing was sent: ${message}` };
  return { kind: 'unknown', message: `${message} It is not known whether the tool did it.` };
}

/** Describes an error in the gate's own words. */
export function toUpstreamError(error: unknown, stdio: StdioTransport | undefined): UpstreamError {
  if (error instanceof UpstreamError) return error;
  if (error instanceof Error && error.cause instanceof UpstreamError) return error.cause;
  if (stdio?.failure) return stdio.failure;
  if (error instanceof SdkHttpError && error.status !== undefined)
    return errorAfterSending(`It answered ${error.status}.`);
  if (error instanceof ProtocolError) return errorAfterSending(`It refused (${error.code}).`);
  if (!(error instanceof SdkError)) return errorAfterSending('It does not speak the protocol.');
  const words = SDK_WORDS[error.code];
  return errorAfterSending(words ?? 'It does not speak the protocol.');
}
